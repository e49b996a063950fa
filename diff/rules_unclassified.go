package diff

import (
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
	for _, c := range f.changes {
		switch {
		case c.Pointer == "/waivers" || f.isSaid(c.Pointer) || f.follows(c):
		case len(c.Was) == 0 && slices.Contains(records, c.Pointer):
			came = append(came, strings.TrimPrefix(c.Pointer, "/"))
		default:
			out = append(out, unclassified(c))
		}
	}
	if len(came) > 0 {
		out = append(out, found("/"+came[0], nil, came, "recorded for the first time: %s", strings.Join(came, ", ")))
	}
	differ, gone := f.waiverChanges()
	for _, c := range differ {
		if c.was != nil && !c.isLonger() && !f.isSaid(c.path) {
			out = append(out, found(c.path, c.was, c.now, "the waiver of %s says something else", say.Quote(c.now.Rule)))
		}
	}
	for _, w := range gone {
		out = append(out, found("/waivers", w, nil, "a waiver of %s is gone", say.Quote(w.Rule)))
	}
	return out
}

func unclassified(c amend.Change) Finding {
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
	case len(c.Now) == 0:
		return found(c.Pointer, raw(c.Was), nil, "%s went away; it was %s", at, was)
	}
	return found(c.Pointer, raw(c.Was), raw(c.Now), "%s was %s and is %s", at, was, now)
}

// brieflyRaw shows a value in a message.
func brieflyRaw(v jsontext.Value) string { return say.Quote(redact.Text(strings.Trim(string(v), `"`))) }

// isSaid reports whether a finding about the lock speaks of the member, of one
// around it or of one in it.
func (f *amended) isSaid(at string) bool {
	return slices.ContainsFunc(f.said, func(x Finding) bool {
		return f.rules[x.Rule].Subject == lockChangeSubject && x.Path != "" &&
			(x.Path == at || strings.HasPrefix(at, x.Path+"/") || strings.HasPrefix(x.Path, at+"/"))
	})
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
		return own != nil && f.now.AgentVersion == own.AgentVersion && f.drifts("/agent_version", "")
	case "/profile_digest":
		return own != nil && f.now.ProfileDigest != "" && fits(f.now) && (f.differs("/profile") || f.skillsDiffer())
	case "/profile":
		return own != nil && f.was.Profile != nil && (f.differs("/card_digest") && len(f.drift) > 0 || f.sameProfile())
	case "/interface/version":
		return f.drifts("/interface", "")
	}
	if id, member, ok := say.Inside(c.Pointer, "/requires/skills/"); ok {
		return (member == "schemes" || member == "scopes") && f.drifts("", id)
	}
	if claim, _, ok := say.Inside(c.Pointer, "/verified/"); ok {
		now, has := f.now.Verified[claim]
		moved := f.was.ProfileDigest != f.now.ProfileDigest
		return has && moved && f.isFresh(f.was.Verified[claim], now) && strings.Contains(" "+evidenceText(now)+" ", " ok ")
	}
	return false
}

// drifts reports whether a rule about the card speaks at or below a path; with a
// skill, one about its security.
func (f *amended) drifts(path, skill string) bool {
	return slices.ContainsFunc(f.drift, func(x Finding) bool {
		if skill != "" {
			return f.rules[x.Rule].Subject == "Security" && slices.Contains(x.Skills, skill)
		}
		return x.Path == path || strings.HasPrefix(x.Path, path+"/")
	})
}

func (f *amended) skillsDiffer() bool {
	return !slices.Equal(f.was.RequiredSkills(), f.now.RequiredSkills())
}

// sameProfile reports whether two profiles differ in nothing but which skills
// they have in full.
func (f *amended) sameProfile() bool {
	both := slices.DeleteFunc(f.was.RequiredSkills(), func(id string) bool {
		_, ok := f.now.Requires.Skills[id]
		return !ok
	})
	form := func(p *compile.Profile) string { return string(value.Canonical(p.ForLock(both))) }
	return form(f.was.Profile) == form(f.now.Profile)
}
