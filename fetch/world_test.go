package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/netguard"
)

const aCard = `{"name":"Pricing"}`

// A world is the network that a test sees: every host of example.com is one
// TLS server on loopback, which answers by host and path.
type world struct {
	server *httptest.Server

	mu    sync.Mutex
	asked []string // URLs in the order they arrived
	last  *http.Request
}

// answer is what a URL of the world gives.
type answer struct {
	status   int // 0: 200
	body     string
	header   map[string]string
	location string // with a status of 0: 302
}

// newWorld answers each URL of the map, and all others with 404.
func newWorld(t *testing.T, answers map[string]answer) (*world, *Client) {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers["https://"+r.Host+r.RequestURI]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.write(w)
	})
}

func (a answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	if a.location != "" {
		w.Header().Set("Location", a.location)
		if a.status == 0 {
			a.status = http.StatusFound
		}
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write([]byte(a.body))
}

func serve(t *testing.T, handler http.HandlerFunc) (*world, *Client) {
	t.Helper()
	w := &world{}
	w.server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, "https://"+r.Host+r.RequestURI)
		w.last = r.Clone(context.Background())
		w.mu.Unlock()
		handler(rw, r)
	}))
	w.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that leave are the subject here
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(w.server.Certificate())
	g := &netguard.Guard{
		Resolver: names{"inside.example.com": "10.0.0.4"},
		TLS:      &tls.Config{RootCAs: roots},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, w.server.Listener.Addr().String())
		},
	}
	t.Cleanup(g.CloseIdle)
	return w, &Client{Guard: g, Timeout: 5 * time.Second, UserAgent: "a2alock/1.2.3"}
}

// names resolves what it lists, and every other host of example.com to a
// public address.
type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := n[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	if strings.HasSuffix(host, "example.com") {
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (w *world) urls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

// failed fails the test unless err is an Error in the state, with its text.
func failed(t *testing.T, err error, state card.State, text string) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error = %v, want an *Error", err)
	}
	if e.State != state || e.Error() != text {
		t.Fatalf("error = %s: %q\nwant %s: %q", e.State, e, state, text)
	}
	return e
}

func zip(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}
