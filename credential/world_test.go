package credential

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2alock/a2alock/netguard"
)

// canary is in every secret of these tests, and in nothing that is printed.
const canary = "geheim-canary"

var quiet = log.New(io.Discard, "", 0)

// An agent is a real server on loopback that records what it receives.
type agent struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func newAgent(t *testing.T, handler http.HandlerFunc) *agent {
	t.Helper()
	a := &agent{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		a.mu.Lock()
		a.seen = append(a.seen, r.Clone(context.Background()))
		a.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }

func (a *agent) requests() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.seen)
}

// carries is whether a request holds the canary in any form.
func carries(r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	return strings.Contains(fmt.Sprint(r.Header, r.RequestURI, user, password, r.Form), canary)
}

// wallet is New of one credential, for tests where it has no fault.
func wallet(t *testing.T, c Credential) *Wallet {
	t.Helper()
	w, err := New([]Credential{c})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// clean fails the test where the canary is in what is shown to people.
func clean(t *testing.T, shown ...any) {
	t.Helper()
	for _, s := range shown {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(format, s); strings.Contains(text, canary) {
				t.Errorf("the secret is in %s", text)
			}
		}
	}
}

// send is one GET with a credential, as callers do it.
func send(t *testing.T, w *Wallet, rawURL string) (int, []netguard.Hop, error) {
	t.Helper()
	guard := new(netguard.Guard)
	t.Cleanup(guard.CloseIdle)
	use := w.Use("partner")
	for {
		req, err := http.NewRequest(http.MethodGet, rawURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, hops, err := guard.Named(rawURL).Send(t.Context(), req, netguard.Way{Credential: use.Apply})
		clean(t, err, hops, req)
		if err != nil {
			return 0, hops, err
		}
		clean(t, res.Request)
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized || !use.Refused() {
			return res.StatusCode, hops, nil
		}
	}
}

// file is a file of the test's own with a secret.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	rewrite(t, path, text)
	return path
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A pipe is a network inside a bubble of synctest: one server, at every address.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipe(handler http.HandlerFunc) (*pipe, *http.Server) {
	p := &pipe{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: handler, ErrorLog: quiet}
	go func() { _ = s.Serve(p) }()
	return p, s
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error   { return nil }
func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
