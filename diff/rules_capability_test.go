package diff

import "testing"

func TestCapabilityRules(t *testing.T) {
	caps := func(members string) string { return `{"capabilities":{` + members + `}}` }
	const needStream, needPush = `{"requires":{"streaming":true}}`, `{"requires":{"push":true}}`
	runRows(t, []row{
		// streaming-lost
		{name: "streaming stays", was: caps(`"streaming":true`), now: caps(`"streaming":true`), lock: needStream},
		{name: "streaming was never there", lock: needStream, want: []string{"streaming-lost"}},
		{name: "streaming not required", was: caps(`"streaming":true`), want: []string{"capability-lost-unused"}},
		{name: "absent is false", was: caps(`"streaming":false`), now: caps(``), want: []string{"card-changed"}},
		{
			name: "the client cannot stream itself", was: caps(`"streaming":true`), now: caps(`"streaming":true`), lock: needStream,
			client: func(cl *compileClient) { cl.Streaming = false },
		},
		{
			name: "required though not recorded", now: caps(``), lock: needStream, want: []string{"streaming-lost"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		// push-lost
		{name: "push stays", was: caps(`"pushNotifications":true`), now: caps(`"pushNotifications":true`), lock: needPush},
		{name: "push not required", was: caps(`"pushNotifications":true`), want: []string{"capability-lost-unused"}},
		{
			name: "streaming lost, push required and there",
			was:  caps(`"pushNotifications":true,"streaming":true`), now: caps(`"pushNotifications":true`), lock: needPush,
			want: []string{"capability-lost-unused"},
		},
		// extended-card-lost
		{name: "pinned from the public card", was: caps(`"extendedAgentCard":true`), want: []string{"capability-lost-unused"}},
		{
			name: "extended card stays", was: caps(`"extendedAgentCard":true`), now: caps(`"extendedAgentCard":true`),
			lock: `{"identity":"reader"}`,
		},
		{
			name: "from the 0.3 place to the 1.0 place", was: `{"supportsAuthenticatedExtendedCard":true}`,
			now: caps(`"extendedAgentCard":true`), lock: `{"identity":"reader"}`, want: []string{"card-changed"},
		},
		// capability-lost-unused, capability-gained
		{name: "all came", now: caps(`"streaming":true,"pushNotifications":true,"extendedAgentCard":true`), want: []string{"capability-gained", "capability-gained", "capability-gained"}},
		{name: "false came", now: caps(`"streaming":false`), want: []string{"card-changed"}},
		{
			name: "nothing recorded", now: caps(`"streaming":true`), want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		{name: "gained what is required", now: caps(`"streaming":true`), lock: needStream, want: []string{"capability-gained"}},
	})
}
