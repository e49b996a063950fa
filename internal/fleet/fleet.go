// Package fleet serves many A2A agents on loopback and counts what reaches them:
// what a daemon that refreshes thousands of agents is measured with.
//
// The agents are spread over hosts, addresses of 127.0.0.0/8 on one port. Shares
// of them misbehave: slow ones answer late, drifting ones change their card and
// its ETag every so often, lying ones change the card and keep the ETag. Dead
// shares are whole hosts that accept connections and never answer. All others
// answer at once, with an ETag, and 304 when it is asked for.
//
//	go run ./internal/fleet/serve -agents 10000 -hosts 64 -dead 0.1 -locks DIR
//
// writes a lock for each agent and an a2alock.yaml for a2alockd into DIR and
// serves until it is interrupted; then, and at any host's /stats, it gives its
// [Stats] as JSON. A POST to /reset begins the count anew.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Config says what agents are served. Shares are of 0 to 1.
type Config struct {
	Agents int // 0: 100
	Hosts  int // 0: 64, and never more than Agents
	Port   int // 0: a free one

	Latency    time.Duration // of every answer
	Slow       float64       // share of agents that answer SlowBy later
	SlowBy     time.Duration // 0: 2s
	Dead       float64       // share of hosts that never answer
	Drift      float64       // share of agents that change their card every DriftEvery
	Lie        float64       // share of agents that do so under one ETag
	DriftEvery time.Duration // 0: 10m
	CardBytes  int           // a card has about as many; 0: 4096
}

type kind uint8

const (
	honest kind = iota
	slow
	drifting
	lying
)

// A Fleet is served until it is closed. Its methods are safe for concurrent use.
type Fleet struct {
	config Config
	port   int
	kinds  []kind // of the agents
	dead   []bool // of the hosts
	card   template
	began  time.Time
	server http.Server
	done   sync.WaitGroup
	count  count
}

// Start serves a fleet.
func Start(c Config) (*Fleet, error) {
	c.Agents = cmp.Or(c.Agents, 100)
	c.Hosts = min(cmp.Or(c.Hosts, 64), c.Agents)
	c.SlowBy = cmp.Or(c.SlowBy, 2*time.Second)
	c.DriftEvery = cmp.Or(c.DriftEvery, 10*time.Minute)
	if c.Slow+c.Drift+c.Lie > 1 || c.Dead > 1 || min(c.Slow, c.Drift, c.Lie, c.Dead) < 0 {
		return nil, errors.New("shares of agents: want 0 to 1 in all")
	}
	if c.Hosts < 1 || c.Hosts > maxHosts {
		return nil, fmt.Errorf("%d hosts of %d agents: want 1 to %d", c.Hosts, c.Agents, maxHosts)
	}
	f := &Fleet{config: c, kinds: kinds(c), dead: deadHosts(c), card: newTemplate(cmp.Or(c.CardBytes, 4096)), began: time.Now()}
	f.count.reset(c, f.began)
	listeners, err := f.listen()
	if err != nil {
		return nil, err
	}
	f.server.Handler = http.HandlerFunc(f.serve)
	f.server.ConnState = f.count.connection
	f.server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, hostKey{}, hostOf(conn.LocalAddr()))
	}
	for _, l := range listeners {
		f.done.Go(func() { f.server.Serve(l) }) // ends with http.ErrServerClosed
	}
	return f, nil
}

// Close ends the fleet at once; what is under way is cut off.
func (f *Fleet) Close() error {
	err := f.server.Close()
	f.done.Wait()
	return err
}

// listen opens one port on all hosts. A port that is free on one address may be
// in use on another, so it tries several.
func (f *Fleet) listen() ([]net.Listener, error) {
	var err error
	for range 20 {
		var list []net.Listener
		if list, err = f.listenOn(f.config.Port); err == nil {
			return list, nil
		}
		if f.config.Port != 0 {
			break
		}
	}
	return nil, err
}

func (f *Fleet) listenOn(port int) ([]net.Listener, error) {
	var list []net.Listener
	for h := range f.config.Hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(address(h), strconv.Itoa(port)))
		if err != nil {
			for _, l := range list {
				l.Close()
			}
			return nil, err
		}
		port = l.Addr().(*net.TCPAddr).Port
		list = append(list, l)
	}
	f.port = port
	return list, nil
}

// maxHosts is how many addresses there are.
const maxHosts = 250 * 250

// address is the IP address of host h.
func address(h int) string { return fmt.Sprintf("127.77.%d.%d", h/250, h%250+1) }

func hostOf(addr net.Addr) int {
	ip := addr.(*net.TCPAddr).IP.To4()
	return int(ip[2])*250 + int(ip[3]) - 1
}

// kinds deals the shares out, the same way every time.
func kinds(c Config) []kind {
	list := make([]kind, c.Agents)
	order := rand.New(rand.NewPCG(1, 2)).Perm(c.Agents)
	for _, share := range []struct {
		kind  kind
		share float64
	}{{slow, c.Slow}, {drifting, c.Drift}, {lying, c.Lie}} {
		n := min(int(share.share*float64(c.Agents)+0.5), len(order))
		for _, i := range order[:n] {
			list[i] = share.kind
		}
		order = order[n:]
	}
	return list
}

// deadHosts spreads the dead ones evenly.
func deadHosts(c Config) []bool {
	list := make([]bool, c.Hosts)
	for h := range list {
		list[h] = int(float64(h+1)*c.Dead) > int(float64(h)*c.Dead)
	}
	return list
}

// Base is the base URL of agent i, without a slash at its end.
func (f *Fleet) Base(i int) string { return fmt.Sprintf("%s/a/%d", f.host(i%f.config.Hosts), i) }

func (f *Fleet) host(h int) string { return fmt.Sprintf("http://%s:%d", address(h), f.port) }

// CardURL is the exact URL of the card of agent i.
func (f *Fleet) CardURL(i int) string { return f.Base(i) + wellKnown }

// StatsURL is where the fleet says what reached it.
func (f *Fleet) StatsURL() string { return f.host(0) + "/stats" }
