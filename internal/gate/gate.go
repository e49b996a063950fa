// Package gate holds requests back: so many at once, so many per host, and a
// gap between two starts to one host.
package gate

import (
	"cmp"
	"container/list"
	"context"
	"maps"
	"net/url"
	"sync"
	"time"

	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/netguard"
)

// The defaults of [Gates].
const (
	DefaultFlights     = 64
	DefaultHostFlights = 2
	DefaultGap         = 250 * time.Millisecond
	DefaultAnswers     = 512
)

// rest is how long a host has for noticing that we gave a request up.
const rest = 250 * time.Millisecond

// Gates are what requests pass. A host is a name or an address, whatever the
// port: one machine stands behind it, and one limit. Within a host the first
// who came goes first, and hosts take turns. Who waits for a host holds
// nothing that others need.
//
// The zero Gates are ready to use; they are safe for concurrent use once their
// fields are set.
type Gates struct {
	Flights     int           // requests under way; 0 is [DefaultFlights]
	HostFlights int           // of them for one host; 0 is [DefaultHostFlights]
	Gap         time.Duration // 0 is [DefaultGap], below 0 is none
	Answers     int           // that wait to be taken in ([Gates.Land]); 0 is [DefaultAnswers]
	// Own lists hosts that are exempt from the gap; one that is no host is none.
	Own []string

	mu      sync.Mutex // never held while anything waits
	own     map[string]bool
	hosts   map[string]*host
	ready   list.List // of the hosts that wait for room alone
	flights int
	waiting int
	landed  int
	paused  pauses // by host
	held    pauses // by URL
}

// A host is forgotten when nothing is to be known of it.
type host struct {
	name    string
	flights int
	next    time.Time // the earliest next start
	waiting list.List // of *waiter
	timer   *time.Timer
	ready   bool // in Gates.ready
}

// A waiter is one call of [Gates.Enter].
type waiter struct {
	url  string
	host *host
	elem *list.Element // in host.waiting; nil once result has something
	left bool          // leave was called
	// result has room for the one thing that is sent: nil to go, or why not.
	result chan error
}

// Enter waits until a request to rawURL may start. The caller calls leave when
// the last byte of the answer is there; further calls do nothing. The error is
// the cause of ctx, or a [*PausedError].
func (g *Gates) Enter(ctx context.Context, rawURL string) (leave func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	name := hostOf(rawURL)
	w := &waiter{url: rawURL, result: make(chan error, 1)}
	g.mu.Lock()
	if until := g.until(name, rawURL, time.Now()); !until.IsZero() {
		g.mu.Unlock()
		return nil, &PausedError{URL: rawURL, Until: until}
	}
	h := g.host(name)
	w.host, w.elem = h, h.waiting.PushBack(w)
	g.waiting++
	g.consider(h)
	g.mu.Unlock()

	select {
	case err = <-w.result:
	case <-ctx.Done():
		if g.withdraw(w) == nil {
			g.leave(w)
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return func() { g.leave(w) }, nil
}

// Land notes that an answer came which is still to be looked at. While there are
// as many as Answers no request starts, so that answers never fill the memory
// where the network is faster than what is done with them. The caller calls
// [Gates.Taken] once for each, and before it waits for a gate again.
func (g *Gates) Land() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.landed++
}

// Taken ends what [Gates.Land] began.
func (g *Gates) Taken() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.landed--
	g.admit()
}

// Rest keeps the next request away from the host of rawURL for a moment, own
// hosts too. The caller is about to leave, and has given up on an answer: the
// host may take a while to see that, and would meet one request more than
// HostFlights.
func (g *Gates) Rest(rawURL string) {
	name := hostOf(rawURL)
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.hosts[name]; h != nil {
		h.next = moment.Later(h.next, time.Now().Add(rest))
	}
}

// PauseHost keeps all requests away from the host of rawURL until then; those
// who wait for it get a [*PausedError]. A longer pause stays.
func (g *Gates) PauseHost(rawURL string, until time.Time) {
	name := hostOf(rawURL)
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused.set(name, until, now)
	if h := g.hosts[name]; h != nil && until.After(now) {
		for w := h.first(); w != nil; w = h.first() {
			g.tell(h, w, &PausedError{URL: w.url, Until: until})
		}
	}
}

// PauseURL keeps requests away from rawURL alone. A longer pause stays.
func (g *Gates) PauseURL(rawURL string, until time.Time) {
	key := keyOf(rawURL)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held.set(key, until, time.Now())
}

// Follow takes over the pauses of g's predecessor.
func (g *Gates) Follow(before *Gates) {
	now := time.Now()
	before.mu.Lock()
	paused, held := maps.Clone(before.paused.at), maps.Clone(before.held.at)
	before.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	for host, p := range paused {
		g.paused.set(host, p.until, now)
	}
	for key, p := range held {
		g.held.set(key, p.until, now)
	}
}

// Paused is until when rawURL or its host is paused, and for how long in all;
// zero when it is not.
func (g *Gates) Paused(rawURL string, now time.Time) (until time.Time, long time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.paused.at)+len(g.held.at) == 0 { // as it is nearly always
		return time.Time{}, 0
	}
	p := g.pause(hostOf(rawURL), rawURL, now)
	return p.until, p.until.Sub(p.since)
}

// Gauges are how many requests are under way and how many wait, and how many
// hosts are paused.
func (g *Gates) Gauges(now time.Time) (flights, waiting, paused int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flights, g.waiting, g.paused.count(now)
}

func (g *Gates) until(name, rawURL string, now time.Time) time.Time {
	return g.pause(name, rawURL, now).until
}

func (g *Gates) pause(name, rawURL string, now time.Time) pause {
	p := g.paused.at[name]
	if len(g.held.at) > 0 {
		if q := g.held.at[keyOf(rawURL)]; q.until.After(p.until) {
			p = q
		}
	}
	if !p.until.After(now) {
		return pause{}
	}
	return p
}

func (g *Gates) host(name string) *host {
	h := g.hosts[name]
	if h == nil {
		h = &host{name: name}
		if g.hosts == nil {
			g.hosts = map[string]*host{}
		}
		g.hosts[name] = h
	}
	return h
}

func (h *host) first() *waiter {
	if e := h.waiting.Front(); e != nil {
		return e.Value.(*waiter)
	}
	return nil
}

// tell ends the waiting of w.
func (g *Gates) tell(h *host, w *waiter, result error) {
	h.waiting.Remove(w.elem)
	w.elem = nil
	g.waiting--
	w.result <- result
}

// withdraw takes w out of the queue. Where it was told in the meantime, the
// result is what it was told.
func (g *Gates) withdraw(w *waiter) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.elem == nil {
		return <-w.result
	}
	g.tell(w.host, w, context.Canceled)
	g.consider(w.host)
	return context.Canceled
}

func (g *Gates) leave(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.left {
		return
	}
	w.left = true
	g.flights--
	w.host.flights--
	g.consider(w.host)
}

// consider lets h have its turn as soon as it may, and others theirs.
func (g *Gates) consider(h *host) {
	g.place(h)
	g.admit()
}

// admit lets hosts that are ready have their turns, as far as there is room.
func (g *Gates) admit() {
	for g.flights < cmp.Or(g.Flights, DefaultFlights) && g.landed < cmp.Or(g.Answers, DefaultAnswers) && g.ready.Len() > 0 {
		next := g.ready.Remove(g.ready.Front()).(*host)
		next.ready = false
		if !next.next.After(time.Now()) { // it may rest by now
			g.start(next)
		}
		g.place(next)
	}
}

// place puts h into the queue of those that wait for room alone, sets its
// timer, or forgets it.
func (g *Gates) place(h *host) {
	gap := h.next.After(time.Now())
	switch idle := h.waiting.Len() == 0; {
	case h.ready, h.timer != nil, !idle && h.flights >= cmp.Or(g.HostFlights, DefaultHostFlights), idle && h.flights > 0:
	case gap:
		h.timer = time.AfterFunc(time.Until(h.next), func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			h.timer = nil
			g.consider(h)
		})
	case idle:
		delete(g.hosts, h.name)
	default:
		h.ready = true
		g.ready.PushBack(h)
	}
}

// start lets the first of h go whose URL is not paused.
func (g *Gates) start(h *host) {
	now := time.Now()
	for w := h.first(); w != nil; w = h.first() {
		if until := g.until(h.name, w.url, now); !until.IsZero() {
			g.tell(h, w, &PausedError{URL: w.url, Until: until})
			continue
		}
		g.flights++
		h.flights++
		if gap := cmp.Or(g.Gap, DefaultGap); gap > 0 && !g.isOwn(h.name) {
			h.next = now.Add(gap)
		}
		g.tell(h, w, nil)
		return
	}
}

func (g *Gates) isOwn(name string) bool {
	if g.own == nil {
		g.own = map[string]bool{}
		for _, s := range g.Own {
			if own, err := netguard.NormalizeHost(s); err == nil {
				g.own[own] = true
			}
		}
	}
	return g.own[name]
}

// hostOf is the host of a URL in one spelling; "" where it has none.
func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	host, err := netguard.NormalizeHost(u.Hostname())
	if err != nil {
		return ""
	}
	return host
}

// keyOf is the URL in one spelling.
func keyOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil || hostOf(rawURL) == "" {
		return rawURL
	}
	return netguard.Origin(u) + u.RequestURI()
}
