// Package metrics names what the daemon counts: one [Set] that the parts of the
// daemon count into, and that /metrics shows in Prometheus' format.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Namespace begins the name of every metric.
const Namespace = "a2alockd"

// A Set is the daemon's metrics. What is counted as it happens is a field; what
// is read off the daemon's state when somebody asks is given to [Set.Watch] as
// functions.
type Set struct {
	Registry *prometheus.Registry

	Refreshes       *prometheus.CounterVec // outcome: unchanged, not_modified, changed, failed, invalid, skipped
	RefreshDuration prometheus.Histogram   // seconds
	Requests        *prometheus.CounterVec // code_class ("2xx", "error"), conditional ("true", "false")
	Unreliable      prometheus.Counter     // validators that lied
	Lateness        prometheus.Histogram   // seconds from due to the beginning
	MissedSlots     prometheus.Counter
	ClockJumps      prometheus.Counter
	ClockSkew       prometheus.Gauge // seconds

	Deliveries *prometheus.CounterVec // sink, result

	Decisions        *prometheus.CounterVec // delegate
	DecisionDuration prometheus.Histogram   // seconds
	StaleReports     *prometheus.CounterVec // kind

	CommitDuration prometheus.Histogram // seconds
	StoreFailures  prometheus.Counter   // writes that did not reach the disk

	ReloadOK   prometheus.Gauge
	ReloadedAt prometheus.Gauge // Unix seconds of the last reload that was taken
}

// New makes a Set with a registry of its own. version goes into build_info.
func New(version string) *Set {
	s := &Set{Registry: prometheus.NewRegistry()}
	s.Refreshes = s.counters("refreshes_total", "Refreshes of an agent, by what they came to.", "outcome")
	s.RefreshDuration = s.histogram("refresh_duration_seconds", "How long refreshes took, waiting for slots aside.")
	s.Requests = s.counters("http_requests_total", "Requests for cards, by class of the status.", "code_class", "conditional")
	s.Unreliable = s.counter("validator_unreliable_total", "Times that a server's validators were seen to lie.")
	s.Lateness = s.histogram("schedule_lateness_seconds", "How long after they were due refreshes began.")
	s.MissedSlots = s.counter("missed_slots_total", "Slots that passed while the daemon was down or asleep.")
	s.ClockJumps = s.counter("clock_jumps_total", "Jumps of the wall clock by over two seconds.")
	s.ClockSkew = s.gauge("clock_skew_seconds", "How far the clocks of most servers are ahead of ours; 0 within five minutes.")
	s.Deliveries = s.counters("deliveries_total", "Attempts to deliver a message.", "sink", "result")
	s.Decisions = s.counters("decisions_total", "Answers to whether to delegate.", "delegate")
	s.DecisionDuration = s.histogram("decision_duration_seconds", "How long these answers took.")
	s.StaleReports = s.counters("stale_reports_total", "Reports of orchestrators, by the error they met.", "kind")
	s.CommitDuration = s.histogram("store_commit_duration_seconds", "How long commits to the store took.")
	s.StoreFailures = s.counter("store_write_failures_total", "Writes to the store that failed.")
	s.ReloadOK = s.gauge("config_last_reload_successful", "Whether the last reload of the configuration was taken.")
	s.ReloadedAt = s.gauge("config_last_reload_success_timestamp_seconds", "When a configuration was last taken.")
	for _, outcome := range []string{"unchanged", "not_modified", "changed", "failed", "invalid", "skipped"} {
		s.Refreshes.WithLabelValues(outcome) // 0 is there before the first, so that rates see it
	}
	for _, delegate := range []string{"true", "false"} {
		s.Decisions.WithLabelValues(delegate)
	}
	info := s.gauges("build_info", "The running version; always 1.", "version")
	info.WithLabelValues(version).Set(1)
	s.ReloadOK.Set(1)
	s.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

// Watch registers c, which reads the daemon's state when it is asked.
func (s *Set) Watch(c prometheus.Collector) { s.Registry.MustRegister(c) }

// Gauge registers a gauge without labels that is read off f.
func (s *Set) Gauge(name, help string, f func() float64) {
	s.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: Namespace, Name: name, Help: help}, f))
}

// Desc describes a metric of the namespace, for a collector of its own.
func Desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(Namespace, "", name), help, labels, nil)
}

func (s *Set) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: Namespace, Name: name, Help: help})
	s.Registry.MustRegister(c)
	return c
}

func (s *Set) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: Namespace, Name: name, Help: help}, labels)
	s.Registry.MustRegister(c)
	return c
}

func (s *Set) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: Namespace, Name: name, Help: help})
	s.Registry.MustRegister(g)
	return g
}

func (s *Set) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: Namespace, Name: name, Help: help}, labels)
	s.Registry.MustRegister(g)
	return g
}

// histogram is a native one, with classic buckets for scrapers that know
// nothing of those.
func (s *Set) histogram(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: Namespace, Name: name, Help: help,
		Buckets:                         prometheus.ExponentialBuckets(0.001, 4, 8),
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	})
	s.Registry.MustRegister(h)
	return h
}
