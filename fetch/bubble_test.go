package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/netguard"
)

// A pipe is a network inside a bubble of synctest: every host of example.com
// is one server, over plain HTTP.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
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

// bubble runs test in a bubble of its own, where handler answers the client.
func bubble(t *testing.T, handler http.HandlerFunc, test func(*testing.T, *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{conns: make(chan net.Conn), done: make(chan struct{})}
		s := &http.Server{Handler: handler}
		go func() { _ = s.Serve(p) }()
		c := p.client()
		test(t, c)
		c.Guard.CloseIdle()
		close(p.done)
		_ = s.Close()
	})
}

func (p *pipe) client() *Client {
	return &Client{Guard: &netguard.Guard{
		HTTP: []string{"a.example.com", "b.example.com"}, Resolver: names{},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			select {
			case p.conns <- theirs:
				return ours, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}}
}

func TestConcurrentRefreshesAreOne(t *testing.T) {
	var asked atomic.Int32
	var release chan struct{} // of the bubble
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		answer{body: fmt.Sprint(n, conditions(r))}.write(w)
	}, func(t *testing.T, c *Client) {
		const u = "http://a.example.com/card.json"
		c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal("x")}, "https://elsewhere.example.com")
		release = make(chan struct{}, 10)
		got := map[string]string{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		refresh := func(ctx context.Context, name string, r Request) {
			r.URL = u
			wg.Go(func() {
				a, err := c.Refresh(ctx, r)
				mu.Lock()
				defer mu.Unlock()
				if got[name] = outcome(a, err); err != nil {
					got[name] = err.Error()
				}
			})
			synctest.Wait()
		}
		short, cancel := context.WithCancelCause(t.Context())
		refresh(short, "first", Request{})
		refresh(t.Context(), "second", Request{})
		refresh(t.Context(), "other", Request{Identity: "partner"})
		refresh(t.Context(), "audit", Request{Unconditional: true})
		refresh(t.Context(), "confirm", Request{Unconditional: true, Fresh: true})
		refresh(t.Context(), "third", Request{})
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times, want once for each identity", n)
		}
		// Who began the request leaves, and it goes on for the others.
		cancel(errors.New("enough"))
		synctest.Wait()
		for range 4 {
			release <- struct{}{}
			synctest.Wait()
		}
		wg.Wait()
		// The audit and the confirmation waited for it to end, in some order.
		audit, confirm := got["audit"], got["confirm"]
		delete(got, "audit")
		delete(got, "confirm")
		if audit != "4no-cache" && audit != "3no-cache" || confirm != "4no-cache" && confirm != "3no-cache" {
			t.Errorf("audit %s, confirm %s, want them of a request after the first", audit, confirm)
		}
		want := map[string]string{"first": u + ": enough", "second": "1", "third": "1", "other": "2"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if len(c.flights) != 0 {
			t.Errorf("%d flights are left", len(c.flights))
		}
	})
}

func TestNobodyWaitsAnyMore(t *testing.T) {
	var ended chan struct{} // of the bubble
	bubble(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		ended <- struct{}{}
	}, func(t *testing.T, c *Client) {
		ended = make(chan struct{}, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Refresh(ctx, Request{URL: "http://a.example.com/"})
		if !errors.Is(err, context.DeadlineExceeded) || len(c.flights) != 0 {
			t.Errorf("error = %v with %d flights left", err, len(c.flights))
		}
		<-ended
	})
}

// Who comes while a request ends that nobody waits for gets one of their own.
func TestRefreshAfterNobodyWaits(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		answer{body: "A"}.write(w)
	}, func(t *testing.T, c *Client) {
		const u = "http://a.example.com/card.json"
		slow := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := c.Refresh(ctx, Request{URL: u, Body: func() ([]byte, bool) { <-slow; return nil, false }})
			failed(t, err, Unreachable, u+": context canceled")
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		wg.Go(func() {
			if got := outcome(c.Refresh(t.Context(), Request{URL: u})); got != "A" {
				t.Errorf("the second is told %s", got)
			}
		})
		synctest.Wait()
		close(slow)
		wg.Wait()
	})
}

// A body behind a 304 that comes late finds nobody who waits for it.
func TestLateBytesAfterNotModified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{conns: make(chan net.Conn), done: make(chan struct{})}
		go func() {
			for {
				conn, err := p.Accept()
				if err != nil {
					return
				}
				go lateServer(conn)
			}
		}()
		c := p.client()
		odd := &keeper{t: t, client: c, url: "http://a.example.com/odd"}
		good := &keeper{t: t, client: c, url: "http://a.example.com/good"}
		for i, want := range []string{"{card}", "{card}, not modified"} {
			if got := outcome(odd.refresh(nil)); got != want {
				t.Errorf("refresh %d = %s, want %s", i, got, want)
			}
		}
		if got := outcome(good.refresh(nil)); got != "{good}" {
			t.Errorf("the next agent's answer is %s", got)
		}
		c.Guard.CloseIdle()
		close(p.done)
	})
}

// lateServer is rawServer, but for bytes that follow a 304 after a while.
func lateServer(conn net.Conn) {
	ours, theirs := net.Pipe()
	go rawServer(theirs, "HTTP/1.1 304 Not Modified\r\n\r\n")
	go func() {
		_, _ = io.Copy(ours, conn)
		_ = ours.Close()
	}()
	defer conn.Close()
	buf := make([]byte, 1<<10)
	for {
		n, err := ours.Read(buf)
		if err != nil {
			return
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte(" 304 ")) {
			time.Sleep(5 * time.Millisecond)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{odd}")
		}
	}
}

// Time before a gate is not the server's, and a host that never answers takes
// none from others.
func TestTimeoutsDoNotCountGates(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "b.example.com" {
			<-r.Context().Done()
			return
		}
		time.Sleep(time.Second)
		answer{body: "A"}.write(w)
	}, func(t *testing.T, c *Client) {
		begin := time.Now()
		c.Timeout = 2 * time.Second
		c.Gates = &gate.Gates{Flights: 3, HostFlights: 2, Gap: 5 * time.Second}
		var mu sync.Mutex
		var got []string
		var wg sync.WaitGroup
		for _, u := range []string{
			"http://b.example.com/1", "http://b.example.com/2", "http://b.example.com/3", "http://a.example.com/1", "http://a.example.com/2",
		} {
			wg.Go(func() {
				a, err := c.Refresh(t.Context(), Request{URL: u})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got = append(got, fmt.Sprintf("%s %s: %s", time.Since(begin), u, a.Body))
				} else {
					got = append(got, fmt.Sprintf("%s %s", time.Since(begin), err))
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		slices.Sort(got)
		want := []string{
			"12s http://b.example.com/3: no whole answer within 2s",
			"1s http://a.example.com/1: A",
			"2s http://b.example.com/1: no whole answer within 2s",
			"6s http://a.example.com/2: A",
			"7s http://b.example.com/2: no whole answer within 2s",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
		time.Sleep(time.Minute)
	})
}

// A server sees the end of what we give up later than we do, and is still asked by
// no more at once than it may be.
func TestGivenUpIsStillUnderWay(t *testing.T) {
	const notices = 100 * time.Millisecond
	var now, most, landed atomic.Int32
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		most.Store(max(n, most.Load()))
		<-r.Context().Done()
		time.Sleep(notices)
		now.Add(-1)
	}, func(t *testing.T, c *Client) {
		c.Timeout = 2 * time.Second
		c.Gates = &gate.Gates{Gap: -1, Own: []string{"a.example.com"}}
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				r := Request{URL: fmt.Sprintf("http://a.example.com/%d", i), Landed: func() {
					landed.Add(1)
					if flights, _, _ := c.Gates.Gauges(time.Now()); flights == 0 {
						t.Error("told when the gate was left")
					}
				}}
				_, err := c.Refresh(t.Context(), r)
				failed(t, err, Unreachable, r.URL+": no whole answer within 2s")
			})
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		if most.Load() != gate.DefaultHostFlights || landed.Load() != 6 {
			t.Errorf("the server saw %d at once, want %d; %d landed, want 6", most.Load(), gate.DefaultHostFlights, landed.Load())
		}
		time.Sleep(time.Minute)
	})
}

func TestHopsPassTheGatesOfTheirHosts(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		other := map[string]string{"a.example.com": "b", "b.example.com": "a"}[r.Host]
		if r.URL.Path == "/card.json" {
			time.Sleep(time.Second)
			answer{location: "http://" + other + ".example.com/end"}.write(w)
			return
		}
		answer{body: "A"}.write(w)
	}, func(t *testing.T, c *Client) {
		begin := time.Now()
		c.Gates = &gate.Gates{Flights: 2, HostFlights: 1, Gap: time.Minute}
		var wg sync.WaitGroup
		for _, u := range []string{"http://a.example.com/card.json", "http://b.example.com/card.json"} {
			wg.Go(func() { // two ways that cross
				a, err := c.Refresh(t.Context(), Request{URL: u})
				if got := outcome(a, err); got != "A" || time.Since(begin) != time.Minute {
					t.Errorf("%s after %s, want the answer when the gap is over", got, time.Since(begin))
				}
			})
		}
		wg.Wait()
		c.Gates.PauseURL("http://b.example.com/end", time.Now().Add(time.Hour))
		time.Sleep(time.Minute)
		_, err := c.Refresh(t.Context(), Request{URL: "http://a.example.com/card.json"})
		failed(t, err, Unreachable, "http://a.example.com/card.json (redirected to http://b.example.com/end): not sent: the server asked to be left alone until 2000-01-01T01:01:00Z")
		time.Sleep(time.Hour)
	})
}

// A 429 is about the host, and a 503 about its URL.
func TestServersAreLeftAlone(t *testing.T) {
	asked := map[string]int{}
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		code := map[string]int{"/429": 429, "/503": 503}[r.URL.Path]
		answer{body: "A", status: code, header: map[string]string{"Retry-After": "60"}}.write(w)
	}, func(t *testing.T, c *Client) {
		c.Gates = &gate.Gates{HostFlights: 1, Gap: -1}
		refresh := func(path, want string) {
			t.Helper()
			if got := outcome(c.Refresh(t.Context(), Request{URL: "http://a.example.com" + path})); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
		refresh("/503", "unreachable, 503, retry after 1m0s")
		refresh("/503", "unreachable, retry after 1m0s")
		refresh("/1", "A")
		var wg sync.WaitGroup
		wg.Go(func() { refresh("/429", "unreachable, 429, retry after 1m0s") })
		synctest.Wait()
		for i := range 40 { // they have been waiting, or come later
			wg.Go(func() { refresh(fmt.Sprintf("/agent-%d", i), "unreachable, retry after 1m0s") })
		}
		wg.Wait()
		time.Sleep(time.Minute)
		refresh("/503", "unreachable, 503, retry after 1m0s")
		refresh("/agent-0", "A")
		if len(asked) != 4 || asked["/503"] != 2 || asked["/429"] != 1 {
			t.Errorf("asked %v", asked)
		}
	})
}
