package config

import (
	"cmp"
	"errors"
	"strings"

	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/settings"
	"github.com/a2alock/a2alock/internal/want"
)

func daemonKeys(c *Daemon) []settings.Key {
	return []settings.Key{
		{Name: "listen", Read: c.readListen},
		{Name: "tokens_file", Read: settings.Text(&c.TokensFile, want.Optional(want.Path("a file with tokens")))},
		{Name: "store", Keys: []settings.Key{
			{Name: "bbolt", Read: settings.Text(&c.Store.BBolt, want.Path("the file of the store"))},
		}},
		{Name: "schedule", Read: readSchedule(&c.Schedule)},
		{Name: "timezone", Read: readZone(&c.Timezone)},
		{Name: "spread", Read: settings.Span(&c.Spread, "auto")},
		{Name: "min_interval", Read: settings.Pause(&c.MinInterval, 0)},
		{Name: "agents", Keys: agentKeys(new(Agent)), Read: c.readAgents},
		{Name: "own_hosts", Read: settings.Texts(&c.OwnHosts, want.Host)},
		{Name: "flights", Read: settings.Count(&c.Flights, 10_000)},
		{Name: "host_flights", Read: settings.Count(&c.HostFlights, 10_000)},
		{Name: "host_gap", Read: settings.Pause(&c.HostGap, 0)},
		{Name: "catchup_rate", Read: settings.Rate(&c.CatchupRate)},
		{Name: "confirm_after", Read: settings.Span(&c.ConfirmAfter, "")},
		{Name: "failure_threshold", Read: settings.Count(&c.FailureThreshold, 1000)},
		{Name: "failure_min_time", Read: settings.Pause(&c.FailureMinTime, 0)},
		{Name: "recover_threshold", Read: settings.Count(&c.RecoverThreshold, 1000)},
		{Name: "min_stable", Read: settings.Span(&c.MinStable, "")},
		{Name: "stale_hold", Read: settings.Pause(&c.StaleHold, 0)},
		{Name: "rollout_grace", Read: settings.Pause(&c.RolloutGrace, 0)},
		{Name: "full_refetch", Read: settings.Span(&c.FullRefetch, "")},
		{Name: "max_staleness", Read: settings.Span(&c.MaxStaleness, "")},
		{Name: "runtime_evidence_ttl", Read: settings.Span(&c.RuntimeEvidenceTTL, "")},
		{Name: "review", Read: settings.Text(&c.Review, want.OneOf("allow", "deny-named"))},
		{Name: "on_unknown", Read: settings.Text(&c.OnUnknown, want.OneOf("allow", "deny"))},
		{Name: "history_age", Read: settings.Span(&c.HistoryAge, "")},
		{Name: "history_count", Read: settings.Count(&c.HistoryCount, 1_000_000)},
		{Name: "compact_over", Read: settings.Size(&c.CompactOver, 0)},
		{Name: "shutdown_grace", Read: settings.Span(&c.ShutdownGrace, "")},
		{Name: "metrics", Keys: []settings.Key{
			{Name: "per_agent", Read: settings.Flag(&c.PerAgent)},
			{Name: "per_agent_cap", Read: settings.Count(&c.PerAgentCap, 1_000_000)},
		}},
		{Name: "public_url", Read: settings.Text(&c.PublicURL, want.Optional(want.URL))},
		{Name: "contact_url", Read: settings.Text(&c.ContactURL, want.Optional(want.URL))},
	}
}

func agentKeys(a *Agent) []settings.Key {
	return []settings.Key{
		{Name: "schedule", Read: readSchedule(&a.Schedule)},
		{Name: "timezone", Read: readZone(&a.Timezone)},
		{Name: "min_interval", Read: settings.Pause(&a.MinInterval, -1)},
		{Name: "max_interval", Read: settings.Span(&a.MaxInterval, "")},
	}
}

// readListen wants tokens where others than this machine can call. Whoever only
// asks the daemon needs none.
func (c *Daemon) readListen(d *settings.Decoder, v settings.Value) {
	settings.Text(&c.Listen, want.Listen)(d, v)
	d.Later(func() {
		if want.Listen(c.Listen) == nil && !want.IsLoopback(c.Listen) && c.TokensFile == "" && d.IsSet("/daemon/tokens_file") {
			v.Pointer = "/daemon/tokens_file"
			d.Doubt(v, "%s: beyond loopback: want daemon.tokens_file too, or everybody may read and write", v.Text())
		}
	})
}

// readAgents reads a mapping of URLs and origins, each of them once.
func (c *Daemon) readAgents(d *settings.Decoder, v settings.Value) {
	c.Agents = map[string]Agent{}
	lines := map[string]int{}
	d.Entries(v, func(name string, k, v settings.Value) {
		if strings.Contains(name, "@") && want.URL(name) != nil { // perhaps a password
			d.Doubt(k, settings.Hidden+": want a URL without a user name and a password")
			return
		}
		var a Agent
		d.Mapping(v, agentKeys(&a))
		if a.MaxInterval > 0 && a.MaxInterval < a.MinInterval {
			d.Doubt(v, "want a max_interval that is not below min_interval")
		}
		if want.URL(name) != nil {
			d.Doubt(k, "%s: want the URL of a card, or an origin such as https://agents.example.com", settings.Short(name))
			return
		}
		name = agentKey(name)
		if first, ok := lines[name]; ok {
			d.Doubt(k, "%s: the agent of line %d again", k.Text(), first)
		}
		lines[name], c.Agents[name] = k.Line, a
	})
}

// readSchedule and readZone check each by itself: a schedule means something in
// every zone.

func readSchedule(dst *string) func(*settings.Decoder, settings.Value) {
	return func(d *settings.Decoder, v settings.Value) {
		settings.Text(dst, func(s string) error {
			_, err := schedule.Parse(s, "UTC")
			if err != nil && v.HasVariable() { // it may quote what the variable holds
				return errors.New("want a schedule such as 0 6 * * 1-5, @daily or @every 6h")
			}
			// The wrapping error quotes the whole of s again.
			return cmp.Or(errors.Unwrap(err), err)
		})(d, v)
	}
}

func readZone(dst *string) func(*settings.Decoder, settings.Value) {
	return settings.Text(dst, func(s string) error {
		if _, err := schedule.Parse("@daily", s); err != nil || s == "" {
			return errors.New("want the name of a time zone, such as Europe/Berlin or UTC")
		}
		return nil
	})
}
