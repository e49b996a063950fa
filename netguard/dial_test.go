package netguard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2alock/a2alock/internal/address"
)

func ok(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("{}")) }

func TestDialJudgesWhatTheNameLeadsTo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		addrs  []string
		allow  []string
		dialed []string // none: refused
	}{
		{"public", []string{public}, nil, []string{public}},
		{"private", []string{"10.0.0.4"}, nil, nil},
		{"private, allowed", []string{"10.0.0.4"}, []string{"10.0.0.0/8"}, []string{"10.0.0.4"}},
		{"private by host", []string{"10.0.0.4"}, []string{"cards.example.com:443"}, []string{"10.0.0.4"}},
		{"public and private", []string{"10.0.0.4", public, "127.0.0.1"}, nil, []string{public}},
		{"the public one is down", []string{"10.0.0.4", public2}, nil, []string{public2}},
		{"the next public one", []string{public2, "10.0.0.4", public}, nil, []string{public2, public}},
		{"metadata", []string{"169.254.169.254"}, []string{"cards.example.com"}, nil},
		{"IPv4-mapped", []string{"::ffff:10.0.0.4"}, nil, nil},
		{"IPv4-mapped, allowed", []string{"::ffff:10.0.0.4"}, []string{"10.0.0.4"}, []string{"10.0.0.4"}},
		{"NAT64", []string{"64:ff9b::a00:4"}, nil, nil},
		{"6to4", []string{"2002:a00:4::1"}, nil, nil},
		{"all special", []string{"127.0.0.1", "::1", "fe80::1", "0.0.0.0"}, nil, nil},
		{
			"many addresses",
			slices.Repeat([]string{public2}, 50), nil,
			[]string{public2, public2, public2, public2},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, ok)
			w.names["cards.example.com"] = tt.addrs
			g := w.guard(t)
			g.Allow = tt.allow
			_, _, err := get(t, g, "https://cards.example.com/card.json", nil)
			var want []string
			for _, a := range tt.dialed {
				want = append(want, net.JoinHostPort(a, "443"))
			}
			if got := w.dials(); !slices.Equal(got, want) {
				t.Errorf("dialed %v, want %v (error %v)", got, want, err)
			}
			if tt.dialed != nil {
				return
			}
			r := refusedAs(t, err, KindAddress)
			if r.URL != "https://cards.example.com/card.json" || r.Redirected {
				t.Errorf("refusal = %+v, want the URL as asked, and not redirected", r)
			}
			if want := "refused: cards.example.com leads to " + r.Addr.String() + ", " + string(address.Special(r.Addr)); err.Error() != want {
				t.Errorf("error = %q, want %q", err, want)
			}
		})
	}
}

// An answer that changes between two look-ups gains nothing: there is one
// look-up for each connection, and its answer is what is dialled.
func TestDialResolvesOnce(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	flip := &rebinding{}
	g.Resolver = flip
	res, _, err := get(t, g, "https://cards.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close() // so that its connection is idle
	if n, d := flip.n.Load(), w.dials(); n != 1 || !slices.Equal(d, []string{public + ":443"}) {
		t.Errorf("%d look-ups, dialed %v; want 1 and the address that was judged", n, d)
	}
	g.CloseIdle()
	_, _, err = get(t, g, "https://cards.example.com/", nil)
	refusedAs(t, err, KindAddress)
	if d := w.dials(); d != nil {
		t.Errorf("dialed %v after the answer changed", d)
	}
}

// A rebinding name is public the first time and loopback from then on.
type rebinding struct{ n atomic.Int32 }

func (r *rebinding) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if r.n.Add(1) == 1 {
		return []netip.Addr{netip.MustParseAddr(public)}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func TestLiteralsAreJudgedBeforeTheDial(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	g.HTTP = []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "::1"}
	for _, u := range []string{
		"https://127.0.0.1/", "https://[::1]/", "https://localhost:8443/", "https://a.b.LOCALHOST./",
		"https://[::ffff:10.0.0.1]/", "https://10.0.0.1:8443/", "http://169.254.169.254/latest/meta-data",
		"http://[::1]:9000/", "https://0.0.0.0/", "https://[fd00:ec2::254]/", "https://[64:ff9b::10.0.0.1]/",
		"https://127。0。0。1/",
	} {
		_, _, err := get(t, g, u, nil)
		r := refusedAs(t, err, KindAddress)
		if r.URL == "" || r.Host == "" || r.Port == 0 {
			t.Errorf("%s: refusal %+v does not say what to allow", u, r)
		}
	}
	if d, asked := w.dials(), w.asked; d != nil || asked != nil {
		t.Errorf("dialed %v, asked for %v; want nothing", d, asked)
	}
}

func TestNumbersAreNoHosts(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	for _, u := range []string{
		"https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1:8443/", "http://0x7f000001/",
	} {
		_, _, err := get(t, g, u, nil)
		refusedAs(t, err, KindURL)
		if !strings.Contains(err.Error(), "four decimal numbers") {
			t.Errorf("%s: %v, want it to say how an address is written", u, err)
		}
	}
	if w.asked != nil || w.dials() != nil {
		t.Error("a look-up or a dial happened")
	}
}

func TestURLsThatAreRefused(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	for _, tt := range []struct {
		url  string
		kind Kind
		want string
	}{
		{"file:///etc/passwd", KindURL, `refused: scheme "file" is not https`},
		{"htp://h.example.com/c.json", KindURL, `refused: scheme "htp" is not https`},
		{"gopher://h.example.com/", KindURL, `refused: scheme "gopher" is not https`},
		{"//h.example.com/", KindURL, `refused: scheme "" is not https`},
		{"https:h.example.com", KindURL, "refused: no host"},
		{"https:///card.json", KindURL, "refused: no host"},
		{"https://user:geheim@h.example.com/", KindURL, "refused: a URL carries no user name or password"},
		{"https://user@h.example.com/", KindURL, "refused: a URL carries no user name or password"},
		{"https://h.example.com:0/", KindURL, `refused: port "0" is not between 1 and 65535`},
		{"https://h.example.com:99999/", KindURL, `refused: port "99999" is not between 1 and 65535`},
		{"https://[fe80::1%25eth0]/", KindURL, `refused: host "fe80::1%eth0": an address with a zone means another place on each machine`},
		{"http://h.example.com/", KindPlain, "refused: plain http to h.example.com is not allowed"},
	} {
		_, _, err := get(t, g, tt.url, nil)
		refusedAs(t, err, tt.kind)
		if err.Error() != tt.want {
			t.Errorf("%s: error = %q, want %q", tt.url, err, tt.want)
		}
	}
	if d := w.dials(); d != nil {
		t.Errorf("dialed %v", d)
	}
}

func TestPlainHTTPWhereListed(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	g.HTTP = []string{"Plain.example.com"}
	res, _, err := get(t, g, "http://plain.EXAMPLE.com:8080/x", nil)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("listed host = %v, %v", res, err)
	}
	if got := w.requests()[0].Host; got != "plain.example.com:8080" {
		t.Errorf("Host = %q, want it in one spelling", got)
	}
	// Listed for http is not allowed at a private address.
	w.names["plain.example.com"] = []string{"10.0.0.4"}
	g.CloseIdle()
	_, _, err = get(t, g, "http://plain.example.com:8080/x", nil)
	refusedAs(t, err, KindAddress)
}

func TestPathAndQueryGoOutAsWritten(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	for _, path := range []string{"/a%2Fb/card.json", "/x//y/../z.json?b=2&a=1&a=%7e", "/card?", "/%41"} {
		if _, _, err := get(t, g, "https://h.example.com"+path, nil); err != nil {
			t.Fatal(err)
		}
		seen := w.requests()
		if got := seen[len(seen)-1].RequestURI; got != path {
			t.Errorf("asked for %q, want %q", got, path)
		}
	}
}

func TestTransport(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	g.TLS.MinVersion = tls.VersionTLS10
	tr := g.Transport()
	conf, err := g.TLSConfig("https://h.example.com:443")
	if err != nil || conf.MinVersion != tls.VersionTLS12 || g.TLS.MinVersion != tls.VersionTLS10 {
		t.Errorf("TLSConfig = %v, %v, want TLS 1.2 at least, and the caller's configuration untouched", conf, err)
	}
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
	res, _, err := get(t, g, "https://h.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.ProtoMajor != 2 {
		t.Errorf("protocol = %s, want HTTP/2", res.Proto)
	}
	if d := w.dials(); !slices.Equal(d, []string{public + ":443"}) {
		t.Errorf("dialed %v, want no proxy", d)
	}
	// The transport alone judges addresses, too.
	req, _ := http.NewRequest(http.MethodGet, "http://127.0.0.1:9000/", nil)
	_, err = tr.RoundTrip(req)
	refusedAs(t, err, KindAddress)
}

func TestOldTLSIsRefused(t *testing.T) {
	w := newWorld(t, ok)
	old := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = quiet
	old.StartTLS()
	defer old.Close()
	g := w.guard(t)
	g.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, old.Listener.Addr().String())
	}
	if _, _, err := get(t, g, "https://h.example.com/", nil); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("error = %v, want one about the protocol version", err)
	}
}

func TestUnknownCertificateIsRefused(t *testing.T) {
	w := newWorld(t, ok)
	w.secure.Config.ErrorLog = quiet
	g := w.guard(t)
	g.TLS = nil
	if _, _, err := get(t, g, "https://h.example.com/", nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error = %v, want one about the certificate", err)
	}
}

func TestEndlessHeaderIsRefused(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		conn, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
		line := append(append([]byte("X-Endless: "), bytes.Repeat([]byte("a"), 4000)...), "\r\n"...)
		for {
			if _, err := conn.Write(line); err != nil {
				return
			}
		}
	})
	g := w.guard(t)
	g.HTTP = []string{"h.example.com"}
	if _, _, err := get(t, g, "http://h.example.com/", nil); err == nil || !strings.Contains(err.Error(), "headers exceeded 65536 bytes") {
		t.Errorf("error = %v, want that the headers are too long", err)
	}
}

func TestNoSuchHost(t *testing.T) {
	w := newWorld(t, ok)
	_, _, err := get(t, w.guard(t), "https://nowhere.example.org/", nil)
	if e, ok := errors.AsType[*net.DNSError](err); !ok || !e.IsNotFound {
		t.Errorf("error = %v, want a DNS error", err)
	}
}
