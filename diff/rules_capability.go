package diff

import "github.com/a2alock/a2alock/compile"

var capabilityRules = []Rule{
	{
		ID:    "streaming-lost",
		Class: Breaking,
		Title: "the agent no longer streams, and the lock requires it",
		Why:   "Streaming calls are refused with UnsupportedOperationError.",
		Do:    "Poll instead and take streaming out of requires in the lock, or ask the agent's owner to bring it back.",
		Spec:  "3.3.4",
		Example: Example{
			Was:  `{"capabilities":{"streaming":true}}`,
			Now:  `{"capabilities":{"streaming":false}}`,
			Lock: `{"requires":{"streaming":true}}`,
		},
		Check: func(c *Comparison) []Finding { return flagLost(c, streaming) },
	},
	{
		ID:    "push-lost",
		Class: Breaking,
		Title: "the agent no longer sends push notifications, and the lock requires it",
		Why:   "Setting up a notification is refused with PushNotificationNotSupportedError, and results are never told.",
		Do:    "Stream or poll instead and take push out of requires in the lock, or ask the agent's owner to bring it back.",
		Spec:  "3.3.4",
		Example: Example{
			Was:  `{"capabilities":{"pushNotifications":true}}`,
			Now:  `{"capabilities":{}}`,
			Lock: `{"requires":{"push":true}}`,
		},
		Check: func(c *Comparison) []Finding { return flagLost(c, push) },
	},
	{
		ID:    "extended-card-lost",
		Class: Breaking,
		Title: "the agent no longer has an extended card, and the lock was pinned from it",
		Why:   "Skills that only the extended card shows can no longer be seen, let alone relied on.",
		Do:    "Ask the agent's owner, or pin the public card.",
		Spec:  "13.3",
		Example: Example{
			Was:  `{"capabilities":{"extendedAgentCard":true}}`,
			Now:  `{"capabilities":{}}`,
			Lock: `{"identity":"pricing-reader"}`,
		},
		Check: func(c *Comparison) []Finding { return flagLost(c, extendedCard) },
	},
	{
		ID:      "capability-lost-unused",
		Class:   Compatible,
		Title:   "a capability went off that the lock does not require",
		Why:     "This workflow does not use it.",
		Do:      "Nothing.",
		Spec:    "4.4.3",
		Example: Example{Was: `{"capabilities":{"streaming":true}}`, Now: `{"capabilities":{"streaming":false}}`},
		Check:   capabilityLostUnused,
	},
	{
		ID:      "capability-gained",
		Class:   Compatible,
		Title:   "a capability went on",
		Why:     "There is something new that the workflow could use.",
		Do:      "Nothing, or require it with the next pin.",
		Spec:    "4.4.3",
		Example: Example{Was: `{"capabilities":{}}`, Now: `{"capabilities":{"pushNotifications":true}}`},
		Check:   capabilityGained,
	},
}

// A flag is one capability, and what of a lock requires it.
type flag struct {
	path, name string
	in         func(*compile.Profile) bool
	required   func(*Comparison) bool
}

var (
	streaming = flag{
		"/streaming", "streaming",
		func(p *compile.Profile) bool { return p.Streaming },
		func(c *Comparison) bool { return c.Lock.Requires.Streaming },
	}
	push = flag{
		"/push", "push notifications",
		func(p *compile.Profile) bool { return p.Push },
		func(c *Comparison) bool { return c.Lock.Requires.Push },
	}
	extendedCard = flag{
		"/extended_card", "the extended card",
		func(p *compile.Profile) bool { return p.ExtendedCard },
		func(c *Comparison) bool { return c.Lock.Identity != "" },
	}
	flags = []flag{streaming, push, extendedCard}
)

// flagLost asks what the lock requires, whatever was recorded.
func flagLost(c *Comparison, f flag) []Finding {
	if !f.required(c) || f.in(c.Now) {
		return nil
	}
	return []Finding{found(f.path, true, false, "the lock requires %s, which the card no longer offers", f.name)}
}

func capabilityLostUnused(c *Comparison) []Finding {
	return flagsWhere(c, func(f flag, was, now bool) bool { return was && !now && !f.required(c) }, "went off; the lock does not require it")
}

func capabilityGained(c *Comparison) []Finding {
	return flagsWhere(c, func(_ flag, was, now bool) bool { return !was && now }, "went on")
}

func flagsWhere(c *Comparison, is func(f flag, was, now bool) bool, what string) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	var out []Finding
	for _, f := range flags {
		if was, now := f.in(p), f.in(c.Now); is(f, was, now) {
			out = append(out, found(f.path, was, now, "the capability %s %s", f.name, what))
		}
	}
	return out
}
