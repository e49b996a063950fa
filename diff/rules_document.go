package diff

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/security"
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
	{
		ID:    "change-unclassified",
		Class: Review,
		Title: "something changed in a place that calls depend on, and no other rule knows it",
		Why:   "A member outside the schema may change what a call means, and a2alock cannot tell.",
		Do:    "Read what the agent's owner says about the member, then pin again.",
		Spec:  "4.4.3",
		Example: Example{
			Was: `{"capabilities":{"x-rate":10}}`,
			Now: `{"capabilities":{"x-rate":5}}`,
		},
		Check: changeUnclassified,
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

func changeUnclassified(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil {
		return nil
	}
	var out []Finding
	pinned := renamed(c, was.Unknown)
	for _, p := range either(pinned, c.Now.Unknown) {
		before, had := pinned[p]
		after, has := c.Now.Unknown[p]
		if had && has && sameJSON(before, after) || spokenFor(c, p) {
			continue
		}
		what := "changed"
		if !had {
			what = "came"
		} else if !has {
			what = "went away"
		}
		f := found(p, raw(before), raw(after), "%s, a member outside the schema, %s", say.Quote(p), what)
		if id, _, ok := say.Inside(p, "/skills/"); ok {
			f = f.of(id)
		}
		out = append(out, f)
	}
	return append(out, securitySays(c, security.Unclassified)...)
}

// spokenFor reports whether the thing that the unknown member is part of came
// or went as a whole: the rules that say so cover its members.
func spokenFor(c *Comparison, p string) bool {
	came := func(had, has bool) bool { return had != has }
	if id, _, ok := say.Inside(p, "/skills/"); ok {
		_, has := c.Now.Skills[id]
		return came(offered(c.Lock.Profile, id), has)
	}
	if uri, _, ok := say.Inside(p, "/declared_extensions/"); ok {
		_, had := c.Lock.Profile.DeclaredExtensions[uri]
		_, has := c.Now.DeclaredExtensions[uri]
		return came(had, has)
	}
	if name, _, ok := say.Inside(p, "/interfaces/"); ok {
		at := func(i compile.Interface) bool { return fmt.Sprintf("%s+%s", i.Binding, i.Version) == name }
		return came(slices.ContainsFunc(c.Lock.Profile.Interfaces, at), slices.ContainsFunc(c.Now.Interfaces, at))
	}
	if name, _, ok := say.Inside(p, "/schemes/"); ok {
		// Of a scheme that no required skill asks for, as of its definition,
		// nothing concerns this lock.
		return !asked(c, name) || !uses(c, name)
	}
	return false
}

// renamed puts what was recorded of a scheme under the name that it has now.
func renamed(c *Comparison, unknown map[string]jsontext.Value) map[string]jsontext.Value {
	names := renames(c)
	if len(names) == 0 {
		return unknown
	}
	out := make(map[string]jsontext.Value, len(unknown))
	for p, v := range unknown {
		name, rest, ok := say.Inside(p, "/schemes/")
		if !ok || !isRenamed(names, name) { // else another scheme has the name now
			out[p] = v
		}
		for _, now := range names[name] {
			if ok {
				out[say.Pointer("schemes", now)+"/"+rest] = v
			}
		}
	}
	return out
}

// renames are the names now of the schemes that were called something else, by
// the name then.
func renames(c *Comparison) map[string][]string {
	names := map[string][]string{}
	for _, f := range securitySays(c, security.SchemeRenamed) {
		was, ok := f.Was.(string)
		now, ok2 := f.Now.(string)
		if ok && ok2 {
			names[was] = append(names[was], now)
		}
	}
	return names
}

// isRenamed reports whether name is what a scheme is called that was called
// something else.
func isRenamed(names map[string][]string, name string) bool {
	for _, now := range names {
		if slices.Contains(now, name) {
			return true
		}
	}
	return false
}

// uses reports whether a required skill asks for the scheme of that name now.
func uses(c *Comparison, name string) bool {
	return slices.ContainsFunc(c.known().skills, func(s skill) bool { return names(s.now.Security, name) })
}

// asked reports whether one did when it was pinned, whatever it was called.
func asked(c *Comparison, name string) bool {
	return isRenamed(renames(c), name) ||
		slices.ContainsFunc(c.known().skills, func(s skill) bool { return s.was != nil && names(s.was.Security, name) })
}

func names(ways []compile.Alternative, name string) bool {
	return slices.ContainsFunc(ways, func(a compile.Alternative) bool {
		_, ok := a.Schemes[name]
		return ok
	})
}
