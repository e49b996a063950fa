package netguard

import (
	"crypto/tls"
	"slices"
	"testing"
)

func TestDialContext(t *testing.T) {
	w := newWorld(t, ok)
	w.names["inside.example.com"] = []string{"10.0.0.4"}
	g := w.guard(t)
	for _, addr := range []string{"inside.example.com:443", "127.0.0.1:443", "localhost:443"} {
		_, err := g.DialContext(t.Context(), "tcp", addr)
		refusedAs(t, err, KindAddress)
	}
	if d := w.dials(); d != nil {
		t.Errorf("dialed %v, want nothing", d)
	}
	c, err := g.DialContext(t.Context(), "tcp", "agent.example.com:50051")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if d := w.dials(); !slices.Equal(d, []string{public + ":50051"}) {
		t.Errorf("dialed %v, want the judged address", d)
	}
}

func TestTLSFor(t *testing.T) {
	g := &Guard{TLS: &tls.Config{MinVersion: tls.VersionTLS10}}
	conf := g.TLSFor("agent.example.com:443")
	if conf.MinVersion != tls.VersionTLS12 || conf.ServerName != "agent.example.com" {
		t.Errorf("TLSFor = TLS %x for %q, want 1.2 for the host", conf.MinVersion, conf.ServerName)
	}
	if g.TLS.ServerName != "" {
		t.Error("the guard's own configuration was changed")
	}
	if conf := new(Guard).TLSFor("[::1]:443"); conf.ServerName != "::1" {
		t.Errorf("ServerName = %q, want ::1", conf.ServerName)
	}
}
