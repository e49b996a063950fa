package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/settings"
	"github.com/a2alock/a2alock/internal/want"
)

func (c *Config) notifyKeys() []settings.Key {
	n := &c.Notify
	return []settings.Key{
		{Name: "sinks", Secret: true, Keys: c.sinkKeys(new(Sink)), Read: c.readSinks},
		{Name: "routes", Keys: c.routeKeys(new(Route)), Read: c.readRoutes},
		{Name: "fallback", Read: func(d *settings.Decoder, v settings.Value) {
			settings.Text(&n.Fallback, want.Optional(want.Label))(d, v)
			d.Later(func() { c.sinkNamed(d, v, n.Fallback) })
		}},
	}
}

func (c *Config) sinkKeys(s *Sink) []settings.Key {
	var slack Slack
	var hook Webhook
	return []settings.Key{
		{Name: "slack", Secret: true, Keys: []settings.Key{
			{Name: "webhook_url", Secret: true, Read: c.target(&slack.WebhookURL)},
			{Name: "token", Secret: true, Read: settings.Text(&slack.Token, want.Word("the token of a bot"))},
			{Name: "channel", Read: settings.Text(&slack.Channel, want.Word("the id or the name of one channel"))},
			{Name: "api_url", Read: c.target(&slack.APIURL)},
		}, Then: func(d *settings.Decoder, v settings.Value) {
			incoming, token, channel := d.Has(v, "webhook_url"), d.Has(v, "token"), d.Has(v, "channel")
			switch {
			case incoming && (token || channel || d.Has(v, "api_url")):
				d.Fail(v, "want either webhook_url, or token and channel")
			case !incoming && !(token && channel):
				d.Fail(v, "want webhook_url, or token and channel")
			}
			if slack.APIURL != "" {
				slack.APIURL = strings.TrimSuffix(slack.APIURL, "/") + "/"
			}
			s.Slack = &slack
		}},
		{Name: "webhook", Secret: true, Keys: []settings.Key{
			{Name: "url", Secret: true, Read: c.target(&hook.URL)},
			{Name: "secrets", Secret: true, Read: func(d *settings.Decoder, v settings.Value) {
				settings.Texts(&hook.Secrets, want.Secret)(d, v)
				if n := len(hook.Secrets); v.IsList() && (n < 1 || n > 2) {
					d.Doubt(v, "want one secret, or two during rotation")
				}
			}},
		}, Then: func(d *settings.Decoder, v settings.Value) {
			for _, name := range []string{"url", "secrets"} {
				if !d.Has(v, name) {
					d.Fail(v, "want the key %s", name)
				}
			}
			s.Webhook = &hook
		}},
		{Name: "log", Then: func(*settings.Decoder, settings.Value) { s.Log = &Log{} }},
	}
}

func (c *Config) readSinks(d *settings.Decoder, v settings.Value) {
	n := &c.Notify
	n.Sinks = map[string]Sink{}
	d.Entries(v, func(name string, k, v settings.Value) {
		if err := want.Label(name); err != nil {
			d.Doubt(k, "%s: %v", settings.Short(name), err)
		}
		var s Sink
		if keys := c.sinkKeys(&s); d.Mapping(v, keys) {
			kinds := 0
			for _, k := range keys {
				if d.Has(v, k.Name) {
					kinds++
				}
			}
			if kinds != 1 {
				d.Fail(v, "want one of slack, webhook or log (log: {})")
			}
		}
		n.Sinks[name] = s
	})
	d.Later(func() {
		if len(n.Sinks) > 0 && len(n.Routes) == 0 && !d.Has(settings.Value{Pointer: "/notify"}, "routes") {
			d.Doubt(v, "no route leads to them: add routes: [{sinks: [%s]}] beside", settings.Plain(slices.Sorted(maps.Keys(n.Sinks))[0]))
		}
	})
}

// target reads a URL that we send to: https, a host of network.http, or a
// loopback one, from which nothing leaves the machine.
func (c *Config) target(dst *string) func(*settings.Decoder, settings.Value) {
	return func(d *settings.Decoder, v settings.Value) {
		settings.Text(dst, want.URL)(d, v)
		d.Later(func() {
			u, err := url.Parse(*dst)
			if err != nil || want.URL(*dst) != nil || u.Scheme != "http" || !d.IsSet("/network/http") {
				return
			}
			same := func(host string) bool { return hostOf(host) == hostOf(u.Hostname()) }
			if !want.IsLoopback(net.JoinHostPort(u.Hostname(), "80")) && !slices.ContainsFunc(c.Network.HTTP, same) {
				d.Doubt(v, "%s: want https, or the host under network.http", v.Text())
			}
		})
	}
}

// hostOf is a host in the spelling in which two are compared.
func hostOf(s string) string { return strings.ToLower(strings.Trim(strings.TrimSuffix(s, "."), "[]")) }

func (c *Config) routeKeys(r *Route) []settings.Key {
	class := want.OneOf("compatible", "review", "breaking")
	return []settings.Key{
		{Name: "match", Keys: []settings.Key{
			{Name: "owner", Read: settings.Text(&r.Match.Owner, want.Pattern)},
			{Name: "workflow", Read: settings.Text(&r.Match.Workflow, want.Pattern)},
			{Name: "agent", Read: settings.Text(&r.Match.Agent, want.Pattern)},
			{Name: "class", Read: settings.Text(&r.Match.Class, class)},
			{Name: "rule", Read: settings.Text(&r.Match.Rule, want.Rule)},
		}},
		{Name: "sinks", Read: func(d *settings.Decoder, v settings.Value) {
			settings.Texts(&r.Sinks, want.Label)(d, v)
			sinks := r.Sinks
			if len(sinks) == 0 && v.IsList() {
				d.Doubt(v, "want one sink at least")
			}
			d.Later(func() {
				for i, name := range sinks {
					c.sinkNamed(d, v.Entry(i), name)
				}
			})
		}},
		{Name: "min_class", Read: settings.Text(&r.MinClass, class)},
		{Name: "group_by", Read: settings.Texts(&r.GroupBy, want.OneOf("owner", "workflow", "agent", "class", "rule"))},
		{Name: "group_window", Read: settings.Pause(&r.GroupWindow, 0)},
		{Name: "reminders", Read: func(d *settings.Decoder, v settings.Value) {
			r.Reminders = settings.List(d, v, func(v settings.Value, t *time.Duration) { settings.Span(t, "")(d, v) })
		}},
		{Name: "resolve", Read: settings.Flag(&r.Resolve)},
		{Name: "continue", Read: settings.Flag(&r.Continue)},
	}
}

func (c *Config) readRoutes(d *settings.Decoder, v settings.Value) {
	c.Notify.Routes = settings.List(d, v, func(v settings.Value, r *Route) {
		*r = defaultRoute()
		if !d.Mapping(v, c.routeKeys(r), "sinks") {
			return
		}
		if len(r.GroupBy) > 0 && !d.Has(v, "group_window") {
			r.GroupWindow = groupWindow
		}
	})
	if n := len(c.Notify.Routes); n > 0 && !c.Notify.Routes[n-1].catchesAll() {
		d.Doubt(v.Entry(n-1), "the last route takes what no other has taken: want one without match and with min_class review at most: add {sinks: [NAME]}")
	}
}

// sinkNamed wants a sink of that name. One that is no name was reported, and ""
// stands for a variable that is not set.
func (c *Config) sinkNamed(d *settings.Decoder, v settings.Value, name string) {
	if _, ok := c.Notify.Sinks[name]; ok || want.Label(name) != nil {
		return
	}
	advice := ""
	if near := slipOf(name, slices.Sorted(maps.Keys(c.Notify.Sinks))); near != "" {
		advice = fmt.Sprintf(" (did you mean %s?)", near)
	}
	d.Doubt(v, "%s: no sink of that name under notify.sinks%s", v.Text(), advice)
}
