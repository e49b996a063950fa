package server

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// An Overview is how the daemon is doing.
type Overview struct {
	Version string         `json:"version"`
	Locks   map[string]int `json:"locks"` // by "class freshness"
	Agents  int            `json:"agents"`
	Flights int            `json:"flights"`
	// Oldest is the longest time since a validation, in seconds; null: none is.
	Oldest    *float64       `json:"oldest_validation_seconds"`
	LastRun   *time.Time     `json:"last_refresh"`
	NextRun   *time.Time     `json:"next_refresh"`
	Episodes  int            `json:"episodes_open"`
	Outbox    map[string]int `json:"outbox_waiting"` // by sink
	Sinks     []store.Sink   `json:"sinks"`
	StoreSize int64          `json:"store_bytes"`
	Broken    []string       `json:"broken_locks"`
	// Trouble says, a line each, what keeps the daemon from its work.
	Trouble []string `json:"trouble"`
}

func (s *Server) overview() (*Overview, error) {
	c := s.Engine.Counts()
	o := &Overview{
		Version: s.Version, Locks: map[string]int{}, Agents: c.Agents, Flights: c.Flights, LastRun: c.LastRun, NextRun: c.NextRun,
		Episodes: c.Open[verdict.Review] + c.Open[verdict.Breaking] + c.Open[verdict.Compatible] + c.Open[verdict.None],
		Broken:   append([]string{}, c.Broken...), StoreSize: s.Store.Size(), Trouble: []string{}, Sinks: []store.Sink{},
	}
	for k, n := range c.Locks {
		o.Locks[string(k.Class)+" "+string(k.Freshness)] = n
	}
	if !c.Oldest.IsZero() {
		o.Oldest = new(c.Now.Sub(c.Oldest).Seconds())
	}
	if s.Ready != nil {
		if why := s.Ready(); why != "" {
			o.Trouble = append(o.Trouble, why)
		}
	}
	if why := "the store cannot be written " + c.Unwritten; c.Unwritten != "" && !slices.Contains(o.Trouble, why) {
		o.Trouble = append(o.Trouble, why)
	}
	if c.Unread != "" {
		o.Trouble = append(o.Trouble, "locks not read "+c.Unread+"; those of before hold")
	}
	if c.Silent {
		o.Trouble = append(o.Trouble, "the network cannot be reached")
	}
	configured := s.Engine.Setup().Config.Notify.OrLog().Sinks
	err := s.Store.View(func(tx *store.Tx) (err error) {
		if o.Outbox, err = tx.WaitingRows(); err != nil {
			return err
		}
		sinks, _, err := tx.Sinks(store.Page{Limit: maxLimit})
		for _, sink := range sinks {
			if _, ok := configured[sink.Name]; !ok {
				continue
			}
			if !sink.PausedTo.After(c.Now) {
				sink.PausedTo = time.Time{}
			}
			if sink.Disabled != "" || !sink.PausedTo.IsZero() {
				o.Sinks = append(o.Sinks, sink)
			}
			if sink.Disabled != "" {
				o.Trouble = append(o.Trouble, "sink "+sink.Name+" is disabled: "+sink.Disabled)
			}
		}
		return err
	})
	return o, err
}

// A collector reads gauges off the engine and the store when they are scraped.
type collector struct {
	*Server
	outbox *tally
}

var (
	locksDesc    = metrics.Desc("locks", "Locks, by class and freshness.", "class", "freshness")
	openDesc     = metrics.Desc("episodes_open", "Open episodes, by class.", "class")
	oldestDesc   = metrics.Desc("oldest_validation_age_seconds", "The longest time since an agent was validated.")
	flightsDesc  = metrics.Desc("flights", "Requests under way.")
	pausedDesc   = metrics.Desc("host_paused", "Hosts that asked us to wait.")
	rowsDesc     = metrics.Desc("outbox_rows", "Messages in the outbox.", "sink", "state")
	ageDesc      = metrics.Desc("outbox_oldest_age_seconds", "The age of the oldest message that waits.", "sink")
	sizeDesc     = metrics.Desc("store_size_bytes", "The size of the store's file.")
	sinkDesc     = metrics.Desc("sink_up", "Whether a sink is enabled.", "sink")
	perAgentDesc = metrics.Desc("agent_validation_age_seconds", "The time since an agent was validated.", "agent")
)

// Collector is what /metrics shows beside the counters; see
// [metrics.Set.Watch].
func (s *Server) Collector() prometheus.Collector { return collector{s, &tally{}} }

// Describe says nothing, so that labels are free.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect is called for each scrape.
func (c collector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	n := c.Engine.Counts()
	for k, v := range n.Locks {
		gauge(locksDesc, float64(v), string(k.Class), string(k.Freshness))
	}
	for class, v := range n.Open {
		gauge(openDesc, float64(v), string(class))
	}
	age := 0.0
	if !n.Oldest.IsZero() {
		age = max(0, n.Now.Sub(n.Oldest).Seconds())
	}
	gauge(oldestDesc, age)
	gauge(flightsDesc, float64(n.Flights))
	gauge(pausedDesc, float64(n.Paused))
	gauge(sizeDesc, float64(c.Store.Size()))
	for _, a := range n.PerAgent {
		gauge(perAgentDesc, a.Age, a.Agent)
	}
	c.collectSinks(gauge)
	c.outbox.collect(c.Store, gauge)
}

// collectSinks says which of the configured sinks are enabled: those of which
// the store does not say otherwise. Where it cannot be read, nothing is known.
func (c collector) collectSinks(gauge func(*prometheus.Desc, float64, ...string)) {
	up := map[string]float64{}
	for name := range c.Engine.Setup().Config.Notify.OrLog().Sinks {
		up[name] = 1
	}
	err := c.Store.View(func(tx *store.Tx) error {
		sinks, _, err := tx.Sinks(store.Page{Limit: maxLimit})
		for _, s := range sinks {
			if _, configured := up[s.Name]; configured && s.Disabled != "" {
				up[s.Name] = 0
			}
		}
		return err
	})
	if err != nil {
		return
	}
	for name, v := range up {
		gauge(sinkDesc, v, name)
	}
}
