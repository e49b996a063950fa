package config

import (
	"cmp"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/address"
)

// Daemon is what a2alockd runs by.
type Daemon struct {
	Listen     string // host:port; beyond loopback it needs TokensFile
	TokensFile string // lines "NAME SCOPE SHA256-OF-TOKEN"; "": loopback may read and write
	Store      Store

	Schedule string // cron or @every
	Timezone string
	// Spread is the window of jitter for calendar schedules; 0 is a tenth of the
	// period, at most an hour.
	Spread time.Duration
	// MinInterval is the least time between two requests for one agent.
	MinInterval time.Duration
	// Agents overrides the schedule for an agent's URL, or for an origin. The
	// keys are normalised; see [Daemon.For].
	Agents   map[string]Agent
	OwnHosts []string // hosts that are exempt from the gap

	Flights, HostFlights int           // requests under way, in all and per host
	HostGap              time.Duration // between two requests to one host
	CatchupRate          float64       // refreshes a second; 0 is no limit

	ConfirmAfter                       time.Duration
	FailureThreshold, RecoverThreshold int
	FailureMinTime                     time.Duration
	MinStable                          time.Duration
	StaleHold                          time.Duration
	RolloutGrace                       time.Duration
	FullRefetch                        time.Duration
	MaxStaleness                       time.Duration
	RuntimeEvidenceTTL                 time.Duration

	Review    string // "allow" or "deny-named"
	OnUnknown string // "allow" or "deny"

	HistoryAge    time.Duration // retention
	HistoryCount  int           // per lock and per agent
	CompactOver   int64         // bytes that are free in the store, over which a start compacts it; 0 is never
	ShutdownGrace time.Duration
	PerAgent      bool // metrics with a label per agent
	PerAgentCap   int
	PublicURL     string // how a message links to the API; "": http:// and Listen
	ContactURL    string // goes into the User-Agent
}

// Store says where the daemon keeps what must survive.
type Store struct {
	BBolt string // a path, seen from the folder of the file
}

// Agent is what holds for one agent. In [Daemon.Agents] a zero field leaves it to
// what is more general, and a MinInterval below 0 is none.
type Agent struct {
	Schedule, Timezone       string
	MinInterval, MaxInterval time.Duration // MaxInterval 0: what an agent says lengthens nothing
}

func defaultDaemon() Daemon {
	const day = 24 * time.Hour
	return Daemon{
		Listen:             "127.0.0.1:8437",
		Store:              Store{BBolt: "a2alockd.db"},
		Schedule:           "@daily",
		Timezone:           "UTC",
		Flights:            64,
		HostFlights:        2,
		HostGap:            250 * time.Millisecond,
		CatchupRate:        25,
		ConfirmAfter:       30 * time.Second,
		FailureThreshold:   3,
		RecoverThreshold:   2,
		FailureMinTime:     5 * time.Minute,
		MinStable:          10 * time.Minute,
		StaleHold:          10 * time.Minute,
		RolloutGrace:       30 * time.Minute,
		FullRefetch:        day,
		MaxStaleness:       2 * day,
		RuntimeEvidenceTTL: day,
		Review:             "allow",
		OnUnknown:          "allow",
		HistoryAge:         90 * day,
		HistoryCount:       1000,
		CompactOver:        64 << 20,
		ShutdownGrace:      20 * time.Second,
		PerAgentCap:        1000,
	}
}

// For returns what holds for the agent whose card is at url: field by field
// what Agents says of that URL, else of its origin, else the daemon's own.
func (d *Daemon) For(url string) Agent {
	a := Agent{Schedule: d.Schedule, Timezone: d.Timezone, MinInterval: d.MinInterval}
	for _, over := range []Agent{d.Agents[address.Origin("", url)], d.Agents[agentKey(url)]} {
		a.Schedule = cmp.Or(over.Schedule, a.Schedule)
		a.Timezone = cmp.Or(over.Timezone, a.Timezone)
		a.MinInterval = cmp.Or(over.MinInterval, a.MinInterval)
		a.MaxInterval = cmp.Or(over.MaxInterval, a.MaxInterval)
	}
	a.MinInterval = max(a.MinInterval, 0)
	return a
}

// agentKey is how a URL or an origin is written in [Daemon.Agents].
func agentKey(url string) string {
	url = address.Normalize("", url)
	if origin := address.Origin("", url); origin != "" && strings.TrimPrefix(url, origin) == "/" {
		return origin
	}
	return url
}
