package fleet

import (
	"math"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are what reached the fleet since it started, or was reset. Durations are
// in seconds.
type Stats struct {
	Agents    int     `json:"agents"`
	Hosts     int     `json:"hosts"`
	DeadHosts int     `json:"dead_hosts"`
	Elapsed   float64 `json:"elapsed_s"`

	Requests         int64   `json:"requests"`           // for cards that are there
	Conditional      int64   `json:"conditional"`        // answered, with If-None-Match
	NotModified      int64   `json:"not_modified"`       // answered 304
	NotModifiedShare float64 `json:"not_modified_share"` // of those to hosts that answer
	Unanswered       int64   `json:"unanswered"`         // to dead hosts
	Unknown          int64   `json:"unknown"`            // for anything else
	AgentsSeen       int     `json:"agents_seen"`

	// Gap is the time between two requests for one agent, over all agents.
	Gap Spread `json:"gap_s"`
	// Starts are the requests of each second.
	Starts Starts `json:"starts_per_second"`

	InFlight           int64 `json:"in_flight"`
	InFlightMax        int64 `json:"in_flight_max"`
	InFlightPerHostMax int64 `json:"in_flight_per_host_max"`

	Connections           int64 `json:"connections_open"`
	ConnectionsMax        int64 `json:"connections_open_max"`
	ConnectionsPerHostMax int64 `json:"connections_per_host_max"`
	ConnectionsOpened     int64 `json:"connections_opened"`
}

// A Spread is where some numbers lie; all 0 without any.
type Spread struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Starts says how evenly requests came. The second in which the first one came,
// and the present one, are left out.
type Starts struct {
	Spread
	// Deviation is how far the second furthest from the mean is from it, as a
	// share of the mean; Deviation10 is the same over ten seconds at a time.
	Deviation   float64 `json:"deviation"`
	Deviation10 float64 `json:"deviation_10s"`
	// Histogram holds the last ten minutes at most.
	Histogram []int64 `json:"histogram"`
}

// seconds are counted one by one for a day.
const seconds = 86400

type count struct {
	mu    sync.RWMutex // write: reset
	began time.Time

	requests, conditional, notModified, unanswered, unknown atomic.Int64

	agents []agentCount
	starts []atomic.Int32 // by second
	dead   []bool

	flights, connections gauge
	opened               atomic.Int64
	hostFlights          []gauge
	hostConnections      []gauge
}

type agentCount struct {
	mu          sync.Mutex
	requests    int
	first, last time.Duration // since began
	least, most time.Duration // between two requests
}

// A gauge is a number and the highest it has been.
type gauge struct{ now, most atomic.Int64 }

func (g *gauge) add(n int64) {
	now := g.now.Add(n)
	for {
		most := g.most.Load()
		if now <= most || g.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// reset forgets all but what is under way.
func (c *count) reset(config Config, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began = at
	for _, n := range []*atomic.Int64{&c.requests, &c.conditional, &c.notModified, &c.unanswered, &c.unknown, &c.opened} {
		n.Store(0)
	}
	c.agents = make([]agentCount, config.Agents)
	c.starts = make([]atomic.Int32, seconds)
	if c.hostFlights == nil {
		c.dead = deadHosts(config)
		c.hostFlights, c.hostConnections = make([]gauge, config.Hosts), make([]gauge, config.Hosts)
	}
	c.flights.most.Store(c.flights.now.Load())
	c.connections.most.Store(c.connections.now.Load())
	for h := range c.hostFlights {
		c.hostFlights[h].most.Store(c.hostFlights[h].now.Load())
		c.hostConnections[h].most.Store(c.hostConnections[h].now.Load())
	}
}

// start counts a request for an agent; what it returns is called at its end.
func (c *count) start(agent, host int) (end func()) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	at := time.Since(c.began)
	c.requests.Add(1)
	if c.dead[host] {
		c.unanswered.Add(1)
	}
	if second := int(at / time.Second); second < seconds {
		c.starts[second].Add(1)
	}
	c.agents[agent].request(at)
	c.flights.add(1)
	c.hostFlights[host].add(1)
	return func() {
		c.flights.add(-1)
		c.hostFlights[host].add(-1)
	}
}

func (a *agentCount) request(at time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.requests == 0 {
		a.first, a.least = at, math.MaxInt64
	} else {
		a.least, a.most = min(a.least, at-a.last), max(a.most, at-a.last)
	}
	a.requests++
	a.last = at
}

func (c *count) connection(conn net.Conn, state http.ConnState) {
	host := hostOf(conn.LocalAddr())
	switch state {
	case http.StateNew:
		c.opened.Add(1)
		c.connections.add(1)
		c.hostConnections[host].add(1)
	case http.StateClosed, http.StateHijacked:
		c.connections.add(-1)
		c.hostConnections[host].add(-1)
	}
}

// Reset begins the count anew; what is under way stays counted as such.
func (f *Fleet) Reset() { f.count.reset(f.config, time.Now()) }

// Stats are the counts up to now.
func (f *Fleet) Stats() Stats {
	c := &f.count
	c.mu.RLock()
	defer c.mu.RUnlock()
	elapsed := time.Since(c.began)
	s := Stats{
		Agents: f.config.Agents, Hosts: f.config.Hosts, Elapsed: elapsed.Seconds(),
		Requests: c.requests.Load(), Conditional: c.conditional.Load(), NotModified: c.notModified.Load(),
		Unanswered: c.unanswered.Load(), Unknown: c.unknown.Load(),
		InFlight: c.flights.now.Load(), InFlightMax: c.flights.most.Load(), InFlightPerHostMax: most(c.hostFlights),
		Connections: c.connections.now.Load(), ConnectionsMax: c.connections.most.Load(),
		ConnectionsPerHostMax: most(c.hostConnections), ConnectionsOpened: c.opened.Load(),
	}
	for _, dead := range c.dead {
		if dead {
			s.DeadHosts++
		}
	}
	if n := s.Requests - s.Unanswered; n > 0 {
		s.NotModifiedShare = float64(s.NotModified) / float64(n)
	}
	s.AgentsSeen, s.Gap = gaps(c.agents)
	s.Starts = startsOf(c.starts, int(elapsed/time.Second))
	return s
}

func most(list []gauge) int64 {
	var n int64
	for i := range list {
		n = max(n, list[i].most.Load())
	}
	return n
}

func gaps(agents []agentCount) (seen int, s Spread) {
	n, least, longest, sum := 0, time.Duration(math.MaxInt64), time.Duration(0), 0.0
	for i := range agents {
		a := &agents[i]
		a.mu.Lock()
		if a.requests > 0 {
			seen++
			n += a.requests - 1
			sum += (a.last - a.first).Seconds()
			least, longest = min(least, a.least), max(longest, a.most)
		}
		a.mu.Unlock()
	}
	if n == 0 {
		return seen, Spread{}
	}
	return seen, Spread{least.Seconds(), sum / float64(n), longest.Seconds()}
}

// startsOf reads the whole seconds up to now.
func startsOf(starts []atomic.Int32, now int) Starts {
	var list []int64
	for i := range starts[:min(now, len(starts))] {
		if n := int64(starts[i].Load()); list != nil || n > 0 {
			list = append(list, n)
		}
	}
	if len(list) < 2 {
		return Starts{}
	}
	list = list[1:]
	s := Starts{Histogram: list[max(0, len(list)-600):]}
	s.Spread, s.Deviation = spread(list)
	var tens []int64
	for ten := range slices.Chunk(list, 10) {
		if len(ten) == 10 {
			var sum int64
			for _, n := range ten {
				sum += n
			}
			tens = append(tens, sum)
		}
	}
	_, s.Deviation10 = spread(tens)
	return s
}

func spread(list []int64) (s Spread, deviation float64) {
	if len(list) == 0 {
		return Spread{}, 0
	}
	sum := 0.0
	for _, n := range list {
		sum += float64(n)
	}
	s = Spread{float64(slices.Min(list)), sum / float64(len(list)), float64(slices.Max(list))}
	if s.Mean > 0 {
		deviation = max(s.Max-s.Mean, s.Mean-s.Min) / s.Mean
	}
	return s, deviation
}
