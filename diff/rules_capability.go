package diff

import (
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
)

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
		Do:    "Ask the agent's owner, or pin the public card: then the lock names no identity.",
		Spec:  "13.3",
		Example: Example{
			Was:  `{"capabilities":{"extendedAgentCard":true}}`,
			Now:  `{"capabilities":{}}`,
			Lock: `{"identity":"pricing-reader"}`,
		},
		Check: extendedCardLost,
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

// extendedCardLost goes by what the agent did when it was asked; where nobody
// asked, by the flag.
func extendedCardLost(c *Comparison) []Finding {
	if !c.Lock.IsExtended() || c.Seen.Lost == "" && (c.Seen.Extended || c.Now.ExtendedCard) {
		return nil
	}
	if c.Seen.Lost == "" {
		return []Finding{found(extendedCard.path, true, false, "the lock was pinned from the extended card, which the card no longer promises")}
	}
	what := "is gone"
	if c.unasked() != "" {
		what = "was not seen"
	}
	return []Finding{found(extendedCard.path, true, false, "the lock was pinned from the extended card, which %s: %s", what, say.OneLine(c.Seen.Lost))}
}

// unasked is the rule that says why the agent was not asked for the extended card;
// "": it was, or does not promise one.
func (c *Comparison) unasked() string {
	switch {
	case c.Seen.Lost == "":
		return ""
	case c.Seen.Offsite:
		return "card-moved-offsite"
	case c.Now.ExtendedCard && c.Now.Interface == nil:
		return "interface-none-usable"
	}
	return ""
}

// stands is whether a rule has a breaking finding that nobody waived.
func (c *Comparison) stands(rule string) bool {
	if rule == "" {
		return false
	}
	findings := byID()[rule].Check(c)
	c.finish(findings)
	excuse(c.Lock.Waivers, findings, c.At)
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Class == Breaking && f.Waived == nil })
}

// IsLost is whether the card says nothing of what the lock was pinned to, since
// it is another. Where the finding that says so is waived, the public card is to
// do, and is judged.
func (c *Comparison) IsLost() bool {
	return c.Seen.Lost != "" && c.Lock.IsExtended() && (c.stands(c.unasked()) || c.stands("extended-card-lost"))
}

// lostNote says what was left out where the card is lost.
func lostNote(c *Comparison) string {
	s := "the card that came is the public one: what the lock requires was not held against it"
	if c.unasked() == "" {
		return s
	}
	return s + " (" + say.OneLine(c.Seen.Lost) + ")"
}

// authRequired is the state of an agent that wants to know who asks.
const authRequired card.State = "auth-required"

// Denied says that access to the extended card was lost without a word: the agent
// shows the lock's identity its public card in place of the one that the lock was
// pinned from, and a skill that the lock requires is missing; "" where that is not
// so. Nobody can tell that from an agent whose extended card always was the public
// one, and that has dropped the skill.
func (c *Comparison) Denied() string {
	if !c.Seen.Same || !c.Lock.IsExtended() || c.Lock.CardDigest != "" && c.Lock.CardDigest == c.Seen.CardDigest {
		return ""
	}
	isMissing := func(id string) bool {
		_, ok := c.Now.Skills[id]
		_, disabled := c.Now.Disabled[id]
		return !ok && !disabled && !slices.Contains(c.Now.Ambiguous, id)
	}
	if !slices.ContainsFunc(c.Lock.RequiredSkills(), isMissing) {
		return ""
	}
	return fmt.Sprintf("the agent shows %s its public card, as it does to callers that it does not know", say.Quote(c.Lock.Identity))
}

// asks is whether the rule has something to say of c. Where the extended card
// is lost, that alone is said, and what is not about a card.
func (c *Comparison) asks(r *Rule) bool {
	if r.Check == nil {
		return false
	}
	switch r.ID {
	case "extended-card-lost":
		return !c.stands(c.unasked())
	case "card-moved", "card-moved-offsite", "replicas-disagree", "validator-unreliable":
		return true
	case c.unasked():
		return true
	case "waiver-unused":
		return !c.IsLost() // what it waives may be there
	}
	return r.Subject == lockStateSubject || !c.IsLost()
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
