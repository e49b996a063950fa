package netguard

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// SchemeError is the error of a server that speaks the other of http and https
// than the URL says.
type SchemeError struct {
	Host string // host:port
	TLS  bool   // the server speaks TLS, and the URL says http
	Err  error  // what gave it away; nil when an answer did
}

// Error says it in one sentence.
func (e *SchemeError) Error() string {
	if e.TLS {
		return e.Host + " speaks TLS, and the URL says http: use https"
	}
	return e.Host + " speaks plain HTTP, and the URL says https: the server has no TLS at that port"
}

// Unwrap is the error underneath.
func (e *SchemeError) Unwrap() error { return e.Err }

// roundTrip sends one request and names the faults that [http.Transport]
// leaves cryptic.
func (g *Guard) roundTrip(req *http.Request, fresh bool) (*http.Response, error) {
	res, err := g.send(req, fresh)
	if rec, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(rec.RecordHeader[:]) == "HTTP/" {
		return nil, &SchemeError{Host: hostPortOf(req.URL), Err: err}
	}
	if req.URL.Scheme == "https" {
		return res, err
	}
	// A TLS server answers bytes that are no ClientHello with an alert
	// (0x15 0x03), or with a 400 that says so.
	if err != nil && strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`) {
		return nil, &SchemeError{Host: hostPortOf(req.URL), TLS: true, Err: err}
	}
	if err == nil && res.StatusCode == http.StatusBadRequest && wantsTLS(res) {
		res.Body.Close()
		return nil, &SchemeError{Host: hostPortOf(req.URL), TLS: true}
	}
	return res, err
}

// hostPortOf is the target of a URL that was judged.
func hostPortOf(u *url.URL) string {
	t, _ := targetOf(u)
	return t.hostPort()
}

// wantsTLS looks at the beginning of a 400's body, and leaves the body whole.
func wantsTLS(res *http.Response) bool {
	head, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), res.Body), res.Body}
	text := strings.ToLower(string(head))
	return strings.Contains(text, "http request to an https server") ||
		strings.Contains(text, "plain http request was sent to https port") ||
		strings.Contains(text, "speaking plain http to an ssl-enabled server port")
}
