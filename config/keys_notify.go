package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/want"
)

func (c *Config) notifyKeys() []key {
	n := &c.Notify
	return []key{
		{name: "sinks", secret: true, keys: c.sinkKeys(new(Sink)), read: c.readSinks},
		{name: "routes", keys: c.routeKeys(new(Route)), read: c.readRoutes},
		{name: "fallback", read: func(d *decoder, v value) {
			text(&n.Fallback, want.Optional(want.Label))(d, v)
			d.later = append(d.later, func() { c.sinkNamed(d, v, n.Fallback) })
		}},
	}
}

func (c *Config) sinkKeys(s *Sink) []key {
	var slack Slack
	var hook Webhook
	return []key{
		{name: "slack", secret: true, keys: []key{
			{name: "webhook_url", secret: true, read: c.target(&slack.WebhookURL)},
			{name: "token", secret: true, read: text(&slack.Token, want.Word("the token of a bot"))},
			{name: "channel", read: text(&slack.Channel, want.Word("the id or the name of one channel"))},
			{name: "api_url", read: c.target(&slack.APIURL)},
		}, then: func(d *decoder, v value) {
			incoming, token, channel := d.has(v, "webhook_url"), d.has(v, "token"), d.has(v, "channel")
			switch {
			case incoming && (token || channel || d.has(v, "api_url")):
				d.fail(v, "want either webhook_url, or token and channel")
			case !incoming && !(token && channel):
				d.fail(v, "want webhook_url, or token and channel")
			}
			if slack.APIURL != "" {
				slack.APIURL = strings.TrimSuffix(slack.APIURL, "/") + "/"
			}
			s.Slack = &slack
		}},
		{name: "webhook", secret: true, keys: []key{
			{name: "url", secret: true, read: c.target(&hook.URL)},
			{name: "secrets", secret: true, read: func(d *decoder, v value) {
				texts(&hook.Secrets, want.Secret)(d, v)
				if n := len(hook.Secrets); v.isList() && (n < 1 || n > 2) {
					d.fail(v, "want one secret, or two during rotation")
				}
			}},
		}, then: func(d *decoder, v value) {
			for _, name := range []string{"url", "secrets"} {
				if !d.has(v, name) {
					d.fail(v, "want the key %s", name)
				}
			}
			s.Webhook = &hook
		}},
		{name: "log", then: func(*decoder, value) { s.Log = &Log{} }},
	}
}

func (c *Config) readSinks(d *decoder, v value) {
	n := &c.Notify
	n.Sinks = map[string]Sink{}
	d.entries(v, func(name string, k, v value) {
		if err := want.Label(name); err != nil {
			d.fail(k, "%s: %v", short(name), err)
		}
		var s Sink
		if keys := c.sinkKeys(&s); d.mapping(v, keys) {
			kinds := 0
			for _, k := range keys {
				if d.has(v, k.name) {
					kinds++
				}
			}
			if kinds != 1 {
				d.fail(v, "want one of slack, webhook or log (log: {})")
			}
		}
		n.Sinks[name] = s
	})
	d.later = append(d.later, func() {
		if len(n.Sinks) > 0 && len(n.Routes) == 0 && !d.given["/notify/routes"] {
			d.fail(v, "no route leads to them: add routes: [{sinks: [%s]}] beside", plain(slices.Sorted(maps.Keys(n.Sinks))[0]))
		}
	})
}

// target reads a URL that we send to: https, a host of network.http, or a
// loopback one, from which nothing leaves the machine.
func (c *Config) target(dst *string) func(*decoder, value) {
	return func(d *decoder, v value) {
		text(dst, want.URL)(d, v)
		d.later = append(d.later, func() {
			u, err := url.Parse(*dst)
			if err != nil || want.URL(*dst) != nil || u.Scheme != "http" || d.c.Require("/network/http") != nil {
				return
			}
			same := func(host string) bool { return hostOf(host) == hostOf(u.Hostname()) }
			if !want.IsLoopback(net.JoinHostPort(u.Hostname(), "80")) && !slices.ContainsFunc(c.Network.HTTP, same) {
				d.fail(v, "%s: want https, or the host under network.http", v.text())
			}
		})
	}
}

// hostOf is a host in the spelling in which two are compared.
func hostOf(s string) string { return strings.ToLower(strings.Trim(strings.TrimSuffix(s, "."), "[]")) }

func (c *Config) routeKeys(r *Route) []key {
	class := want.OneOf("compatible", "review", "breaking")
	return []key{
		{name: "match", keys: []key{
			{name: "owner", read: text(&r.Match.Owner, want.Pattern)},
			{name: "workflow", read: text(&r.Match.Workflow, want.Pattern)},
			{name: "agent", read: text(&r.Match.Agent, want.Pattern)},
			{name: "class", read: text(&r.Match.Class, class)},
			{name: "rule", read: text(&r.Match.Rule, want.Rule)},
		}},
		{name: "sinks", read: func(d *decoder, v value) {
			texts(&r.Sinks, want.Label)(d, v)
			sinks := r.Sinks
			if len(sinks) == 0 && v.isList() {
				d.fail(v, "want one sink at least")
			}
			d.later = append(d.later, func() {
				for i, name := range sinks {
					c.sinkNamed(d, d.entry(v, i), name)
				}
			})
		}},
		{name: "min_class", read: text(&r.MinClass, class)},
		{name: "group_by", read: texts(&r.GroupBy, want.OneOf("owner", "workflow", "agent", "class", "rule"))},
		{name: "group_window", read: pause(&r.GroupWindow, 0)},
		{name: "reminders", read: func(d *decoder, v value) {
			r.Reminders = list(d, v, func(v value, t *time.Duration) { span(t, "")(d, v) })
		}},
		{name: "resolve", read: flag(&r.Resolve)},
		{name: "continue", read: flag(&r.Continue)},
	}
}

func (c *Config) readRoutes(d *decoder, v value) {
	c.Notify.Routes = list(d, v, func(v value, r *Route) {
		*r = defaultRoute()
		if !d.mapping(v, c.routeKeys(r), "sinks") {
			return
		}
		if len(r.GroupBy) > 0 && !d.has(v, "group_window") {
			r.GroupWindow = groupWindow
		}
	})
	if n := len(c.Notify.Routes); n > 0 && !c.Notify.Routes[n-1].catchesAll() {
		d.fail(d.entry(v, n-1), "the last route takes what no other has taken: want one without match and with min_class review at most: add {sinks: [NAME]}")
	}
}

// sinkNamed wants a sink of that name. One that is no name was reported, and ""
// stands for a variable that is not set.
func (c *Config) sinkNamed(d *decoder, v value, name string) {
	if _, ok := c.Notify.Sinks[name]; ok || want.Label(name) != nil {
		return
	}
	advice := ""
	if near := slipOf(name, slices.Sorted(maps.Keys(c.Notify.Sinks))); near != "" {
		advice = fmt.Sprintf(" (did you mean %s?)", near)
	}
	d.fail(v, "%s: no sink of that name under notify.sinks%s", v.text(), advice)
}
