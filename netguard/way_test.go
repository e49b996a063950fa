package netguard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// send is one GET that is read to its end.
func send(t *testing.T, g *Guard, rawURL string, way Way) ([]Hop, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, rawURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Key", "geheim")
	res, hops, err := g.Send(t.Context(), req, way)
	if err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	return hops, err
}

func TestEachIsAskedBeforeEachRequest(t *testing.T) {
	chain := []string{"/1", "https://b.example.com/2", "https://a.example.com/end"}
	w := newWorld(t, redirects(307, chain...))
	var asked []string
	_, err := send(t, w.guard(t), "https://A.example.com/0", Way{Each: func(req *http.Request, offsite bool) error {
		asked = append(asked, fmt.Sprint(req.URL, " ", offsite, " ", slices.Sorted(maps.Keys(req.Header))))
		req.Header.Set("If-None-Match", req.URL.Path)
		req.Header.Set("X-Hop", "1")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"https://a.example.com/0 false [X-Key]", "https://a.example.com/1 false [X-Key]",
		"https://b.example.com/2 true []", "https://a.example.com/end true []",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked\n%q\nwant\n%q", asked, want)
	}
	for _, r := range w.requests() {
		if r.Header.Get("If-None-Match") != r.URL.Path || r.Header.Get("X-Hop") != "1" {
			t.Errorf("%s carries %v", r.URL, r.Header)
		}
	}
}

func TestEachEndsTheWay(t *testing.T) {
	w := newWorld(t, redirects(307, "/1", "/2"))
	stop := errors.New("stop")
	hops, err := send(t, w.guard(t), "https://a.example.com/0", Way{Each: func(req *http.Request, _ bool) error {
		if req.URL.Path == "/1" {
			return stop
		}
		return nil
	}})
	if err != stop || len(hops) != 1 || len(w.requests()) != 1 {
		t.Errorf("error = %v after %d hops and %d requests, want %v after one", err, len(hops), len(w.requests()), stop)
	}
}

func TestFreshAndAvoid(t *testing.T) {
	w := newWorld(t, ok)
	w.names["two.example.com"] = []string{public, "93.184.215.16"}
	w.names["many.example.com"] = []string{public, "10.0.0.4", "93.184.215.16", "93.184.215.17", "93.184.215.18", "93.184.215.19"}
	g := w.guard(t)
	first := netip.MustParseAddr(public)
	for _, tt := range []struct {
		url  string
		way  Way
		want []string
	}{
		{"https://two.example.com/", Way{}, []string{public + ":443"}},
		{"https://two.example.com/", Way{}, nil},
		{"https://two.example.com/", Way{Fresh: true}, []string{public + ":443"}},
		{"https://two.example.com/", Way{Fresh: true, Avoid: first}, []string{"93.184.215.16:443"}},
		{"https://two.example.com/", Way{Fresh: true, Avoid: netip.MustParseAddr("::ffff:" + public)}, []string{"93.184.215.16:443"}},
		{"https://two.example.com/", Way{Fresh: true, Avoid: netip.MustParseAddr("192.0.2.1")}, []string{public + ":443"}},
		{"https://two.example.com/", Way{Avoid: first}, nil},
		{"https://many.example.com/", Way{Fresh: true, Avoid: first}, []string{"93.184.215.16:443"}},
		{"https://one.example.com/", Way{Fresh: true, Avoid: first}, []string{public + ":443"}},
	} {
		if _, err := send(t, g, tt.url, tt.way); err != nil {
			t.Fatal(err)
		}
		if got := w.dials(); !slices.Equal(got, tt.want) {
			t.Errorf("%s by %+v dialled %v, want %v", tt.url, tt.way, got, tt.want)
		}
	}
}

// The address of a connection is the judged one, wherever Dial led.
func TestConnectionsTellTheirAddress(t *testing.T) {
	w := newWorld(t, ok)
	var addr string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { addr = info.Conn.RemoteAddr().String() },
	})
	req, _ := http.NewRequest(http.MethodGet, "https://a.example.com/", nil)
	res, _, err := w.guard(t).Do(ctx, req)
	if err != nil || addr != public+":443" {
		t.Fatalf("connected to %s, %v", addr, err)
	}
	res.Body.Close()
}

func TestConnectionsSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		c := &conn{Conn: ours}
		settles := func(want time.Duration) {
			t.Helper()
			begin := time.Now()
			c.settle(t.Context())
			if got := time.Since(begin); got != want {
				t.Errorf("settled after %s, want %s", got, want)
			}
		}
		settles(0)
		go func() { _, _ = theirs.Write([]byte("x")) }()
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(settleTime / 4)
		settles(settleTime * 3 / 4)
		settles(0)
	})
}

// However many hosts there are, few connections are kept.
func TestIdleConnections(t *testing.T) {
	for _, tt := range []struct {
		hosts, perHost int
		most           int32
	}{
		{3 * maxIdle, 0, maxIdle},
		{8, 1, 8},
		{8, 0, 8 * idlePerHost},
	} {
		var now atomic.Int32
		gather := make(chan struct{})
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-gather
			ok(w, r)
		}))
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				now.Add(1)
			case http.StateClosed:
				now.Add(-1)
			}
		}
		server.Start()
		defer server.Close()
		g := &Guard{IdlePerHost: tt.perHost, Resolver: newWorld(t, ok), Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}}
		for i := range tt.hosts {
			g.HTTP = append(g.HTTP, fmt.Sprintf("h%d.example.com", i))
		}
		var wg sync.WaitGroup
		for _, host := range g.HTTP {
			for range 3 { // at once
				wg.Go(func() {
					if _, err := send(t, g, "http://"+host+"/", Way{}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		waitFor(t, func() bool { return now.Load() == int32(3*tt.hosts) })
		close(gather)
		wg.Wait()
		waitFor(t, func() bool { return now.Load() <= tt.most })
		if now.Load() == 0 {
			t.Error("no connection is kept")
		}
		g.CloseIdle()
		waitFor(t, func() bool { return now.Load() == 0 })
	}
}

func TestNamedGuardsKeepAsFew(t *testing.T) {
	g := (&Guard{IdlePerHost: 1}).Named("http://localhost:1/").As(Identity{Name: "a"})
	l, err := g.lane("http://localhost:1", false, false)
	if err != nil || l.MaxIdleConnsPerHost != 1 {
		t.Errorf("%d connections are kept, %v, want 1", l.MaxIdleConnsPerHost, err)
	}
}

// waitFor fails the test when cond does not hold within a minute.
func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}
