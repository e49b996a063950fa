package gate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A run is a test's requests: who started when, in order.
type run struct {
	t     *testing.T
	g     *Gates
	begin time.Time

	mu     sync.Mutex
	starts []string
	wg     sync.WaitGroup
}

func newRun(t *testing.T, g *Gates) *run { return &run{t: t, g: g, begin: time.Now()} }

// ask sends a request that takes so long. It is in its queue when ask returns.
func (r *run) ask(ctx context.Context, url string, takes time.Duration) {
	r.wg.Go(func() {
		leave, err := r.g.Enter(ctx, url)
		r.mu.Lock()
		word := url
		if err != nil {
			word = url + ": " + err.Error()
		}
		r.starts = append(r.starts, fmt.Sprintf("%s %s", time.Since(r.begin), word))
		r.mu.Unlock()
		if err == nil {
			time.Sleep(takes)
			leave()
			leave() // does nothing
		}
	})
	synctest.Wait()
}

// ended waits for all, and holds the gates to knowing nothing after the gap.
func (r *run) ended(want ...string) {
	r.t.Helper()
	r.wg.Wait()
	if !slices.Equal(r.starts, want) {
		r.t.Errorf("starts:\n%q\nwant\n%q", r.starts, want)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	flights, waiting, paused := r.g.Gauges(time.Now())
	if flights != 0 || waiting != 0 || paused != 0 || len(r.g.hosts) != 0 || r.g.ready.Len() != 0 {
		r.t.Errorf("left: %d flights, %d waiting, %d paused, %d hosts, %d ready", flights, waiting, paused, len(r.g.hosts), r.g.ready.Len())
	}
}

func TestGates(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gates *Gates
		asks  []string
		takes time.Duration
		want  []string
	}{
		{
			"a gap between the starts of one host, whatever the port", new(Gates),
			[]string{"https://a.example/1", "https://A.example:8443/2", "http://a.example./3"},
			time.Millisecond,
			[]string{"0s https://a.example/1", "250ms https://A.example:8443/2", "500ms http://a.example./3"},
		},
		{
			"two at once for one host", &Gates{Gap: -1},
			[]string{"https://a.example/1", "https://a.example/2", "https://a.example/3"},
			time.Second,
			[]string{"0s https://a.example/1", "0s https://a.example/2", "1s https://a.example/3"},
		},
		{
			"own hosts have no gap", &Gates{Own: []string{"A.example", "no host"}},
			[]string{"https://a.example/1", "https://a.example/2", "https://b.example/1", "https://b.example/2"},
			time.Millisecond,
			[]string{"0s https://a.example/1", "0s https://a.example/2", "0s https://b.example/1", "250ms https://b.example/2"},
		},
		{
			"so many in all, and hosts take turns", &Gates{Flights: 1, Gap: -1},
			[]string{"https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/1", "https://c.example/1"},
			time.Second,
			[]string{"0s https://a.example/1", "1s https://a.example/2", "2s https://b.example/1", "3s https://c.example/1", "4s https://a.example/3"},
		},
		{
			// Two flights are taken by the silent host, and those who wait for it take none.
			"a host that never answers keeps no other waiting", &Gates{Flights: 3, Gap: -1},
			[]string{
				"https://hole.example/1", "https://hole.example/2", "https://hole.example/3",
				"https://b.example/1",
			},
			10 * time.Second,
			[]string{
				"0s https://hole.example/1", "0s https://hole.example/2", "0s https://b.example/1",
				"10s https://hole.example/3",
			},
		},
		{
			"what is no URL is a host of its own", &Gates{},
			[]string{"https://a b/", "https://127.1/"},
			time.Millisecond,
			[]string{"0s https://a b/", "250ms https://127.1/"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRun(t, tt.gates)
				for _, url := range tt.asks {
					r.ask(t.Context(), url, tt.takes)
				}
				r.ended(tt.want...)
			})
		})
	}
}

func TestContextEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRun(t, &Gates{HostFlights: 1, Gap: -1})
		ctx, cancel := context.WithCancelCause(t.Context())
		r.ask(t.Context(), "https://a.example/1", 3*time.Second)
		r.ask(ctx, "https://a.example/2", time.Second)
		r.ask(t.Context(), "https://a.example/3", time.Second)
		time.Sleep(time.Second)
		cancel(errors.New("enough"))
		synctest.Wait()
		r.ask(ctx, "https://b.example/1", time.Second)
		r.ended("0s https://a.example/1", "1s https://a.example/2: enough", "1s https://b.example/1: enough", "3s https://a.example/3")
	})
}

// A host that was given up on may still be at it, and has a moment to notice.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gates{Flights: 3, Gap: -1, Own: []string{"a.example"}}
		r := newRun(t, g)
		const hole = "https://a.example/"
		r.ask(t.Context(), hole+"1", 2*time.Second)
		r.ask(t.Context(), "https://b.example/1", 3*time.Second)
		r.ask(t.Context(), "https://c.example/1", 3*time.Second)
		r.ask(t.Context(), hole+"2", time.Second) // its host has room, and waits for a flight
		r.ask(t.Context(), hole+"3", time.Second)
		time.Sleep(2*time.Second - time.Nanosecond)
		g.Rest(hole + "1")
		g.Rest("https://d.example/") // which nobody asks
		r.ended(
			"0s https://a.example/1", "0s https://b.example/1", "0s https://c.example/1",
			"2.249999999s https://a.example/2", "3s https://a.example/3",
		)
	})
}

// While many answers wait to be looked at, nobody is asked for more.
func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gates{Answers: 2, HostFlights: 1, Gap: -1}
		r := newRun(t, g)
		g.Land()
		r.ask(t.Context(), "https://a.example/", time.Second)
		g.Land()
		r.ask(t.Context(), "https://b.example/1", time.Second)
		r.ask(t.Context(), "https://b.example/2", time.Second)
		time.Sleep(5 * time.Second)
		g.Land() // of what was under way
		g.Taken()
		g.Taken()
		synctest.Wait()
		g.Taken()
		r.ended("0s https://a.example/", "5s https://b.example/1", "6s https://b.example/2")
	})
}

func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gates{HostFlights: 1, Gap: -1}
		r := newRun(t, g)
		for i := range 3 {
			r.ask(t.Context(), fmt.Sprintf("https://a.example/%d", i), time.Second)
		}
		r.ask(t.Context(), "https://b.example/0", time.Second)
		r.ask(t.Context(), "https://b.example/1", time.Second)
		until := r.begin.Add(time.Minute)
		g.PauseHost("https://A.example:8443/x", until)
		g.PauseHost("https://a.example/", r.begin.Add(time.Second)) // the longer stays
		g.PauseURL("https://b.example:443/1", until)
		if _, _, paused := g.Gauges(time.Now()); paused != 1 {
			t.Errorf("%d hosts are paused, want 1", paused)
		}
		for url, want := range map[string]time.Time{
			"https://a.example/9": until, "http://a.example:80": until,
			"https://b.example/1": until, "https://B.example/1#x": until, "https://b.example/0": {}, "https://b.example/1?x": {},
		} {
			if got, _ := g.Paused(url, time.Now()); !got.Equal(want) {
				t.Errorf("Paused(%s) = %v, want %v", url, got, want)
			}
			if _, long := g.Paused(url, r.begin.Add(30*time.Second)); !want.IsZero() && long != time.Minute {
				t.Errorf("Paused(%s) = for %s, want for a minute", url, long)
			}
			if got, long := g.Paused(url, until); long != 0 || !got.IsZero() {
				t.Errorf("Paused(%s) = %v when it is over", url, got)
			}
		}
		var next Gates
		next.Follow(g)
		for url, want := range map[string]time.Time{"https://a.example/9": until, "https://b.example/1": until, "https://b.example/0": {}} {
			if got, _ := next.Paused(url, time.Now()); !got.Equal(want) {
				t.Errorf("after other gates Paused(%s) = %v, want %v", url, got, want)
			}
		}
		synctest.Wait()
		r.ask(t.Context(), "https://a.example/4", time.Second)
		time.Sleep(time.Minute)
		r.ask(t.Context(), "https://a.example/5", time.Second)
		r.wg.Wait()
		const no = ": not sent: the server asked to be left alone until 2000-01-01T00:01:00Z"
		slices.Sort(r.starts)
		r.ended(
			"0s https://a.example/0", "0s https://a.example/1"+no, "0s https://a.example/2"+no, "0s https://a.example/4"+no,
			"0s https://b.example/0", "1m0s https://a.example/5", "1s https://b.example/1"+no,
		)
	})
}

func TestOldPausesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gates
		for i := range 10_000 {
			g.PauseURL(fmt.Sprintf("https://a.example/%d", i), time.Now().Add(time.Second))
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(g.held.at); n > 64 {
			t.Errorf("%d pauses are kept, want 64 at most", n)
		}
	})
}

// Whatever comes, limits hold, and everyone is served or told.
func TestRandomRequests(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			g := &Gates{Flights: 1 + rnd.IntN(5), HostFlights: 1 + rnd.IntN(3)}
			var mu sync.Mutex
			last, now, all := map[string]time.Time{}, map[string]int{}, 0
			var wg sync.WaitGroup
			for range 500 {
				host := fmt.Sprintf("https://h%d.example/", rnd.IntN(6))
				takes, patience := time.Duration(rnd.IntN(2000))*time.Millisecond, time.Duration(1+rnd.IntN(60))*time.Second
				if rnd.IntN(50) == 0 {
					g.PauseHost(host, time.Now().Add(takes))
				}
				wg.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					leave, err := g.Enter(ctx, host)
					if err != nil {
						return
					}
					mu.Lock()
					if gap := time.Since(last[host]); gap < DefaultGap {
						t.Errorf("seed %d: a gap of %s", seed, gap)
					}
					last[host] = time.Now()
					now[host]++
					all++
					if now[host] > g.HostFlights || all > g.Flights {
						t.Errorf("seed %d: %d requests for one host of %d in all", seed, now[host], all)
					}
					mu.Unlock()
					time.Sleep(takes)
					mu.Lock()
					now[host]--
					all--
					mu.Unlock()
					leave()
				})
				time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
			}
			wg.Wait()
			time.Sleep(time.Minute)
			newRun(t, g).ended()
		})
	}
}

func BenchmarkEnter(b *testing.B) {
	for _, waiting := range []int{0, 10_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			g := &Gates{Gap: -1}
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			for i := range DefaultHostFlights + waiting { // one silent host, and those who wait for it
				wg.Go(func() {
					leave, err := g.Enter(ctx, fmt.Sprintf("https://hole.example/%d", i))
					if err == nil {
						<-ctx.Done()
						leave()
					}
				})
			}
			for _, n, _ := g.Gauges(time.Now()); n < waiting; _, n, _ = g.Gauges(time.Now()) {
			}
			b.ReportAllocs()
			for b.Loop() {
				leave, err := g.Enter(ctx, "https://a.example/card.json")
				if err != nil {
					b.Fatal(err)
				}
				leave()
			}
			cancel()
			wg.Wait()
		})
	}
}
