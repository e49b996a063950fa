package config

import (
	"cmp"
	"errors"
	"strings"

	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/want"
)

func daemonKeys(c *Daemon) []key {
	return []key{
		{name: "listen", read: c.readListen},
		{name: "tokens_file", read: text(&c.TokensFile, want.Optional(want.Path("a file with tokens")))},
		{name: "store", keys: []key{
			{name: "bbolt", read: text(&c.Store.BBolt, want.Path("the file of the store"))},
		}},
		{name: "schedule", read: readSchedule(&c.Schedule)},
		{name: "timezone", read: readZone(&c.Timezone)},
		{name: "spread", read: span(&c.Spread, "auto")},
		{name: "min_interval", read: pause(&c.MinInterval, 0)},
		{name: "agents", keys: agentKeys(new(Agent)), read: c.readAgents},
		{name: "own_hosts", read: texts(&c.OwnHosts, want.Host)},
		{name: "flights", read: count(&c.Flights, 10_000)},
		{name: "host_flights", read: count(&c.HostFlights, 10_000)},
		{name: "host_gap", read: pause(&c.HostGap, 0)},
		{name: "catchup_rate", read: rate(&c.CatchupRate)},
		{name: "confirm_after", read: span(&c.ConfirmAfter, "")},
		{name: "failure_threshold", read: count(&c.FailureThreshold, 1000)},
		{name: "failure_min_time", read: pause(&c.FailureMinTime, 0)},
		{name: "recover_threshold", read: count(&c.RecoverThreshold, 1000)},
		{name: "min_stable", read: span(&c.MinStable, "")},
		{name: "stale_hold", read: pause(&c.StaleHold, 0)},
		{name: "rollout_grace", read: pause(&c.RolloutGrace, 0)},
		{name: "full_refetch", read: span(&c.FullRefetch, "")},
		{name: "max_staleness", read: span(&c.MaxStaleness, "")},
		{name: "runtime_evidence_ttl", read: span(&c.RuntimeEvidenceTTL, "")},
		{name: "review", read: text(&c.Review, want.OneOf("allow", "deny-named"))},
		{name: "on_unknown", read: text(&c.OnUnknown, want.OneOf("allow", "deny"))},
		{name: "history_age", read: span(&c.HistoryAge, "")},
		{name: "history_count", read: count(&c.HistoryCount, 1_000_000)},
		{name: "compact_over", read: size(&c.CompactOver, 0)},
		{name: "shutdown_grace", read: span(&c.ShutdownGrace, "")},
		{name: "metrics", keys: []key{
			{name: "per_agent", read: flag(&c.PerAgent)},
			{name: "per_agent_cap", read: count(&c.PerAgentCap, 1_000_000)},
		}},
		{name: "public_url", read: text(&c.PublicURL, want.Optional(want.URL))},
		{name: "contact_url", read: text(&c.ContactURL, want.Optional(want.URL))},
	}
}

func agentKeys(a *Agent) []key {
	return []key{
		{name: "schedule", read: readSchedule(&a.Schedule)},
		{name: "timezone", read: readZone(&a.Timezone)},
		{name: "min_interval", read: pause(&a.MinInterval, -1)},
		{name: "max_interval", read: span(&a.MaxInterval, "")},
	}
}

// readListen wants tokens where others than this machine can call.
func (c *Daemon) readListen(d *decoder, v value) {
	text(&c.Listen, want.Listen)(d, v)
	d.later = append(d.later, func() {
		if want.Listen(c.Listen) == nil && !want.IsLoopback(c.Listen) && c.TokensFile == "" && d.c.Require("/daemon/tokens_file") == nil {
			d.fail(v, "%s: beyond loopback: want daemon.tokens_file too, or everybody may read and write", v.text())
		}
	})
}

// readAgents reads a mapping of URLs and origins, each of them once.
func (c *Daemon) readAgents(d *decoder, v value) {
	c.Agents = map[string]Agent{}
	lines := map[string]int{}
	d.entries(v, func(name string, k, v value) {
		if strings.Contains(name, "@") && want.URL(name) != nil { // perhaps a password
			d.fail(k, "a hidden text: want a URL without a user name and a password")
			return
		}
		var a Agent
		d.mapping(v, agentKeys(&a))
		if a.MaxInterval > 0 && a.MaxInterval < a.MinInterval {
			d.fail(v, "want a max_interval that is not below min_interval")
		}
		if want.URL(name) != nil {
			d.fail(k, "%s: want the URL of a card, or an origin such as https://agents.example.com", short(name))
			return
		}
		name = agentKey(name)
		if first, ok := lines[name]; ok {
			d.fail(k, "%s: the agent of line %d again", short(k.node.Value), first)
		}
		lines[name], c.Agents[name] = k.at.Line, a
	})
}

// readSchedule and readZone check each by itself: a schedule means something in
// every zone.

func readSchedule(dst *string) func(*decoder, value) {
	return func(d *decoder, v value) {
		text(dst, func(s string) error {
			_, err := schedule.Parse(s, "UTC")
			if err != nil && strings.Contains(v.text(), "${") { // it may quote what the variable holds
				return errors.New("want a schedule such as 0 6 * * 1-5, @daily or @every 6h")
			}
			// The wrapping error quotes the whole of s again.
			return cmp.Or(errors.Unwrap(err), err)
		})(d, v)
	}
}

func readZone(dst *string) func(*decoder, value) {
	return text(dst, func(s string) error {
		if _, err := schedule.Parse("@daily", s); err != nil || s == "" {
			return errors.New("want the name of a time zone, such as Europe/Berlin or UTC")
		}
		return nil
	})
}
