package netguard

import (
	"net"
	"net/http"
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		named, get string
		dialed     string // "": refused
	}{
		{"http://localhost:9000/card.json", "http://localhost:9000/other", "127.0.0.1:9000"},
		{"http://LOCALHOST.:9000", "http://localhost:9000/", "127.0.0.1:9000"},
		{"http://agent.localhost:9000", "http://agent.localhost:9000/", "127.0.0.1:9000"},
		{"http://127.0.0.1:9000", "http://127.0.0.1:9000/", "127.0.0.1:9000"},
		{"http://127.8.9.1:9000", "http://127.8.9.1:9000/", "127.8.9.1:9000"},
		{"http://[::1]:9000", "http://[::1]:9000/", "[::1]:9000"},
		{"http://localhost", "http://localhost:80/", "127.0.0.1:80"},

		{"http://localhost:9000", "http://localhost:9001/", "127.0.0.1:9001"}, // as a redirect may ask
		{"http://127.0.0.1:9000", "http://127.0.0.1:9001/", "127.0.0.1:9001"},
		{"http://localhost:9000", "http://127.0.0.1:9000/", ""},
		{"http://localhost:9000", "http://a.localhost:9000/", ""},
		{"http://127.0.0.1:9000", "http://127.0.0.2:9000/", ""},
		{"http://127.0.0.1:9000", "http://10.0.0.4:9000/", ""},
		{"http://10.0.0.4:9000", "http://10.0.0.4:9000/", ""},
		{"http://0.0.0.0:9000", "http://0.0.0.0:9000/", ""},
		{"http://loopback.example.com:9000", "http://loopback.example.com:9000/", ""},
		{"http://localhost.example.com:9000", "http://localhost.example.com:9000/", ""},
		{"http://2130706433:9000", "http://127.0.0.1:9000/", ""},
		{"http://%zz", "http://127.0.0.1:9000/", ""},
	} {
		w := newWorld(t, ok)
		w.names["localhost"] = []string{"10.0.0.4"} // never asked
		w.names["agent.localhost"] = []string{public}
		w.names["loopback.example.com"] = []string{"127.0.0.1"}
		g := w.guard(t)
		_, _, err := get(t, g.Named(tt.named), tt.get, nil)
		var want []string
		if tt.dialed != "" {
			want = []string{tt.dialed}
		}
		if got := w.dials(); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("named %s, get %s: dialed %v, %v, want %v", tt.named, tt.get, got, err, want)
		}
		if _, _, err := get(t, g, tt.get, nil); err == nil {
			t.Errorf("named %s: the guard itself reached %s", tt.named, tt.get)
		}
	}
}

func TestNamedGuardsAreShared(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	if g.Named("https://h.example.com/") != g {
		t.Error("a host outside loopback makes another guard")
	}
	a, b := g.Named("http://localhost:9000/a"), g.Named("http://localhost:9000/b")
	if a != b || a == g {
		t.Error("want one guard for one host")
	}
	if a.Named("http://localhost:9000/") != a {
		t.Error("naming what is named makes another guard")
	}
	both := a.Named("http://127.0.0.1:9001/")
	for _, u := range []string{"http://localhost:9000/", "http://127.0.0.1:9001/"} {
		if _, _, err := get(t, both, u, nil); err != nil {
			t.Errorf("%s through a guard named twice: %v", u, err)
		}
	}
}

// A connection that was opened by leave of a name is not at hand for requests
// without that leave.
func TestNamedConnectionsAreKeptApart(t *testing.T) {
	w := newWorld(t, ok)
	g := w.guard(t)
	g.TLS.ServerName = "example.com"
	if _, _, err := get(t, g.Named("https://localhost:8443/"), "https://localhost:8443/", nil); err != nil {
		t.Fatal(err)
	}
	_, _, err := get(t, g, "https://localhost:8443/", nil)
	refusedAs(t, err, KindAddress)
	req, _ := http.NewRequest(http.MethodGet, "https://localhost:8443/", nil)
	_, err = g.Transport().RoundTrip(req)
	refusedAs(t, err, KindAddress)
}

func TestNamedReachesARealServer(t *testing.T) {
	w := newWorld(t, ok)
	var g Guard
	t.Cleanup(g.CloseIdle)
	_, port, _ := net.SplitHostPort(w.plain.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "a2alock.localhost"} {
		u := "http://" + net.JoinHostPort(host, port) + "/"
		if res, _, err := get(t, g.Named(u), u, nil); err != nil || res.StatusCode != 200 {
			t.Errorf("GET %s = %v, %v", u, res, err)
		}
	}
}
