package laws_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// judge holds a lock against a card as check does.
func judge(t *rapid.T, l *lockfile.Lock, body []byte, cl *compile.Client) *diff.Result {
	r := compile.Read(body, cl, card.Options{})
	if r.Card == nil {
		t.Fatalf("no card: %v\n%s", r.Err, body)
	}
	return diff.Judge(l, r, diff.Comparison{Client: cl, At: at})
}

// clip is a finding in one line.
func clip(f diff.Finding) string {
	data, err := json.Marshal(f)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// clips are the findings of a result; card-changed depends on the bytes alone.
func clips(r *diff.Result) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Rule != "card-changed" {
			out = append(out, clip(f))
		}
	}
	return out
}

// worst is the class of the worst finding. Unlike the result's class it is
// known of an undecided one too.
func worst(r *diff.Result) diff.Class {
	if len(r.Findings) == 0 {
		return diff.Compatible
	}
	return r.Findings[0].Class
}

// drawStripped draws a lock with less in it than pin writes: all that it may
// leave out is at stake.
func drawStripped(t *rapid.T, l *lockfile.Lock) *lockfile.Lock {
	c := *l
	c.Requires.Skills = map[string]lockfile.Need{}
	schemes, scopes := chance(t, "no schemes", 4), chance(t, "no scopes", 4)
	for id, n := range l.Requires.Skills {
		if schemes {
			n.Schemes = nil
		}
		if scopes {
			n.Scopes = nil
		}
		c.Requires.Skills[id] = n
	}
	if chance(t, "no profile", 4) {
		c.Profile, c.ProfileDigest = nil, ""
	}
	switch below(t, "interface", 6) {
	case 0:
		c.Interface = nil
	case 1:
		c.Interface = &lockfile.Interface{Binding: l.Interface.Binding, Version: l.Interface.Version}
	}
	if chance(t, "no digest", 4) {
		c.CardDigest = ""
	}
	return &c
}

// What is compared with itself has not changed, however little of it the lock
// records, and however the lock went through a file.
func TestNothingChangedOfItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		body := s.render().bytes(spelling{})
		for _, lock := range []*lockfile.Lock{l, reread(t, drawStripped(t, l))} {
			if !canCall(l, lock, cl) {
				continue
			}
			if r := judge(t, lock, body, cl); len(r.Findings) > 0 || !r.Decided {
				t.Fatalf("decided %v, findings %q\n%s", r.Decided, clips(r), describeWorld(s, cl, lock))
			}
		}
		r, err := diff.Cards(body, body, card.Options{}, diff.Comparison{At: at})
		if err != nil || len(r.Findings) > 0 || !r.Decided {
			t.Fatalf("as two cards: %v, %+v\n%s", err, r, body)
		}
	})
}

// canCall reports whether a client can meet what the skills of less ask for, as
// full records it. Where less does not record it, that they ask for what nobody
// can read, or for what the client is known not to hold, is no change; it is
// told all the same, since no call can succeed.
func canCall(full, less *lockfile.Lock, cl *compile.Client) bool {
	for id, n := range less.Requires.Skills {
		list := full.Profile.Skills[id].Security
		if less.Profile == nil && len(list) > 0 && !slices.ContainsFunc(list, func(a compile.Alternative) bool {
			named := n.Schemes != nil && slices.Equal(n.Schemes, slices.Sorted(maps.Keys(a.Schemes)))
			for _, use := range a.Schemes {
				if use.Kind == card.KindUnknown {
					return false
				}
			}
			return named || len(cl.Credentials) == 0 || compile.Meets(a, cl.Credentials)
		}) {
			return false
		}
	}
	return true
}

// reread is a lock as it comes back from its file.
func reread(t *rapid.T, l *lockfile.Lock) *lockfile.Lock {
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	read, err := lockfile.Parse(data, "x.a2a.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// A card says the same in any order of members, with any white space, escapes
// and forms of numbers. Sets say the same in any order of their items, of
// which the digest of the document alone takes notice.
func TestSpellingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		now, _ := mutate(t, s, below(t, "mutations", 3))
		doc := now.render()
		plain := doc.bytes(spelling{})
		want := compile.Read(plain, cl, card.Options{})
		verdict := judge(t, l, plain, cl)
		if d := cmp.Diff(clips(verdict), clips(judge(t, reread(t, l), plain, cl))); d != "" {
			t.Fatalf("with the lock read back the verdict is another (-was +now):\n%s\n%s\n%s", d, describeWorld(s, cl, l), plain)
		}
		for name, how := range map[string]spelling{
			"members":  {members: true},
			"white":    {space: true},
			"escapes":  {escapes: true},
			"numbers":  {numbers: true},
			"sets":     {sets: true},
			"all":      {members: true, space: true, escapes: true, numbers: true},
			"all sets": {members: true, space: true, escapes: true, numbers: true, sets: true},
		} {
			how.rng = drawRand(t)
			body := doc.bytes(how)
			got := compile.Read(body, cl, card.Options{})
			if !how.sets && got.Digest != want.Digest {
				t.Fatalf("%s: the card's digest changed\n%s\n%s", name, plain, body)
			}
			sameProfile(t, name, want, got)
			if d := cmp.Diff(clips(verdict), clips(judge(t, l, body, cl))); d != "" {
				t.Fatalf("%s: the verdict changed (-was +now):\n%s\n%s\n%s", name, d, plain, body)
			}
		}
		shuffledItself := judge(t, l, s.render().bytes(spelling{sets: true, members: true, rng: drawRand(t)}), cl)
		if len(clips(shuffledItself)) > 0 || len(shuffledItself.Findings) > 1 || !shuffledItself.Decided {
			t.Fatalf("shuffled sets: findings %v, want card-changed at most\n%s", clips(shuffledItself), describeWorld(s, cl, l))
		}
	})
}

func sameProfile(t *rapid.T, name string, want, got *compile.Reading) {
	if (want.Err == nil) != (got.Err == nil) {
		t.Fatalf("%s: error %v became %v", name, want.Err, got.Err)
	}
	if want.Err != nil {
		return
	}
	if want.Profile.Digest(nil) != got.Profile.Digest(nil) {
		t.Fatalf("%s: the profile's digest changed", name)
	}
	raw := cmp.Transformer("canonical", func(v jsontext.Value) string {
		if len(v) == 0 {
			return ""
		}
		b, err := card.Canonical(v)
		if err != nil {
			return err.Error()
		}
		return string(b)
	})
	if d := cmp.Diff(want.Profile, got.Profile, raw); d != "" {
		t.Fatalf("%s: the profile changed (-was +now):\n%s", name, d)
	}
}

// A lock that needs less is not worse off.
func TestNeedingLessIsNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		l = drawStripped(t, l)
		now, done := mutate(t, s, 1+below(t, "mutations", 4))
		body := now.render().bytes(spelling{})
		before := judge(t, l, body, cl)
		less, what := needLess(t, l)
		after := judge(t, less, body, cl)
		if worst(after) <= worst(before) {
			return
		}
		// A workflow holds what the lock records. What it records for the dropped
		// skill alone is still held by whoever dropped it, who has to say so now.
		told, knows := tellHeld(l, less, cl)
		if after := judge(t, told, body, knows); worst(after) > worst(before) && !isOfDropped(l, less, after) {
			t.Fatalf("%v; without %s: %s became %s: %q\n%s\nnow %s", done, what, worst(before), worst(after), clips(after), describeWorld(s, cl, l), body)
		}
	})
}

// isOfDropped reports whether a pinned scheme became, under its name, what l
// records for a skill that less no longer requires. No credential that the
// client names for others makes up for that record.
func isOfDropped(l, less *lockfile.Lock, r *diff.Result) bool {
	return l.Profile != nil && slices.ContainsFunc(r.Findings, func(f diff.Finding) bool {
		now, ok := f.Now.(compile.Scheme)
		for id := range l.Requires.Skills {
			if _, kept := less.Requires.Skills[id]; kept || !ok || f.Rule != "scheme-changed" {
				continue
			}
			for _, a := range l.Profile.Skills[id].Security {
				for _, use := range a.Schemes {
					if use.Kind == now.Kind && use.In == now.In && use.Name == now.Name && use.HTTPScheme == now.HTTPScheme {
						return true
					}
				}
			}
		}
		return false
	})
}

// needLess takes one thing out of what a lock requires.
func needLess(t *rapid.T, l *lockfile.Lock) (less *lockfile.Lock, what string) {
	c := *l
	c.Requires.Skills = map[string]lockfile.Need{}
	maps.Copy(c.Requires.Skills, l.Requires.Skills)
	ids := l.RequiredSkills()
	id := pick(t, "skill", ids)
	switch n := c.Requires.Skills[id]; pick(t, "less", []string{"skill", "input", "streaming", "push", "extension"}) {
	case "skill":
		if len(ids) > 1 {
			delete(c.Requires.Skills, id)
		}
		return &c, "the skill " + id
	case "input":
		if len(n.Input) > 1 {
			n.Input = slices.Delete(slices.Clone(n.Input), 0, 1)
			c.Requires.Skills[id] = n
		}
		return &c, "an input of " + id
	case "streaming":
		c.Requires.Streaming = false
		return &c, "streaming"
	case "push":
		c.Requires.Push = false
		return &c, "push"
	default:
		if n := len(c.Requires.Extensions); n > 0 {
			c.Requires.Extensions = c.Requires.Extensions[:n-1]
		}
		return &c, "an extension"
	}
}

// tellHeld names what l records for the skills that less no longer requires: as
// credentials of the client, and as scopes of the skills that are left.
func tellHeld(l, less *lockfile.Lock, cl *compile.Client) (*lockfile.Lock, *compile.Client) {
	told, knows := *less, *cl
	knows.Credentials = slices.Clone(cl.Credentials)
	var scopes []string
	for id, n := range l.Requires.Skills {
		if _, kept := less.Requires.Skills[id]; kept || l.Profile == nil {
			continue
		}
		scopes = slices.Concat(scopes, n.Scopes)
		for _, a := range l.Profile.Skills[id].Security {
			for _, use := range a.Schemes {
				scopes = slices.Concat(scopes, use.Scopes)
				knows.Credentials = append(knows.Credentials, compile.Credential{Kind: compile.StrengthOf(use.Scheme), Scopes: slices.Concat(n.Scopes, use.Scopes)})
			}
		}
	}
	told.Requires.Skills = map[string]lockfile.Need{}
	for id, n := range less.Requires.Skills {
		if n.Scopes != nil {
			n.Scopes = sortedOnce(slices.Concat(n.Scopes, scopes))
		}
		told.Requires.Skills[id] = n
	}
	return &told, &knows
}

// A card that offers more is never breaking.
func TestOfferingMoreIsNeverBreaking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		if less := drawStripped(t, l); canCall(l, less, cl) {
			l = less
		}
		more, what := offerMore(t, s)
		if r := judge(t, l, more.render().bytes(spelling{}), cl); r.Class == diff.Breaking || !r.Decided {
			t.Fatalf("%s: decided %v: %q\n%s\nnow %s", what, r.Decided, clips(r), describeWorld(s, cl, l), more.render())
		}
		r, err := diff.Cards(s.render().bytes(spelling{}), more.render().bytes(spelling{}), card.Options{}, diff.Comparison{At: at})
		if err != nil || r.Class == diff.Breaking || !r.Decided {
			t.Fatalf("%s: as two cards: %v, %q\nwas %s\nnow %s", what, err, clips(r), s.render(), more.render())
		}
	})
}

// offerMore adds something to a card that takes nothing away.
func offerMore(t *rapid.T, s *sketch) (more *sketch, what string) {
	more = s.clone()
	for range 1 + below(t, "additions", 3) {
		switch what = pick(t, "more", []string{"alternative", "input", "output", "skill", "extension", "scheme"}); what {
		case "alternative":
			if list := *more.someSecurity(t); list != nil && len(*list) > 0 {
				insert(t, list, more.drawAlternative(t))
			}
		case "input", "output":
			if list := more.someModes(t); len(*list) > 0 {
				insert(t, list, pick(t, "mode", someModes))
			}
		case "skill":
			id := pick(t, "id", []string{"new", "newer"})
			if !slices.ContainsFunc(more.skills, func(k skill) bool { return k.id == id }) {
				insert(t, &more.skills, more.drawSkill(t, id))
			}
		case "extension":
			insert(t, &more.extensions, extension{uri: "https://ext.example/new/v1", required: pick(t, "required", []tristate{"", "false"}), extra: drawExtra(t)})
		case "scheme":
			if !more.hasScheme("new") && !more.asksFor("new") {
				insert(t, &more.schemes, drawScheme(t, "new"))
			}
		}
	}
	return more, what
}

// asksFor reports whether some requirement names the scheme.
func (s *sketch) asksFor(name string) bool {
	return slices.ContainsFunc(s.requirements(), func(list *[]alternative) bool {
		return slices.ContainsFunc(*list, func(a alternative) bool {
			return slices.ContainsFunc(a.asks, func(k ask) bool { return k.scheme == name })
		})
	})
}

// Reading gives what was written, and what a newer version put into a lock is
// still there after reading, writing and pinning again, wherever it stands.
func TestLocksKeepWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		data, err := lockfile.Format(l)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		places := grow(doc, "")
		grown, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		read, err := lockfile.Parse(grown, "")
		if err != nil {
			t.Fatalf("unknown members: %v", err)
		}
		written, err := lockfile.Format(read)
		if err != nil {
			t.Fatal(err)
		}
		again, err := lockfile.Parse(written, "")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(read, again); d != "" {
			t.Fatalf("Parse(Format(lock)) differs (-was +now):\n%s", d)
		}
		checkGrown(t, "rewritten", written, places)
		renewed := repin(t, s, cl, read)
		checkGrown(t, "pinned again", renewed, places)
		if !bytes.Equal(written, renewed) {
			t.Fatalf("pinned again without a change:\n%s", cmp.Diff(string(written), string(renewed)))
		}
	})
}

func repin(t *rapid.T, s *sketch, cl *compile.Client, old *lockfile.Lock) []byte {
	r := compile.Read(s.render().bytes(spelling{}), cl, card.Options{})
	l, _, err := lockfile.Pin(r.Profile, cl, lockfile.PinOptions{Old: old, CardDigest: r.Digest, At: at.AddDate(0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// keyed are the objects of a lock whose members are entries by name.
var keyed = []string{
	"/requires/skills", "/profile/skills", "/profile/other_skills", "/profile/schemes", "/profile/disabled", "/profile/texts",
	"/profile/unknown", "/profile/sources", "/profile/declared_extensions", "/schemes", "/flows", "/params", "/provider",
}

// grow puts a member that no version knows into every object that has members
// of its own, and returns where.
func grow(v any, at string) []string {
	var places []string
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			places = append(places, grow(inner, at+"/"+name)...)
		}
		isKeyed := slices.ContainsFunc(keyed, func(k string) bool { return at == k || len(k) < 10 && strings.HasSuffix(at, k) })
		if !isKeyed && !strings.HasPrefix(at, "/profile/unknown/") {
			v["x_"+strings.NewReplacer("/", "_").Replace(at)] = map[string]any{"b": []any{2, 1}, "a": "x"}
			places = append(places, at)
		}
	case []any:
		for _, inner := range v {
			places = append(places, grow(inner, at+"/*")...)
		}
	}
	return places
}

func checkGrown(t *rapid.T, what string, data []byte, places []string) {
	for _, at := range places {
		if !bytes.Contains(data, []byte(`"x_`+strings.NewReplacer("/", "_").Replace(at)+`"`)) {
			t.Fatalf("%s: the unknown member at %q is gone:\n%s", what, at, data)
		}
	}
}
