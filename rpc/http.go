package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/bounded"
	"github.com/a2alock/a2alock/internal/cachecontrol"
	"github.com/a2alock/a2alock/internal/echo"
	"github.com/a2alock/a2alock/internal/envelope"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/retryafter"
	"github.com/a2alock/a2alock/netguard"
)

// A request is what goes out over HTTP.
type request struct {
	verb, url, accept string
	body              []byte // nil: none
}

// A reply is what came back, read as far as it is needed.
type reply struct {
	status   int
	header   http.Header
	body     []byte // of a stream, the data of its first event
	streamed bool
}

// errNoURL is of a target that nothing can be sent to.
var errNoURL = errors.New("the interface has no address that can be called")

// errRedirected ends the way at its first hop.
var errRedirected = errors.New("redirected")

// credentialError is what the target's credential said.
type credentialError struct{ error }

// ask sends one request and reads its reply. Its error is an [*TransportError],
// an [*UndecodableError], or the credential's own.
func (x *exchange) ask(ctx context.Context, r request) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, r.verb, r.url, nil)
	if err != nil {
		return nil, x.transport(errNoURL)
	}
	req.Header = x.header()
	req.Header.Set("Accept", r.accept)
	req.Header.Set("Accept-Encoding", "gzip")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.ContentLength = int64(len(r.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
		req.Body, _ = req.GetBody()
	}
	sent := false
	res, hops, err := x.guard.Send(ctx, req, netguard.Way{Credential: x.authenticate, Each: func(*http.Request, bool) error {
		if sent {
			return errRedirected
		}
		sent = true
		return nil
	}})
	if len(hops) > 0 {
		return nil, &TransportError{Place: x.place, HTTPStatus: hops[0].Status, Redirect: x.secrets.Clean(hops[0].To)}
	}
	if e, ok := errors.AsType[credentialError](err); ok {
		return nil, e.error
	}
	if err != nil {
		return nil, x.lost(ctx, err)
	}
	defer res.Body.Close()
	if 300 <= res.StatusCode && res.StatusCode < 400 {
		return nil, x.redirected(res)
	}
	return x.read(ctx, res)
}

// authenticate lets the target's credential sign req, and remembers what it added.
func (x *exchange) authenticate(req *http.Request) error {
	if x.target.Credential == nil {
		return nil
	}
	before := req.Clone(req.Context())
	if err := x.target.Credential(req); err != nil {
		return credentialError{err}
	}
	x.secrets = echo.Added(before, req)
	return nil
}

// lost is err as a transport failure, with the reason of ctx where that ended it.
func (x *exchange) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	e := x.transport(err)
	if r, ok := errors.AsType[*netguard.Refused](err); ok && r.Redirected {
		e.Redirect = x.secrets.Clean(r.URL)
	}
	return e
}

// redirected is a redirect that the guard leaves to its caller, and a 304.
func (x *exchange) redirected(res *http.Response) error {
	e := x.failed(res.StatusCode, res.Header, "")
	if to := res.Header.Get("Location"); to != "" && res.StatusCode != http.StatusNotModified {
		e.Redirect = to
		if u, err := res.Request.URL.Parse(to); err == nil {
			e.Redirect = u.String()
		}
		e.Redirect = x.secrets.Clean(e.Redirect)
	}
	return e
}

// failed is an answer that is not the agent's, with what it said.
func (x *exchange) failed(status int, h http.Header, message string) *TransportError {
	e := &TransportError{Place: x.place, HTTPStatus: status}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		e.RetryAfter = retryafter.Of(h)
	}
	if message != "" {
		e.Err = errors.New(quote(message))
	}
	return e
}

// read reads the body of res, of a stream the first event.
func (x *exchange) read(ctx context.Context, res *http.Response) (*reply, error) {
	y := &reply{status: res.StatusCode, header: res.Header}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	y.streamed = kind == "text/event-stream"
	body, err := bounded.NewReader(res.Body, x.secrets.Clean(strings.Join(res.Header.Values("Content-Encoding"), ",")), x.bytes())
	if err == nil && y.streamed {
		y.body, err = firstEvent(body, x.bytes())
	} else if err == nil {
		y.body, err = io.ReadAll(body)
	}
	if ctx.Err() != nil {
		// While its connection closes, a server may still end its body neatly.
		return nil, x.lost(ctx, err)
	}
	_, isLarge := errors.AsType[*bounded.TooLargeError](err)
	_, isOdd := errors.AsType[*bounded.EncodingError](err)
	switch {
	case err == nil:
	case res.StatusCode >= 400:
		y.body = nil // the status says enough
	case isLarge || isOdd || errors.Is(err, errNoEvent):
		return nil, x.undecodable(res.StatusCode, err)
	default:
		return nil, x.transport(fmt.Errorf("reading the body: %w", err))
	}
	y.body = x.unmarked(y.body)
	if len(y.body) > 0 && !y.streamed && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		x.note("the answer's Content-Type is %s, want application/json", quote(x.secrets.Clean(res.Header.Get("Content-Type"))))
	}
	return y, nil
}

// unmarked is data without a byte order mark.
func (x *exchange) unmarked(data []byte) []byte {
	rest, marked := bytes.CutPrefix(data, []byte("\xEF\xBB\xBF"))
	if marked {
		x.note("the answer begins with a byte order mark")
	}
	return rest
}

// answer is what every reply has beside its body.
func (y *reply) answer(body []byte) *Answer {
	return &Answer{
		Body: body, Streamed: y.streamed,
		Extensions: extensionsOf(y.header.Values("A2A-Extensions")), NoStore: cachecontrol.NoStore(strings.Join(y.header.Values("Cache-Control"), ",")),
	}
}

// maxExtensions of an answer are kept.
const maxExtensions = 32

// extensionsOf reads a list that some join with commas, and some write on lines of
// their own.
func extensionsOf(lines []string) []string {
	var list []string
	for _, line := range lines {
		for uri := range strings.SplitSeq(line, ",") {
			if uri = strings.TrimSpace(uri); uri != "" && len(list) < maxExtensions && !slices.Contains(list, uri) {
				list = append(list, uri)
			}
		}
	}
	return list
}

// unread says why data was not read, which err only half says, and shows none of it.
func unread(data []byte, err error) error {
	if len(data) == 0 {
		return errors.New("the answer is empty")
	}
	if _, refusal := jsondoc.Parse(data, 64); refusal != nil && refusal.Reason == jsondoc.NotJSON {
		return fmt.Errorf("the answer is not JSON: %s", refusal.Msg)
	}
	if errors.Is(err, envelope.ErrNoObject) || errors.Is(err, envelope.ErrRepeated) {
		return fmt.Errorf("the answer has %w", err)
	}
	return errors.New("the answer is not JSON as it should be")
}

// base is the URL of the target without its fragment.
func (x *exchange) base() (*url.URL, error) {
	u, err := url.Parse(x.target.URL)
	if err != nil || u.Host == "" {
		return nil, x.transport(errNoURL)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}
