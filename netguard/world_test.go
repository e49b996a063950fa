package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
)

// public are addresses that the world gives to names; nothing is ever sent
// there, as the world's Dial leads every address to one server on loopback.
const (
	public  = "93.184.215.14"
	public2 = "93.184.215.15"
)

// A world is the network that a test sees: names with addresses, and one
// server that answers as every host of example.com, over TLS at port 443 and
// 8443 and in plain at every other port.
type world struct {
	names  map[string][]string
	secure *httptest.Server
	plain  *httptest.Server

	mu     sync.Mutex
	dialed []string
	asked  []string
	seen   []*http.Request
}

func newWorld(t *testing.T, handler http.HandlerFunc) *world {
	t.Helper()
	w := &world{names: map[string][]string{}}
	record := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, r.Clone(context.Background()))
		w.mu.Unlock()
		handler(rw, r)
	})
	w.secure = httptest.NewUnstartedServer(record)
	w.secure.EnableHTTP2 = true
	w.secure.Config.ErrorLog = quiet // guards that trust nobody are part of it
	w.secure.StartTLS()
	w.plain = httptest.NewServer(record)
	t.Cleanup(w.secure.Close)
	t.Cleanup(w.plain.Close)
	return w
}

// guard is a Guard in this world; change its fields before its first use.
func (w *world) guard(t *testing.T) *Guard {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(w.secure.Certificate())
	g := &Guard{Resolver: w, Dial: w.dial, TLS: &tls.Config{RootCAs: roots}}
	t.Cleanup(g.CloseIdle)
	return g
}

func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, host)
	var addrs []netip.Addr
	list, ok := w.names[host]
	if !ok && strings.HasSuffix(host, "example.com") {
		list = []string{public}
	}
	for _, a := range list {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

var errRefusedByHost = errors.New("connection refused")

func (w *world) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, addr)
	w.mu.Unlock()
	host, port, _ := net.SplitHostPort(addr)
	if host == public2 {
		return nil, errRefusedByHost
	}
	to := w.plain.Listener.Addr().String()
	if port == "443" || port == "8443" {
		to = w.secure.Listener.Addr().String()
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// dials are the addresses that were connected to since the last call.
func (w *world) dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := slices.Clone(w.dialed)
	w.dialed = nil
	return d
}

func (w *world) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// get is one GET through g; the body is closed.
func get(t *testing.T, g *Guard, rawURL string, header http.Header) (*http.Response, []Hop, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, rawURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	res, hops, err := g.Do(t.Context(), req)
	if res != nil {
		t.Cleanup(func() { res.Body.Close() })
	}
	return res, hops, err
}

// refusedAs fails the test unless err is a Refused of kind, and gives it back.
func refusedAs(t *testing.T, err error, kind Kind) *Refused {
	t.Helper()
	r, ok := errors.AsType[*Refused](err)
	if !ok {
		t.Fatalf("error = %v, want a *Refused of kind %s", err, kind)
	}
	if r.Kind != kind {
		t.Fatalf("kind of %v = %s, want %s", err, r.Kind, kind)
	}
	return r
}
