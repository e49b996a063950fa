package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/amend"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/security"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/value"
)

// unclassifiedRules speak where no other rule does, of a card and of a lock.
var unclassifiedRules = []Rule{
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
		Check:  changeUnclassified,
		Review: memberUnclassified,
	},
}

func changeUnclassified(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil {
		return nil
	}
	var out []Finding
	pinned := renamed(c, was.Unknown)
	for _, p := range set.Either(pinned, c.Now.Unknown) {
		before, had := pinned[p]
		after, has := c.Now.Unknown[p]
		if had && has && jsondoc.Same(before, after) || spokenFor(c, p) {
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
		return came(offered(c.Lock.Profile, id), offered(c.Now, id))
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

// records are the members in which a lock records what was pinned. One that only
// comes silences nothing.
var records = []string{
	"/lock_version", "/pinned_at", "/card_digest", "/profile_digest", "/agent_version",
	"/interface", "/interface/url", "/interface/tenant", "/profile",
}

// memberUnclassified speaks of each member of the lock that differs and of which
// no other rule said anything. What was recorded for the first time is one
// finding.
func memberUnclassified(r *Revision) []Finding {
	f := r.facts
	if f.was == nil || f.now == nil {
		return nil
	}
	var out []Finding
	var came []string
	said := f.told(lockChangeSubject)
	for _, c := range f.changes {
		switch {
		case c.Pointer == "/profile" && f.isPinnedAgain():
			out = append(out, f.untold(r, said)...)
		case c.Pointer == "/waivers" || said.Of(c.Pointer) || f.follows(c):
		case len(c.Was) == 0 && slices.Contains(records, c.Pointer):
			came = append(came, strings.TrimPrefix(c.Pointer, "/"))
		default:
			out = append(out, f.unclassified(c))
		}
	}
	if len(came) > 0 {
		first := found("/"+came[0], nil, came, "recorded for the first time: %s", strings.Join(came, ", "))
		if at := f.foreign(); at != "" {
			first.Message += fmt.Sprintf("; its calls go to %s, another origin than the card's, and nothing says where they went before", say.Quote(at))
		}
		out = append(out, first)
	}
	differ, gone := f.waiverChanges()
	for _, c := range differ {
		if c.was != nil && !c.isLonger() && !said.Of(c.path) {
			out = append(out, found(c.path, c.was, c.now, "the waiver of %s says something else", say.Quote(c.now.Rule)))
		}
	}
	for _, w := range gone {
		out = append(out, found("/waivers", w, nil, "a waiver of %s is gone", say.Quote(w.Rule)))
	}
	return out
}

func (f *amended) unclassified(c amend.Change) Finding {
	at := say.Quote(c.Pointer)
	if c.Pointer == "/profile" {
		// Too long to repeat, and its members have rules.
		if len(c.Now) == 0 {
			return found(c.Pointer, nil, nil, "the lock no longer records a profile, so nobody can tell what the agent changed")
		}
		return found(c.Pointer, nil, nil, "the recorded profile differs in a way that does not come from a change of the card")
	}
	was, now := brieflyRaw(c.Was), brieflyRaw(c.Now)
	switch {
	case len(c.Was) == 0:
		return found(c.Pointer, nil, raw(c.Now), "%s came: %s", at, now)
	case len(c.Now) == 0 && (c.Pointer == "/interface" || c.Pointer == "/interface/url") && !f.knowsAddress():
		return found(c.Pointer, raw(c.Was), nil, "the lock no longer records where calls go, so nobody can tell when "+
			"they go to another address, tenant or origin; it was %s", was)
	case len(c.Now) == 0:
		return found(c.Pointer, raw(c.Was), nil, "%s went away; it was %s", at, was)
	}
	return found(c.Pointer, raw(c.Was), raw(c.Now), "%s was %s and is %s", at, was, now)
}

// brieflyRaw shows a value in a message.
func brieflyRaw(v jsontext.Value) string { return say.Quote(redact.Text(strings.Trim(string(v), `"`))) }

// told are the members that findings of that subject speak of; without one those
// about the card.
func (f *amended) told(subject string) *amend.Told {
	list := f.drift
	if subject != "" {
		list = f.said
	}
	var at []string
	for _, x := range list {
		if subject == "" || f.rules[x.Rule].Subject == subject {
			at = append(at, x.Path)
		}
		if to, ok := x.Now.([]string); ok && x.Rule == "extension-version-moved" {
			for _, uri := range to {
				at = append(at, extensionPath(uri))
			}
		}
	}
	return amend.Tell(at)
}

// card is what was said of it, worked out once.
func (f *amended) card() *amend.Card {
	if f.changed == nil {
		f.changed = &amend.Card{
			Told: f.told(""), Secured: map[string]bool{},
			Texts: f.policies[0].TextPolicy == "off" && f.policies[1].TextPolicy == "off",
		}
		for _, x := range f.drift {
			for _, id := range x.Skills {
				if f.rules[x.Rule].Subject == "Security" {
					f.changed.Secured[id] = true
				}
			}
		}
	}
	return f.changed
}

// isPinnedAgain reports whether the profile is that of another card than before,
// of which the rules about cards spoke.
func (f *amended) isPinnedAgain() bool {
	return f.was.Profile != nil && f.now.Profile != nil && f.differs("/card_digest") && len(f.drift) > 0
}

// untold speaks of what differs in a profile that was pinned again, and what no
// finding about the card tells: a rule of tomorrow would hold the card against it.
// Where the agent still serves that card, the profile is what it makes of it.
func (f *amended) untold(r *Revision, said *amend.Told) []Finding {
	was, now := f.recorded()
	if live := r.live(); live != nil && r.Live.Digest == f.now.CardDigest && isSame(live.ForLock(f.now.RequiredSkills()), f.now.Profile) {
		return nil
	}
	var out []Finding
	for _, gap := range amend.Untold(was, now, f.card()) {
		if at := say.Pointer("profile", gap.Member); !said.Of(at) {
			out = append(out, found(at, raw(gap.Was), raw(gap.Now), "the recorded profile differs at %s, and no finding about the card tells of it", say.List(gap.At)))
		}
	}
	return out
}

// knowsAddress reports whether the lock still says where its calls go.
func (f *amended) knowsAddress() bool {
	p := pinned(&Comparison{Lock: f.now})
	return p != nil && p.hasURL
}

// foreign is the address that a lock records for the first time, where its origin
// is neither the card's nor an allowed one.
func (f *amended) foreign() string {
	was, now := pinned(&Comparison{Lock: f.was}), pinned(&Comparison{Lock: f.now})
	if now == nil || !now.hasURL || was != nil && was.hasURL {
		return ""
	}
	origin := compile.Origin(now.Binding, now.URL)
	if origin == compile.Origin("", f.now.Agent) || (&Comparison{Lock: f.was}).allows(origin) {
		return ""
	}
	return redact.URL(now.URL)
}

// follows reports whether a change follows from another that was told: a new pin
// renews what it records.
func (f *amended) follows(c amend.Change) bool {
	own := f.now.Profile
	switch c.Pointer {
	case "/pinned_at":
		return len(c.Was) > 0 && len(c.Now) > 0 && len(f.changes) > 1
	case "/card_digest":
		return own != nil && f.now.CardDigest != "" && len(f.drift) > 0
	case "/agent_version":
		return own != nil && f.now.AgentVersion == own.AgentVersion && f.card().Told.In("/agent_version")
	case "/profile_digest":
		return own != nil && f.now.ProfileDigest != "" && fits(f.now) && (f.differs("/profile") || f.skillsDiffer())
	case "/profile":
		return own != nil && f.was.Profile != nil && f.sameProfile()
	case "/interface/version":
		return f.card().Told.In("/interface")
	}
	if id, member, ok := say.Inside(c.Pointer, "/requires/skills/"); ok {
		return (member == "schemes" || member == "scopes") && f.card().Secured[id]
	}
	if claim, _, ok := say.Inside(c.Pointer, "/verified/"); ok {
		now, has := f.now.Verified[claim]
		moved := f.was.ProfileDigest != f.now.ProfileDigest
		return has && moved && f.isFresh(f.was.Verified[claim], now) && strings.Contains(" "+evidenceText(now)+" ", " ok ")
	}
	return false
}

func (f *amended) skillsDiffer() bool {
	return !slices.Equal(f.was.RequiredSkills(), f.now.RequiredSkills())
}

// sameProfile reports whether two profiles differ in nothing but which skills
// they have in full.
func (f *amended) sameProfile() bool {
	was, now := f.recorded()
	return isSame(was, now)
}

// recorded are both profiles with the skills in full that both sides require.
func (f *amended) recorded() (was, now *compile.Profile) {
	both := slices.DeleteFunc(f.was.RequiredSkills(), func(id string) bool {
		_, ok := f.now.Requires.Skills[id]
		return !ok
	})
	return f.was.Profile.ForLock(both), f.now.Profile.ForLock(both)
}

func isSame(a, b *compile.Profile) bool { return bytes.Equal(value.Canonical(a), value.Canonical(b)) }
