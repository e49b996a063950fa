package netguard

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// certified is a new certificate for a name, which is its own root.
func certified(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func writePEM(t *testing.T, path string, cert *tls.Certificate) {
	t.Helper()
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
}

func dialTo(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
}

// A door is a TLS server that asks for certificates, and says whose it saw and
// on how many connections.
type door struct {
	*httptest.Server
	mu    sync.Mutex
	conns map[string]string // who first came on it, by remote address
}

func newDoor(t *testing.T, cert *tls.Certificate) *door {
	t.Helper()
	d := &door{conns: map[string]string{}}
	d.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		// Whom the caller says it is comes in a header.
		d.mu.Lock()
		if d.conns[r.RemoteAddr] == "" {
			d.conns[r.RemoteAddr] = r.Header.Get("X-As")
		}
		if first := d.conns[r.RemoteAddr]; first != r.Header.Get("X-As") {
			who += " on a connection of " + first
		}
		d.mu.Unlock()
		_, _ = io.WriteString(w, who)
	}))
	d.EnableHTTP2 = true
	d.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, Certificates: []tls.Certificate{*cert}}
	d.Config.ErrorLog = quiet
	d.StartTLS()
	t.Cleanup(d.Close)
	return d
}

// says is what the server at rawURL answers to g.
func says(t *testing.T, g *Guard, rawURL, as string) string {
	t.Helper()
	res, _, err := get(t, g, rawURL, http.Header{"X-As": {as}})
	if err != nil {
		return err.Error()
	}
	data, _ := io.ReadAll(res.Body)
	res.Body.Close()
	return string(data)
}

func TestIdentities(t *testing.T) {
	cert := certified(t, "a.example.com")
	d := newDoor(t, cert)
	file := filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, file, cert)
	g := &Guard{
		Resolver: newWorld(t, ok), Dial: dialTo(d.Listener.Addr().String()), IdlePerHost: 4,
		CAFiles: map[string]string{"https://A.example.com": file, "https://a.example.com:8443": file},
	}
	t.Cleanup(g.CloseIdle)
	shown := func(name string) func() (*tls.Certificate, error) {
		c := certified(t, name)
		return func() (*tls.Certificate, error) { return c, nil }
	}
	one := Identity{Name: "one", Origins: []string{"https://a.example.com"}, Certificate: shown("one")}
	two := Identity{Name: "two", Origins: []string{"https://A.example.com.:443/"}, Certificate: shown("two")}
	bare := Identity{Name: "bare"}
	for range 3 {
		for _, tt := range []struct {
			as   Identity
			url  string
			want string
		}{
			{one, "https://a.example.com/", "one"},
			{two, "https://a.example.com/", "two"},
			{Identity{}, "https://a.example.com/", "nobody"},
			{bare, "https://a.example.com/", "nobody"},
			{one, "https://a.example.com:8443/", "nobody"}, // another origin
			{two, "https://A.EXAMPLE.com./", "two"},
		} {
			if got := says(t, g.As(tt.as), tt.url, tt.as.Name); got != tt.want {
				t.Errorf("%s as %q: the server saw %q, want %q", tt.url, tt.as.Name, got, tt.want)
			}
			named := g.As(tt.as).Named("http://localhost:1/")
			if got := says(t, named, tt.url, tt.as.Name); got != tt.want {
				t.Errorf("%s as %q, named: the server saw %q, want %q", tt.url, tt.as.Name, got, tt.want)
			}
		}
	}
	if g.As(one) != g.As(Identity{Name: "one"}) || g.As(one) == g.As(two) || g.As(Identity{}) != g {
		t.Error("want one guard for one name")
	}
}

// A certificate is for the server that an operator named, wherever a redirect
// leads.
func TestCertificatesDoNotFollowRedirects(t *testing.T) {
	cert := certified(t, "a.example.com")
	d := newDoor(t, cert)
	w := newWorld(t, redirects(307, "https://a.example.com:8443/end"))
	file := filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, file, cert)
	g := w.guard(t)
	g.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasSuffix(addr, ":8443") {
			return dialTo(d.Listener.Addr().String())(ctx, network, addr)
		}
		return w.dial(ctx, network, addr)
	}
	g.CAFiles = map[string]string{"https://a.example.com:8443": file}
	id := Identity{Name: "one", Origins: []string{"https://a.example.com"}, Certificate: func() (*tls.Certificate, error) { return cert, nil }}
	if got := says(t, g.As(id), "https://a.example.com/0", ""); got != "nobody" {
		t.Errorf("the server saw %q, want nobody", got)
	}
}

func TestCAFiles(t *testing.T) {
	dir := t.TempDir()
	old, now := certified(t, "a.example.com"), certified(t, "a.example.com")
	file := filepath.Join(dir, "ca.pem")
	writePEM(t, file, now)
	w := newWorld(t, ok)
	d := newDoor(t, old)
	g := w.guard(t) // trusts the world's server
	g.Dial = dialTo(d.Listener.Addr().String())
	g.CAFiles = map[string]string{"https://a.example.com": file, "https://gone.example.com": filepath.Join(dir, "none.pem")}

	step := func(url, want string) {
		t.Helper()
		if got := says(t, g, url, ""); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", url, got, want)
		}
	}
	step("https://a.example.com/", "certificate")
	writePEM(t, file, old)
	step("https://a.example.com/", "nobody")
	writePEM(t, file, now) // the connection that is open was trusted by the old roots
	step("https://a.example.com/", "certificate")
	step("https://gone.example.com/", "ca_file: stat "+filepath.Join(dir, "none.pem"))
	if err := os.WriteFile(file, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	step("https://a.example.com/", "ca_file: "+file+": no certificate in PEM form")
	if err := os.Truncate(file, maxRoots+1); err != nil {
		t.Fatal(err)
	}
	step("https://a.example.com/", "ca_file: "+file+": over 4194304 bytes")
	_, err := g.DialContext(t.Context(), "tcp", "gone.example.com:443")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("DialContext = %v, want that the file is missing", err)
	}
	if conf := g.TLSFor("gone.example.com:443"); conf.RootCAs == nil || !conf.RootCAs.Equal(x509.NewCertPool()) {
		t.Error("TLSFor trusts somebody although its roots cannot be read")
	}
	// Another origin knows nothing of these roots, nor this one of the system's.
	writePEM(t, file, old)
	step("https://b.example.com/", "certificate")
	g.Dial = w.dial
	own := w.guard(t)
	own.CAFiles = map[string]string{"https://a.example.com": file}
	if got := says(t, own, "https://a.example.com/", ""); !strings.Contains(got, "certificate") {
		t.Errorf("a server of the guard's own roots: %q, want that it is not trusted", got)
	}
}

func TestTLSConfigs(t *testing.T) {
	cert := certified(t, "a.example.com")
	id := Identity{Name: "one", Origins: []string{"https://a.example.com"}, Certificate: func() (*tls.Certificate, error) { return cert, nil }}
	g := (&Guard{TLS: &tls.Config{MinVersion: tls.VersionTLS10}}).As(id)
	for addr, want := range map[string]bool{"a.example.com:443": true, "A.example.com:443": true, "a.example.com:8443": false, "b.example.com:443": false} {
		conf := g.TLSFor(addr)
		if got := conf.GetClientCertificate != nil; got != want || conf.MinVersion != tls.VersionTLS12 {
			t.Errorf("TLSFor(%s): certificate %v, TLS %x, want %v and 1.2", addr, got, conf.MinVersion, want)
		}
	}
}

func TestParseOrigin(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"https://A.example", "https://a.example:443"},
		{"https://a.example./", "https://a.example:443"},
		{"https://münchen.example:8443", "https://xn--mnchen-3ya.example:8443"},
		{"http://localhost:9000", "http://localhost:9000"},
		{"HTTPS://[::1]", "https://[::1]:443"},
		{"https://a.example/x", ""},
		{"https://a.example?", ""},
		{"https://a.example?x=1", ""},
		{"https://a.example#x", ""},
		{"https://me:geheim@a.example", ""},
		{"https://geheim@a.example", ""},
		{"https://a.example:port", ""},
		{"https://2130706433", ""},
		{"https:a.example", ""},
		{"ftp://a.example", ""},
		{"a.example", ""},
		{"https://*.example", ""},
		{"", ""},
	} {
		got, err := ParseOrigin(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("ParseOrigin(%q) = %q, %v, want %q", tt.text, got, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("ParseOrigin(%q): the error shows the password: %v", tt.text, err)
		}
	}
}

func TestValidateNamesFaultsOfTLS(t *testing.T) {
	g := &Guard{CAFiles: map[string]string{"https://a.example": "x", "https://A.example:443": "y", "http://b.example": "z", "c.example": "z"}}
	lines := strings.Split(g.Validate().Error(), "\n")
	want := []string{
		`ca_file: origin "c.example": no http or https URL: want https://HOST or https://HOST:PORT`,
		`ca_file: origin "http://b.example": plain http has no certificates`,
		`ca_file: "https://a.example": two files for one origin`,
	}
	slices.Sort(want)
	slices.Sort(lines)
	if !slices.Equal(lines, want) {
		t.Errorf("Validate() =\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
