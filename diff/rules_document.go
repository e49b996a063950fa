package diff

import (
	"fmt"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
)

var documentRules = []Rule{
	{
		ID:     "card-changed",
		Class:  Compatible,
		Title:  "the card's content changed, and no other rule speaks",
		Why:    "Nothing that this workflow depends on is different. In real histories it is the most frequent change.",
		Do:     "Nothing. The next pin records the new digest.",
		Design: "Digests",
		Example: Example{
			Was: `{"iconUrl":"https://agent.example/old.png"}`,
			Now: `{"iconUrl":"https://agent.example/new.png"}`,
		},
		Check: cardChanged,
	},
	{
		ID:      "card-moved",
		Class:   Review,
		Title:   "the card was answered from another URL of the same origin",
		Why:     "The pinned URL is a redirect now, and one day it may be gone.",
		Do:      "Pin the URL that answers.",
		Design:  "Fetching",
		Example: Example{Seen: "https://agent.example/cards/pricing.json"},
		Check:   cardMoved,
	},
	{
		ID:      "card-moved-offsite",
		Class:   Breaking,
		Floor:   true,
		Title:   "a redirect led to another origin",
		Why:     "Whoever runs the other origin now writes the card, and with it the addresses that credentials go to.",
		Do:      "Ask the agent's owner. Pin the new URL, or list its origin in the lock's trust.allowed_origins.",
		Design:  "Fetching",
		Example: Example{Seen: "https://cards.example/.well-known/agent-card.json", Offsite: true},
		Check:   cardMovedOffsite,
	},
	{
		ID:    "card-shape-changed",
		Class: Compatible,
		Title: "the card moved to another generation of the format",
		Why:   "A card of another shape may stop serving some clients; what that costs this one, the interface rules say.",
		Do:    "Nothing, unless another rule speaks too.",
		Spec:  "4.4.1",
		Example: Example{
			Now: `{"url":"https://agent.example/a2a","preferredTransport":"JSONRPC","protocolVersion":"1.0"}`,
		},
		Check: cardShapeChanged,
	},
}

func cardChanged(c *Comparison) []Finding {
	was, now := c.Lock.CardDigest, c.Seen.CardDigest
	if was == "" || now == "" || was == now {
		return nil
	}
	return []Finding{found("", was, now, "the card's content changed in ways that no call of this workflow depends on")}
}

func cardMoved(c *Comparison) []Finding {
	if !moved(c) {
		return nil
	}
	was, now := redact.URL(c.Lock.Agent), redact.URL(c.Seen.URL)
	return []Finding{found("", was, now, "the card was answered from %s, and %s is pinned", say.Quote(now), say.Quote(was))}
}

// cardMovedOffsite goes by the word of whoever followed the redirects alone:
// what is another origin is decided once, where the request was made.
func cardMovedOffsite(c *Comparison) []Finding {
	if !c.Seen.Offsite {
		return nil
	}
	was, now := compile.Origin("", c.Lock.Agent), compile.Origin("", c.Seen.URL)
	f := found("", redact.URL(c.Lock.Agent), redact.URL(c.Seen.URL), "a redirect led from %s to another origin: the card came from %s",
		say.Quote(redact.URL(c.Lock.Agent)), say.Quote(redact.URL(c.Seen.URL)))
	if was == now {
		f.Message = fmt.Sprintf("a redirect left the origin of %s, and another one came back to it", say.Quote(redact.URL(c.Lock.Agent)))
	}
	if c.allows(now) {
		f.Class = Review
	}
	return []Finding{f}
}

// moved reports whether another URL answered than the pinned one. A card read
// from a file was answered by none.
func moved(c *Comparison) bool {
	return c.Seen.URL != "" && compile.NormalizeURL("", c.Seen.URL) != compile.NormalizeURL("", c.Lock.Agent)
}

func cardShapeChanged(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil || was.Shape == "" || generation(was.Shape) == generation(c.Now.Shape) {
		return nil
	}
	return []Finding{found("/shape", was.Shape, c.Now.Shape,
		"the card's shape was %s and is %s", was.Shape, c.Now.Shape)}
}

// generation makes 0.2 and 0.3 one shape.
func generation(s card.Shape) card.Shape {
	if s == card.Shape02 {
		return card.Shape03
	}
	return s
}
