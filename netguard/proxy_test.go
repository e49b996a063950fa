package netguard

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

// proxyAddr is where the proxies of these tests are: a private address, at any
// port.
const proxyAddr = "10.1.1.1"

// A recorder is a proxy that notes what it is asked for, and leads every tunnel
// to the world's TLS server.
type recorder struct {
	*httptest.Server
	world *world

	mu    sync.Mutex
	asked []string
	auth  []string
	certs int // client certificates that it was shown
}

func newRecorder(t *testing.T, w *world, overTLS bool) *recorder {
	t.Helper()
	p := &recorder{world: w}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.Config.ErrorLog = quiet
	if overTLS {
		p.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	w.names["proxy.corp.example"] = []string{proxyAddr}
	return p
}

func (p *recorder) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI)
	p.auth = append(p.auth, r.Header.Get("Proxy-Authorization")+r.Header.Get("Authorization"))
	if r.TLS != nil {
		p.certs += len(r.TLS.PeerCertificates)
	}
	p.mu.Unlock()
	if strings.Contains(r.RequestURI, "denied.example.com") {
		http.Error(w, "no", http.StatusProxyAuthRequired)
		return
	}
	if r.Method != http.MethodConnect {
		ok(w, r)
		return
	}
	up, err := net.Dial("tcp", p.world.secure.Listener.Addr().String())
	if err != nil {
		return
	}
	defer up.Close()
	down, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer down.Close()
	_, _ = io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(up, down) }()
	_, _ = io.Copy(down, up)
}

// guard leads to the world, and to the proxy where the guard means to.
func (p *recorder) guard(t *testing.T, conf *httpproxy.Config) *Guard {
	t.Helper()
	g := p.world.guard(t)
	g.Proxy = conf
	g.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, proxyAddr+":") {
			return new(net.Dialer).DialContext(ctx, network, p.Listener.Addr().String())
		}
		return p.world.dial(ctx, network, addr)
	}
	return g
}

func (p *recorder) asks() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.asked
	p.asked = nil
	return a
}

func TestProxy(t *testing.T) {
	w := newWorld(t, ok)
	p := newRecorder(t, w, false)
	w.names["inside.example.com"] = []string{"10.0.0.4"}
	w.names["both.example.com"] = []string{public, "10.0.0.4"}
	w.names["metadata.google.internal"] = []string{"169.254.169.254"}
	w.names["gone.example.com"] = []string{}
	conf := &httpproxy.Config{
		HTTPProxy: "http://proxy.corp.example:3128", HTTPSProxy: "http://me:geheim@proxy.corp.example:3128",
		NoProxy: "direct.example.com,.internal.example.com",
	}
	for _, tt := range []struct {
		url   string
		named string
		want  []string // what the proxy is asked for
		err   string   // "": none
	}{
		{"https://a.example.com/x?y=1", "", []string{"CONNECT a.example.com:443"}, ""},
		{"https://A.example.com.:8443/", "", []string{"CONNECT a.example.com:8443"}, ""},
		{"http://plain.example.com/x", "", []string{"GET http://plain.example.com/x"}, ""},
		{"https://direct.example.com/", "", nil, ""},
		{"https://DIRECT.example.com./", "", nil, ""},
		{"https://x.internal.example.com/", "", nil, ""},
		{"http://localhost:9000/", "http://localhost:9000/", nil, ""},
		{"http://agent.localhost:9000/", "http://agent.localhost:9000/", nil, ""},
		{"http://127.0.0.1:9000/", "http://127.0.0.1:9000/", nil, ""},
		{"https://localhost:8443/", "", nil, "loopback address"},
		{"https://inside.example.com/", "", nil, "inside.example.com leads to 10.0.0.4, a private address"},
		{"https://both.example.com/", "", nil, "both.example.com leads to 10.0.0.4, a private address"},
		{"https://metadata.google.internal/", "", nil, "metadata.google.internal leads to 169.254.169.254, a cloud metadata address"},
		{"https://169.254.169.254/", "", nil, "169.254.169.254 is a cloud metadata address"},
		{"https://nowhere.example.org/", "", nil, "judging nowhere.example.org before the proxy is asked for it: lookup nowhere.example.org: no such host"},
		// The proxy's own address is no target.
		{"https://proxy.corp.example:3128/", "", nil, "proxy.corp.example leads to 10.1.1.1, a private address"},
		{"http://plain2.example.com/", "", nil, "plain http"},
		{"https://denied.example.com/", "", []string{"CONNECT denied.example.com:443"}, "through the proxy proxy.corp.example:3128: Proxy Authentication Required"},
		{"http://denied.example.com/", "", []string{"GET http://denied.example.com/"}, "through the proxy proxy.corp.example:3128: 407 Proxy Authentication Required"},
	} {
		g := p.guard(t, conf)
		g.TLS.ServerName = "example.com"
		g.HTTP = []string{"plain.example.com", "denied.example.com"}
		if tt.named != "" {
			g = g.Named(tt.named)
		}
		_, _, err := get(t, g, tt.url, nil)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error = %v, want %q", tt.url, err, tt.err)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: the error shows the proxy's password: %v", tt.url, err)
		}
		if got := p.asks(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the proxy is asked for %q, want %q", tt.url, got, tt.want)
		}
		g.CloseIdle()
	}
}

// A name whose answer changes is judged anew for each request, although the
// tunnel is open; and it is the proxy that resolves it.
func TestProxyTargetsAreJudgedEachTime(t *testing.T) {
	w := newWorld(t, ok)
	p := newRecorder(t, w, false)
	g := p.guard(t, &httpproxy.Config{HTTPSProxy: "http://" + proxyAddr + ":3128"})
	g.Resolver = new(rebinding)
	res, _, err := get(t, g, "https://cards.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	_, _, err = get(t, g, "https://cards.example.com/", nil)
	r := refusedAs(t, err, KindAddress)
	if r.URL != "https://cards.example.com/" || r.Redirected || !r.Addr.IsLoopback() {
		t.Errorf("refusal = %+v", r)
	}
}

func TestProxiedRedirects(t *testing.T) {
	w := newWorld(t, redirects(307, "https://b.example.com/1", "https://inside.example.com/"))
	w.names["inside.example.com"] = []string{"10.0.0.4"}
	p := newRecorder(t, w, false)
	g := p.guard(t, &httpproxy.Config{HTTPSProxy: "http://proxy.corp.example:3128"})
	_, hops, err := get(t, g, "https://a.example.com/0", nil)
	r := refusedAs(t, err, KindAddress)
	if want := []string{"CONNECT a.example.com:443", "CONNECT b.example.com:443"}; !r.Redirected || len(hops) != 2 || !slices.Equal(p.asks(), want) {
		t.Errorf("refusal %+v after %d hops", r, len(hops))
	}
}

// A proxy that is spoken to over TLS sees no client certificate, and is trusted
// by the guard's roots, not by those of the target.
func TestProxyOverTLS(t *testing.T) {
	w := newWorld(t, ok)
	p := newRecorder(t, w, true)
	cert := certified(t, "one")
	w.names["example.com"] = []string{proxyAddr} // what the certificate of httptest is for
	g := p.guard(t, &httpproxy.Config{HTTPSProxy: "https://me:geheim@example.com"})
	g.TLS.RootCAs.AddCert(p.Certificate())
	g = g.As(Identity{Name: "one", Origins: []string{"https://a.example.com"}, Certificate: func() (*tls.Certificate, error) { return cert, nil }})
	if _, _, err := get(t, g, "https://a.example.com/", nil); err != nil {
		t.Fatal(err)
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:geheim"))
	if got := p.asks(); !slices.Equal(got, []string{"CONNECT a.example.com:443"}) || p.auth[0] != want || p.certs != 0 {
		t.Errorf("the proxy is asked for %q with %q, and is shown %d certificates", got, p.auth, p.certs)
	}
}

func TestDialContextThroughTheProxy(t *testing.T) {
	for _, overTLS := range []bool{false, true} {
		w := newWorld(t, ok)
		p := newRecorder(t, w, overTLS)
		w.names["example.com"] = []string{proxyAddr}
		w.names["inside.example.com"] = []string{"10.0.0.4"}
		scheme := "http"
		if overTLS {
			scheme = "https"
		}
		g := p.guard(t, &httpproxy.Config{HTTPSProxy: scheme + "://me:geheim@example.com:3128"})
		if overTLS {
			g.TLS.RootCAs.AddCert(p.Certificate())
		}
		conn, err := g.DialContext(t.Context(), "tcp", "A.example.com:443")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conf := g.TLSFor("a.example.com:443")
		secure := tls.Client(conn, conf)
		if err := secure.HandshakeContext(t.Context()); err != nil {
			t.Errorf("handshake through the tunnel: %v", err)
		}
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:geheim"))
		if got := p.asks(); !slices.Equal(got, []string{"CONNECT a.example.com:443"}) || p.auth[0] != want {
			t.Errorf("the proxy is asked for %q with %q", got, p.auth)
		}
		_, err = g.DialContext(t.Context(), "tcp", "inside.example.com:443")
		refusedAs(t, err, KindAddress)
		_, err = g.DialContext(t.Context(), "tcp", "denied.example.com:443")
		if err == nil || err.Error() != "through the proxy example.com:3128: answered 407 Proxy Authentication Required" {
			t.Errorf("error = %v, want the proxy's status", err)
		}
		if got := p.asks(); len(got) != 1 {
			t.Errorf("the proxy is asked for %q, want the public one alone", got)
		}
	}
}

// What connects to proxies connects to nothing else: it judges no address.
func TestOnlyProxiesAreDialledUnjudged(t *testing.T) {
	w := newWorld(t, ok)
	g := newRecorder(t, w, false).guard(t, &httpproxy.Config{HTTPSProxy: "http://proxy.corp.example:3128"})
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"10.0.0.4:80", "proxy.corp.example:80", "a.example.com:443", proxyAddr + ":3128"} {
		if _, err := g.dialProxy(t.Context(), "tcp", addr); err == nil || err.Error() != addr+" is no proxy" {
			t.Errorf("%s: error = %v", addr, err)
		}
	}
	if d := w.dials(); d != nil {
		t.Errorf("dialed %v", d)
	}
}

// A proxy that is silent, or says too much, holds nobody up.
func TestTunnelsThatFail(t *testing.T) {
	for _, tt := range []struct {
		name, answer, want string
	}{
		{"more than it was asked", "HTTP/1.1 200 OK\r\n\r\nSSH-2.0", "sent bytes that nobody asked for"},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n", "malformed HTTP"},
		{"an endless header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", headerBytes) + "\r\n\r\n", "unexpected EOF"},
		{"the end", "", "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, func(conn net.Conn) {
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, tt.answer)
			})
			g := &Guard{Resolver: newWorld(t, ok), Dial: dialTo(addr), Proxy: &httpproxy.Config{HTTPSProxy: "proxy.corp.example.com:3128"}}
			_, err := g.DialContext(t.Context(), "tcp", "a.example.com:443")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		addr := serve(t, func(conn net.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			cancel(fmt.Errorf("enough"))
			_, _ = io.Copy(io.Discard, conn)
		})
		g := &Guard{Resolver: newWorld(t, ok), Dial: dialTo(addr), Proxy: &httpproxy.Config{HTTPSProxy: "proxy.corp.example.com:3128"}}
		_, err := g.DialContext(ctx, "tcp", "a.example.com:443")
		if err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("error = %v, want the context's cause", err)
		}
	})
}

// socks is a SOCKS 5 proxy (RFC 1928) that leads to one server.
func socks(t *testing.T, to string, asked chan<- string) string {
	return serve(t, func(conn net.Conn) {
		head := make([]byte, 2)
		_, _ = io.ReadFull(conn, head)
		_, _ = io.ReadFull(conn, make([]byte, head[1]))
		_, _ = conn.Write([]byte{5, 0})
		req := make([]byte, 5)
		_, _ = io.ReadFull(conn, req)
		rest := make([]byte, int(req[4])+2)
		_, _ = io.ReadFull(conn, rest)
		asked <- fmt.Sprintf("%d %s", req[3], rest[:req[4]]) // 3 is a name
		_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		up, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer up.Close()
		go func() { _, _ = io.Copy(up, conn) }()
		_, _ = io.Copy(conn, up)
	})
}

func TestSocks(t *testing.T) {
	w := newWorld(t, ok)
	asked := make(chan string, 2)
	g := w.guard(t)
	g.Proxy = &httpproxy.Config{HTTPSProxy: "socks5://proxy.corp.example.com"}
	g.Dial = dialTo(socks(t, w.secure.Listener.Addr().String(), asked))
	res, _, err := get(t, g, "https://a.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	conn, err := g.DialContext(t.Context(), "tcp", "b.example.com:443")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := tls.Client(conn, g.TLSFor("b.example.com:443")).HandshakeContext(t.Context()); err != nil {
		t.Error(err)
	}
	if a, b := <-asked, <-asked; a != "3 a.example.com" || b != "3 b.example.com" {
		t.Errorf("the proxy is asked for %q and %q, want the names", a, b)
	}
}

func TestProxiesThatCannotBeRead(t *testing.T) {
	g := &Guard{Proxy: &httpproxy.Config{HTTPSProxy: "ftp://me:geheim@proxy.example"}}
	if err := g.Validate(); err == nil || err.Error() != "HTTPS_PROXY: want http://, https:// or socks5:// and a host" {
		t.Errorf("Validate() = %v", err)
	}
	if !netip.MustParseAddr(proxyAddr).IsPrivate() {
		t.Error("these tests mean a private proxy")
	}
}
