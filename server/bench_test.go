package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/lockfile"
)

// BenchmarkDecision asks for decisions over one connection a core, as
// orchestrators do that keep theirs. The goal is 10,000 a second.
func BenchmarkDecision(b *testing.B) {
	agent, err := agenttest.Listen(agenttest.Config{})
	check(b, err)
	defer agent.Close()
	r := newRig(b, quick, map[string]*lockfile.Lock{"pricing": lockOf(agent.CardURL())})
	r.run()
	r.until("pricing", verdict.Compatible)
	for _, query := range []string{"", "?skill=itinerary-pricing"} {
		request := fmt.Appendf(nil, "GET /v1/locks/pricing/decision%s HTTP/1.1\r\nHost: localhost\r\n\r\n", query)
		b.Run("plan="+fmt.Sprint(query != ""), func(b *testing.B) {
			b.ReportAllocs()
			begun := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				c, err := net.Dial("tcp", r.http.Listener.Addr().String())
				if err != nil {
					b.Error(err)
					return
				}
				defer c.Close()
				in := bufio.NewReader(c)
				for pb.Next() {
					_, _ = c.Write(request)
					res, err := http.ReadResponse(in, nil)
					if err != nil || res.StatusCode != http.StatusOK {
						b.Errorf("answer %v, %v", res, err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
			b.ReportMetric(float64(b.N)/time.Since(begun).Seconds(), "decisions/s")
		})
	}
}

// BenchmarkLocks asks for pages of 10,000 locks: the goal is 100 ms and 200 KB.
func BenchmarkLocks(b *testing.B) {
	r := newRig(b, quick, many(10_000))
	for _, query := range []string{"", "?limit=500", "?limit=500&after=lock-09499", "?class=breaking"} {
		b.Run("query="+query, func(b *testing.B) {
			size := 0
			for b.Loop() {
				a := r.ask(http.MethodGet, "/v1/locks"+query, "")
				size = len(a.body)
			}
			b.ReportMetric(float64(size), "B/page")
		})
	}
	b.Run("metrics", func(b *testing.B) {
		size := 0
		for b.Loop() {
			size = len(r.ask(http.MethodGet, "/metrics", "").body)
		}
		b.ReportMetric(float64(size), "B/page")
	})
}
