package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/cachecontrol"
	"github.com/a2alock/a2alock/internal/say"
)

// A Request is one refresh of a card.
type Request struct {
	URL string // byte for byte
	// Identity names the credential that the card is read with; "" is public.
	// What is remembered of one identity is never used for another.
	Identity string
	Memory   Memory // what the last good answer left
	// Body is the body of the last good answer; false when it is lost or not what
	// it was. nil: there is none. It is called at most once, from another goroutine,
	// and its bytes are not changed.
	Body func() ([]byte, bool)
	// Held is the digest of that body where the caller has it, and has found it to
	// be what it was: Body is not called then, unless for an identity, and after a
	// 304 the Answer has no Body. "" is for a caller that knows less.
	Held string
	// Unconditional sends no validator, and asks every cache on the way to look at
	// the origin (Cache-Control: no-cache).
	Unconditional bool
	// Fresh asks on a new connection, which is closed after it; Avoid is an
	// address that is then tried last, where the host has several.
	Fresh bool
	Avoid netip.AddrPort
	// Sent is told of each request right before it goes out, gates passed, by
	// another goroutine; nil for nobody.
	Sent func()
	// Landed is told that the request has ended, before its gate is left, by another
	// goroutine and before Refresh returns to a caller that shares it with nobody;
	// nil for nobody. Whoever joined the request of another is not told.
	Landed func()
}

// An Answer is a body that holds now. It is shared by the callers of one
// request, who leave it as it is.
type Answer struct {
	// Body is decoded; that of the [Request] after a 304, nil where it was Held.
	Body []byte
	// NotModified is whether a 304 said that the stored body holds, Same whether
	// a 200 brought the very bytes that are stored; of an extended card, whether it
	// is those. Other bytes may still be the same card.
	NotModified, Same bool
	// Memory is what to remember from now on, together with Body, if Body turns
	// out to be a card. Empty where NoStore forbids to keep either.
	Memory  Memory
	NoStore bool

	Final   string // what answered; unredacted
	Offsite bool   // a redirect left the origin of the URL
	// Notes are for a person, as in [Response].
	Notes  []string
	Status int // 200 or 304
	// Extended is as in [Response].
	Extended *Extended
	// Addr is what was connected to last.
	Addr netip.AddrPort

	// Unreliable is whether the server gave one validator to two contents; Detail
	// says so for a person. From then on Memory leads to no conditional request.
	Unreliable bool
	Detail     string
	// Ineffective is whether the server took no notice of its own validator, three
	// times in a row or more. A note says so once.
	Ineffective bool

	// MaxAge is how much longer the answer calls itself fresh; 0 is not at all.
	MaxAge time.Duration
	// Date is what the server's clock said when it answered, by its Date and the
	// time that caches have kept that; zero where it said none.
	Date   time.Time
	Caches Caches
}

// Caches is what caches on the way said of an answer, shortened, and escaped for
// a person.
type Caches struct {
	Age    string `json:"age,omitzero"`
	Via    string `json:"via,omitzero"`
	Status string `json:"cache_status,omitzero"`
}

// A trip is one refresh under way.
type trip struct {
	*exchange
	request *Request
	watch   stopwatch
	leave   func() // the gate that was passed last
	gate    string // its URL
	plain   bool   // no validators
	past    bool   // past all caches

	body   []byte // what is stored, and its digest; "" where there is nothing
	stored string
	last   *http.Request // as it went out
	sent   *Entry        // what last was conditional by; nil: it was not
	out    []bool        // whether each request of the last ask was conditional
}

// refresh is one flight of [Client.Refresh], which cancel ends.
func (c *Client) refresh(ctx context.Context, cancel context.CancelCauseFunc, r *Request) (*Answer, error) {
	x, err := c.exchange(Ask{URL: r.URL, Identity: r.Identity})
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(c.Timeout, DefaultTimeout)
	t := &trip{
		exchange: x, request: r, leave: func() {}, plain: r.Unconditional || r.Memory.Unreliable > 0, past: r.Unconditional,
		watch: stopwatch{left: limit, out: func() { cancel(timedOut(limit)) }},
	}
	x.way.Each, x.way.Fresh, x.way.Avoid = t.each, r.Fresh, r.Avoid.Addr()
	x.send = t.send
	defer func() { t.leave() }()
	defer t.watch.stop()
	if r.Landed != nil {
		defer r.Landed()
	}
	if t.stored = r.Held; r.Identity != "" {
		t.stored = "" // whether there is an extended card is asked of the bytes
	}
	if t.stored == "" && r.Body != nil {
		if body, ok := r.Body(); ok {
			t.body, t.stored = body, digestOf(body)
		}
	}
	a, err := t.run(ctx)
	if err != nil {
		e := x.failed(ctx, err)
		t.pause(e)
		return nil, e
	}
	return a, nil
}

func (t *trip) run(ctx context.Context) (*Answer, error) {
	res, err := t.ask(ctx)
	if t.isRefused(res, err) {
		res.Body.Close()
		res, err = t.ask(ctx)
	}
	if err == nil && res.StatusCode == http.StatusNotModified {
		if t.sent != nil && t.sent.confirmedBy(res.Header) {
			return t.extended(ctx, t.notModified(res))
		}
		why := "answered 304 although nothing was asked conditionally, and was asked once more"
		if t.sent != nil {
			why = fmt.Sprintf("answered 304 for ETag %.99q, which is not the one that is stored, and was asked once more", joined(res.Header, "Etag"))
		}
		t.drop(res)
		t.plain, t.past = true, true
		res, err = t.ask(ctx)
		t.Notes = append(t.Notes, why)
	}
	if err != nil {
		return nil, err
	}
	if err := t.take(ctx, res); err != nil {
		return nil, err
	}
	return t.extended(ctx, t.taken(res))
}

// extended is a as the identity sees it. What is remembered is about the public
// card; where the extended one is stored no request is conditional by that.
func (t *trip) extended(ctx context.Context, a *Answer) (*Answer, error) {
	if t.identity == "" || t.client.Extend == nil {
		return a, nil
	}
	t.Body, t.Notes = a.Body, a.Notes
	if err := t.extend(ctx); err != nil {
		return nil, err
	}
	a.Body, a.Notes, a.Extended = t.Body, t.Notes, t.Response.Extended
	same := digestOf(a.Body) == t.stored
	a.Same, a.NotModified = same && !a.NotModified, same && a.NotModified
	if a.Extended != nil && a.Extended.Lost == "" {
		a.MaxAge = 0 // the public card's is none of this one
	}
	if a.Extended != nil && a.Extended.NoStore {
		a.NoStore, a.Memory = true, Memory{}
	}
	return a, nil
}

// send passes the gate of a request for the extended card, like [trip.each].
func (t *trip) send(ctx context.Context, url string) (done func(code int), err error) {
	if err := t.pass(ctx, url); err != nil {
		return nil, err
	}
	if t.request.Fresh {
		t.guard.CloseIdle() // the identity's own, of which the call takes one
	}
	return func(code int) {
		if t.client.Asked != nil {
			t.client.Asked(code, false)
		}
	}, nil
}

// ask sends the GET, and tells of each request that it took.
func (t *trip) ask(ctx context.Context) (*http.Response, error) {
	t.out = nil
	res, err := t.exchange.ask(ctx, nil)
	if t.client.Asked == nil {
		return res, err
	}
	for i, conditional := range t.out {
		code := 0
		switch {
		case i < len(t.hops):
			code = t.hops[i].Status
		case err == nil:
			code = res.StatusCode
		}
		t.client.Asked(code, conditional)
	}
	return res, err
}

// each passes the gate of a request, hops included, and makes it conditional.
// One gate is left before the next: two trips that cross would wait for each
// other. Time before a gate is none that the server took.
func (t *trip) each(req *http.Request, offsite bool) error {
	if err := t.pass(req.Context(), req.URL.String()); err != nil {
		return err
	}
	if t.past {
		req.Header["Cache-Control"] = []string{"no-cache"}
	}
	t.last, t.sent = req, nil
	if !t.plain && !offsite && t.stored != "" {
		e := t.request.Memory.find(req, t.request.Identity)
		if e != nil && e.Digest == t.stored && e.validate(req) {
			t.sent = e
		}
	}
	t.out = append(t.out, t.sent != nil)
	return nil
}

// pass leaves the gate behind for that of url.
func (t *trip) pass(ctx context.Context, url string) error {
	t.watch.stop()
	t.leave()
	t.leave = func() {}
	if gates := t.client.Gates; gates != nil {
		leave, err := gates.Enter(ctx, url)
		if err != nil {
			return err
		}
		t.leave, t.gate = leave, url
	}
	t.watch.start()
	if t.request.Sent != nil {
		t.request.Sent()
	}
	return nil
}

// notModified is the stored body, once more.
func (t *trip) notModified(res *http.Response) *Answer {
	if len(res.TransferEncoding) > 0 || !slices.Contains([]string{"", "0"}, res.Header.Get("Content-Length")) {
		t.drop(res) // it may mean it
	}
	res.Body.Close()
	e := *t.sent
	e.update(t.last, res.Header)
	m := Memory{Entries: t.request.Memory.Entries, Unreliable: t.request.Memory.Unreliable}
	m.put(e)
	a := t.answer(res, &e, m)
	a.Body, a.NotModified = t.body, true
	return a
}

// taken is a 200. What it brought is compared by digest; the headers say
// nothing about that.
func (t *trip) taken(res *http.Response) *Answer {
	r := t.request
	e := newEntry(t.last, r.Identity, res.Header, digestOf(t.Body))
	m := r.Memory
	detail := ""
	if old := r.Memory.find(t.last, r.Identity); old != nil && old.Digest != e.Digest {
		if by := old.sameValidator(&e); by != "" {
			m.Unreliable++
			detail = fmt.Sprintf("two contents came with one %s, %.99q", by, joined(res.Header, by))
		}
	}
	ignored := false
	if t.sent != nil {
		m.Ignored = min(m.Ignored+1, ignoredTimes)
		if ignored = t.sent.Digest == e.Digest && t.sent.sameValidator(&e) != ""; !ignored {
			m.Ignored = 0
		}
	}
	if r.Memory.Ignored < ignoredTimes && m.IsIgnored() {
		t.Notes = append(t.Notes, "the validator never matches: the server sends the whole card although it has not changed")
	}
	m.put(e)
	a := t.answer(res, &e, m)
	a.Body, a.Same = t.Body, t.stored == e.Digest
	a.Unreliable, a.Detail = detail != "", detail
	a.Ineffective = m.IsIgnored()
	return a
}

// answer is what both have in common.
func (t *trip) answer(res *http.Response, e *Entry, m Memory) *Answer {
	a := &Answer{
		Memory: m, NoStore: cachecontrol.NoStore(string(e.CacheControl)),
		Final: t.Final, Offsite: t.Offsite, Notes: t.Notes, Status: res.StatusCode,
		MaxAge: e.maxAge(res.Header.Get("Age")), Date: t.client.dates.Of(res.Header),
		Caches: Caches{Age: said(res.Header, "Age"), Via: said(res.Header, "Via"), Status: said(res.Header, "Cache-Status")},
	}
	if t.conn != nil {
		a.Addr, _ = netip.ParseAddrPort(t.conn.RemoteAddr().String())
	}
	if a.NoStore {
		a.Memory = Memory{}
	}
	return a
}

// pause keeps the others away for whom an error means, too: a 429 is about the
// host, a 503 about its URL (RFC 9110 10.2.3). A server that we gave up on may
// still be at it.
func (t *trip) pause(e *Error) {
	gates := t.client.Gates
	if gates == nil || t.last == nil {
		return
	}
	if _, ok := errors.AsType[timedOut](e); ok {
		gates.Rest(t.gate)
	}
	if e.RetryAfter == 0 {
		return
	}
	until, at := time.Now().Add(e.RetryAfter), t.last.URL.String()
	if e.Public {
		at = e.Final
	}
	switch e.Code {
	case http.StatusTooManyRequests:
		gates.PauseHost(at, until)
	case http.StatusServiceUnavailable:
		gates.PauseURL(at, until)
	}
}

// said is a header for a person.
func said(header http.Header, name string) string {
	if len(header[name]) == 0 {
		return ""
	}
	return say.Printable(fmt.Sprintf("%.200s", joined(header, name)))
}

// A stopwatch calls out when it has run for left.
type stopwatch struct {
	left  time.Duration
	out   func()
	since time.Time
	timer *time.Timer // nil: stopped
}

func (s *stopwatch) start() {
	s.since = time.Now()
	s.timer = time.AfterFunc(s.left, s.out)
}

func (s *stopwatch) stop() {
	if s.timer != nil && s.timer.Stop() {
		s.left -= time.Since(s.since)
	}
	s.timer = nil
}
