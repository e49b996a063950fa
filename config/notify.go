package config

import "time"

// Notify says who is told what.
type Notify struct {
	Sinks    map[string]Sink
	Routes   []Route
	Fallback string // a sink; "": none
}

// A Sink is where messages go: exactly one of its members is set.
type Sink struct {
	Slack   *Slack
	Webhook *Webhook
	Log     *Log
}

// Slack is an incoming webhook, or a bot's token and channel.
type Slack struct {
	WebhookURL     string
	Token, Channel string
	APIURL         string // another server than Slack's; ends in "/"
}

// Webhook is a receiver of signed CloudEvents.
type Webhook struct {
	URL     string
	Secrets []string // one, or two during rotation: whsec_ and base64
}

// Log writes messages to the daemon's log.
type Log struct{}

// A Route sends what it matches to sinks.
type Route struct {
	Match    Match
	Sinks    []string
	MinClass string // "compatible", "review" or "breaking"; events without a class count as review
	// GroupBy lists what messages have in common that go out as one: "owner",
	// "workflow", "agent", "class" and "rule".
	GroupBy []string
	// GroupWindow is how long the first message of a group waits for others; 0
	// sends each by itself.
	GroupWindow time.Duration
	Reminders   []time.Duration // after the opening, and the last again and again; empty: none
	Resolve     bool            // tell the end too
	Continue    bool            // later routes are tried as well
}

// Match is what a message must have; "" matches all. Owner, Workflow and Agent
// may hold * as a wildcard.
type Match struct {
	Owner, Workflow, Agent, Class, Rule string
}

// OrLog returns n, or where no sink is named, a log sink that gets everything.
func (n Notify) OrLog() Notify {
	if len(n.Sinks) > 0 {
		return n
	}
	r := defaultRoute()
	r.Sinks = []string{"log"}
	return Notify{Sinks: map[string]Sink{"log": {Log: &Log{}}}, Routes: []Route{r}}
}

// groupWindow is the window of a route that groups and does not say how long.
const groupWindow = 30 * time.Second

// defaultRoute is a route of which nothing was said.
func defaultRoute() Route {
	return Route{
		MinClass:  "review",
		Reminders: []time.Duration{4 * time.Hour, 24 * time.Hour},
		Resolve:   true,
	}
}

// catchesAll reports whether r takes all that is worth a message.
func (r *Route) catchesAll() bool { return r.Match == Match{} && r.MinClass != "breaking" }
