package laws_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// A caller is a workflow that calls an agent by its lock: it sends the types
// that are locked, can use the types that are locked, presents the credentials
// that the lock records, with their scopes, or those it is known to hold.
type caller struct {
	lock *lockfile.Lock
	cl   *compile.Client
	was  *witness // the agent as it was pinned; nil when the lock records no profile
}

// A record is a credential that the lock records for a skill, with the scopes it
// was got for.
type record struct {
	skill string
	credential
	scopes []string
}

// choose takes the first door that the client can use, in the order that the
// client goes by (A2A 8.3.2).
func (c *caller) choose(w *witness) (door, bool) {
	speaks := func(t compile.Transport) func(door) bool {
		return func(d door) bool { return d.binding == t.Binding && d.version != "" && d.version == t.Version }
	}
	if c.cl.Select == compile.ClientOrder {
		for _, t := range c.cl.Interfaces {
			if i := slices.IndexFunc(w.doors, speaks(t)); i >= 0 {
				return w.doors[i], true
			}
		}
		return door{}, false
	}
	i := slices.IndexFunc(w.doors, func(d door) bool {
		return slices.ContainsFunc(c.cl.Interfaces, func(t compile.Transport) bool { return speaks(t)(d) })
	})
	if i < 0 {
		return door{}, false
	}
	return w.doors[i], true
}

// pinned is the way that the lock means for a skill: the one of its schemes,
// with no scopes but its own.
func (c *caller) pinned(id string) way {
	n := c.lock.Requires.Skills[id]
	var found *way
	for _, w := range c.was.skills[id][0].ways {
		names := slices.Sorted(maps.Keys(w.asks))
		if !slices.Equal(names, n.Schemes) && len(names)+len(n.Schemes) > 0 {
			continue
		}
		within := true
		for _, a := range w.asks {
			within = within && containsAll(n.Scopes, a.scopes)
		}
		if found == nil || within {
			found = &w
			if within {
				break
			}
		}
	}
	if found == nil {
		panic(fmt.Sprintf("no way of %q asks for %q", id, n.Schemes))
	}
	return *found
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// records are what the lock records for its skills.
func (c *caller) records() []record {
	var all []record
	for _, id := range c.lock.RequiredSkills() {
		if w := c.pinned(id); !w.unknown {
			for _, name := range slices.Sorted(maps.Keys(w.asks)) {
				a := w.asks[name]
				all = append(all, record{id, a.credential, w.share(a, c.lock.Requires.Skills[id].Scopes)})
			}
		}
	}
	return all
}

// share is what the scopes of the lock leave for one scheme of the pinned way:
// all, where it is plain which scheme they are for, else what it asks for.
func (w way) share(a asked, scopes []string) []string {
	asking := 0
	for _, o := range w.asks {
		if len(o.scopes) > 0 {
			asking++
		}
	}
	if len(w.asks) == 1 || asking == 1 && len(a.scopes) > 0 {
		return scopes
	}
	return slices.DeleteFunc(slices.Clone(a.scopes), func(s string) bool { return !slices.Contains(scopes, s) })
}

// recorded reports whether what the lock records is enough for what a skill
// asks: a credential got at the same addresses, for any skill, or else what the
// skill itself had for the like of it, or else the first that is like it.
func (c *caller) recorded(id string, a asked) bool {
	alike := slices.DeleteFunc(c.records(), func(t record) bool { return !t.is(a.credential) })
	for _, good := range []func(record) bool{
		func(t record) bool { return t.urls == a.urls },
		func(t record) bool { return t.skill == id },
	} {
		var scopes []string
		there := false
		for _, t := range alike {
			if good(t) {
				there, scopes = true, append(scopes, t.scopes...)
			}
		}
		if there {
			return containsAll(scopes, a.scopes)
		}
	}
	return len(alike) > 0 && containsAll(alike[0].scopes, a.scopes)
}

// known reports whether the client is known to hold what is asked.
func (c *caller) known(a asked) bool {
	kind := map[string]compile.Strength{
		"apiKey": compile.APIKey, "oauth2": compile.OAuth2, "openIdConnect": compile.OAuth2, "mutualTLS": compile.MutualTLS,
	}[a.kind]
	if a.kind == "http" {
		kind = map[string]compile.Strength{"bearer": compile.Bearer, "basic": compile.Basic}[a.name]
	}
	return kind != compile.Anonymous && !a.unknown && slices.ContainsFunc(c.cl.Credentials, func(h compile.Credential) bool {
		return h.Kind == kind && containsAll(h.Scopes, a.scopes)
	})
}

// isOwn reports whether w asks for the schemes of the pinned way, by what they
// are and not by what they are called. For those, what the lock records is all
// that the workflow may present.
func isOwn(pinned, w way) bool {
	return len(pinned.asks) == len(w.asks) && w.hasAllOf(pinned) && pinned.hasAllOf(w)
}

// hasAllOf reports whether each scheme of o is one of w.
func (w way) hasAllOf(o way) bool {
	for _, a := range o.asks {
		if !slices.ContainsFunc(slices.Collect(maps.Values(w.asks)), func(b asked) bool { return b.is(a.credential) }) {
			return false
		}
	}
	return true
}

// isMeant is isOwn by names too: what a scheme of the pinned way has become
// under its name is asked for in its place. Who wrote the workflow got what the
// lock records, and nothing of another kind that the client holds for others.
func isMeant(pinned, w way) bool {
	if isOwn(pinned, w) {
		return true
	}
	if len(pinned.asks) != len(w.asks) {
		return false
	}
	left := maps.Clone(w.asks)
	for name := range pinned.asks {
		delete(left, name)
	}
	for _, name := range slices.Sorted(maps.Keys(pinned.asks)) {
		if _, ok := w.asks[name]; ok {
			continue
		}
		found := false
		for _, other := range slices.Sorted(maps.Keys(left)) {
			if found = left[other].is(pinned.asks[name].credential); found {
				delete(left, other)
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// holds reports whether the workflow can meet w, one of all ways, for the
// skill.
func (c *caller) holds(id string, w way, all []way) bool {
	if c.was == nil {
		return c.holdsByWord(id, w, all)
	}
	pinned := c.pinned(id)
	if pinned.unknown {
		return !w.unknown || sameAsks(pinned, w)
	}
	for _, a := range w.asks {
		if !c.recorded(id, a) && (isMeant(pinned, w) || !c.known(a)) {
			return false
		}
	}
	return !w.unknown
}

// sameAsks reports whether b is the unknown a, as far as anyone can tell.
func sameAsks(a, b way) bool {
	return maps.EqualFunc(a.asks, b.asks, func(x, y asked) bool { return containsAll(x.scopes, y.scopes) })
}

// holdsByWord is for a lock that records no profile: it knows names and scopes
// alone. Where it names no schemes, a client that names its credentials has no
// others, whatever scopes they have beside; any other client may hold all.
func (c *caller) holdsByWord(id string, w way, all []way) bool {
	n := c.lock.Requires.Skills[id]
	named := func(w way) bool {
		return n.Schemes != nil && !w.unknown && slices.Equal(append([]string{}, slices.Sorted(maps.Keys(w.asks))...), n.Schemes)
	}
	if w.unknown || slices.ContainsFunc(all, named) && !named(w) {
		return false
	}
	for name, a := range w.asks {
		if !c.known(a) && !c.saidToHold(n, name, a) {
			return false
		}
	}
	return true
}

func (c *caller) saidToHold(n lockfile.Need, name string, a asked) bool {
	var beyond []string
	for _, s := range a.scopes {
		if n.Scopes != nil && !slices.Contains(n.Scopes, s) {
			beyond = append(beyond, s)
		}
	}
	switch {
	case n.Schemes != nil:
		return slices.Contains(n.Schemes, name) && len(beyond) == 0
	case len(c.cl.Credentials) == 0:
		return len(beyond) == 0
	case n.Scopes != nil:
		a.scopes = beyond
	}
	return c.known(a)
}

// isSafe reports whether all secrets for w go where they went before, and, for
// who looks at nothing, may go nowhere else.
func (c *caller) isSafe(id string, w way, looks bool) bool {
	if c.was == nil {
		return true
	}
	for _, a := range w.asks {
		if c.known(a) && !c.recorded(id, a) {
			continue // got somewhere that nobody recorded
		}
		if !slices.ContainsFunc(c.records(), func(t record) bool {
			return t.is(a.credential) && t.staysWithin(a.credential) && (looks || !t.gained(a.credential))
		}) {
			return false
		}
	}
	return true
}

// staysWithin reports whether now sends nothing to an origin that it did not
// go to for c, in the grants that both have.
func (c credential) staysWithin(now credential) bool {
	for what, origin := range now.origins {
		if grant, _, ok := strings.Cut(what, " "); ok && !slices.Contains(c.grants, grant) {
			continue
		}
		if was := c.origins[what]; was != "" && was != origin {
			return false
		}
	}
	return true
}

// gained reports whether now has an address that c was without, to renew tokens
// at or to learn the others from, on an origin that gave no token. Someone
// should look at that; the credential itself is as good as before.
func (c credential) gained(now credential) bool {
	for what, origin := range now.origins {
		grant, member, ofGrant := strings.Cut(what, " ")
		if c.origins[what] != "" || ofGrant && (member != "refreshUrl" || !slices.Contains(c.grants, grant)) {
			continue
		}
		known := ofGrant && c.origins[grant+" tokenUrl"] == origin
		for place, o := range c.origins {
			known = known || !ofGrant && strings.HasSuffix(place, " tokenUrl") && o == origin
		}
		if !known {
			return true
		}
	}
	return false
}

// calls are the requests that the lock says will be made.
func (c *caller) calls(w *witness) ([]request, error) {
	d, ok := c.choose(w)
	if !ok {
		return nil, fmt.Errorf("no interface that the client speaks")
	}
	operations := []string{"send"}
	if c.lock.Requires.Streaming {
		operations = append(operations, "stream")
	}
	if c.lock.Requires.Push {
		operations = append(operations, "push")
	}
	var all []request
	for _, id := range c.lock.RequiredSkills() {
		n := c.lock.Requires.Skills[id]
		for _, sends := range n.Input {
			for _, operation := range operations {
				all = append(all, request{
					door: d, operation: operation, skill: id, sends: sends, accepts: n.Output,
					extensions: c.cl.Extensions, needsActive: c.lock.Requires.Extensions,
					sameMode: c.sameMode,
					holds:    func(w way, all []way) bool { return c.holds(id, w, all) },
				})
			}
		}
	}
	return all, nil
}

// sameMode compares media types as RFC 9110 8.3.1 does, in the words of the
// client.
func (c *caller) sameMode(a, b string) bool { return c.mode(a) == c.mode(b) }

func (c *caller) mode(m string) string {
	for from, to := range c.cl.Aliases {
		if strings.EqualFold(from, m) {
			m = to
		}
	}
	t, params, has := strings.Cut(m, ";")
	m = strings.ToLower(strings.TrimSpace(t))
	if name, value, ok := strings.Cut(params, "="); has && ok {
		m += ";" + strings.ToLower(strings.TrimSpace(name)) + "=" + strings.Trim(value, `" `)
	}
	return m
}

// unfloored are the rules of which a breaking finding says that calls fail.
// Those with a floor say that calls should not be made, succeed or not.
func unfloored(f diff.Finding) bool {
	r, ok := diff.Lookup(f.Rule)
	return ok && !r.Floor && f.Class == diff.Breaking &&
		slices.Contains([]string{"Interface", "Capabilities", "Extensions", "Skills", "Security"}, r.Subject)
}

// A trial holds a verdict against what becomes of the locked calls.
type trial struct {
	caller
	now    *witness
	result *diff.Result
}

// check returns what the verdict got wrong; nil when it is right.
func (t *trial) check() error {
	failures := t.failures()
	for _, f := range t.result.Findings {
		if !unfloored(f) {
			continue
		}
		skills := f.Skills
		if len(skills) == 0 {
			skills = t.lock.RequiredSkills()
		}
		for _, id := range skills {
			if failures[id] == nil && !t.wasUnknown(id) {
				return fmt.Errorf("%s is breaking for %q, and each of its calls succeeds", f.Rule, id)
			}
		}
	}
	if !t.result.Decided || t.result.Class == diff.Breaking {
		return nil
	}
	for id, err := range failures {
		return fmt.Errorf("the verdict is %s, and a call of %q fails: %w", t.result.Class, id, err)
	}
	if err := t.strays(); err != nil {
		return fmt.Errorf("the verdict is %s, and %w", t.result.Class, err)
	}
	if t.result.Class == diff.Compatible {
		if err := t.unchanged(); err != nil {
			return fmt.Errorf("the verdict is compatible, and a client that did not read the new card fails: %w", err)
		}
	}
	return nil
}

// wasUnknown reports whether nobody could tell what the skill asks for when it
// was pinned, so that no call of it was sure to succeed.
func (t *trial) wasUnknown(id string) bool { return t.was != nil && t.pinned(id).unknown }

// failures are the locked calls that the agent refuses, by skill.
func (t *trial) failures() map[string]error {
	failures := map[string]error{}
	calls, err := t.calls(t.now)
	if err != nil {
		for _, id := range t.lock.RequiredSkills() {
			failures[id] = err
		}
	}
	for _, r := range calls {
		if err := t.now.answer(r); err != nil {
			failures[r.skill] = err
		}
	}
	return failures
}

// strays returns the call, or the secret, that would go to another origin than
// before.
func (t *trial) strays() error {
	if i := t.lock.Interface; i != nil && i.URL != "" {
		d, _ := t.choose(t.now)
		was, now := origin(i.Binding, i.URL), origin(d.binding, d.url)
		if was != now && strings.Replace(was, "http://", "https://", 1) != now {
			return fmt.Errorf("calls go from %s to %s", was, now)
		}
	}
	for _, id := range t.lock.RequiredSkills() {
		if t.wasUnknown(id) {
			continue
		}
		if ways := t.now.skills[id][0].ways; !slices.ContainsFunc(ways, func(w way) bool { return t.holds(id, w, ways) && t.isSafe(id, w, t.result.Class > diff.Compatible) }) {
			return fmt.Errorf("the secrets of %q go to another origin: %+v", id, ways)
		}
	}
	return nil
}

// unchanged makes the calls that were made when the lock was pinned, to the
// same address with the same credential.
func (t *trial) unchanged() error {
	if t.was == nil {
		return nil
	}
	calls, err := t.calls(t.was)
	for _, r := range calls {
		r.extensions = slices.DeleteFunc(slices.Clone(r.extensions), func(uri string) bool {
			_, known := t.was.extensions[uri]
			return !known
		})
		pinned := t.pinned(r.skill)
		r.holds = func(w way, all []way) bool {
			return t.holds(r.skill, w, all) && (pinned.unknown || isOwn(pinned, w) && t.isSafe(r.skill, w, false))
		}
		if err := t.now.answer(r); err != nil {
			return err
		}
	}
	return err
}

// newTrial judges a lock of one card against another.
func newTrial(was, now []byte, cl *compile.Client, l *lockfile.Lock) (*trial, error) {
	r := compile.Read(now, cl, card.Options{})
	result := diff.Judge(l, r, diff.Comparison{Client: cl, At: at})
	t := &trial{caller: caller{lock: l, cl: cl}, result: result}
	var err error
	if l.Profile != nil {
		if t.was, err = newWitness(was); err != nil {
			return nil, err
		}
	}
	t.now, err = newWitness(now)
	return t, err
}

// A lock promises what works: every call that it requires succeeds with the
// agent it was pinned from.
func TestWitnessOfWhatIsPinned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		body := s.render().bytes(spelling{})
		w, err := newTrial(body, body, cl, l)
		if err != nil {
			t.Fatal(err)
		}
		for id, err := range w.failures() {
			t.Fatalf("a call of %q fails: %v\n%s", id, err, describeWorld(s, cl, l))
		}
		if err := w.check(); err != nil {
			t.Fatalf("%v\n%s", err, describeWorld(s, cl, l))
		}
	})
}

// Compatible means that every locked call succeeds as before, review that it
// succeeds for a client that goes by the new card, and breaking, without a
// floor, that a call of each skill it names fails: whatever one thing changes,
// and whatever several do.
func TestWitnessOfChanges(t *testing.T) {
	for _, group := range []struct {
		name string
		from []mutation
	}{
		{"addresses", addressMutations},
		{"capabilities", capabilityMutations},
		{"skills", skillMutations},
		{"security", securityMutations},
		{"identity", identityMutations},
	} {
		t.Run(group.name, func(t *testing.T) { witnessChanges(t, 1, group.from) })
	}
	t.Run("several of security", func(t *testing.T) { witnessChanges(t, 4, securityMutations) })
	t.Run("several", func(t *testing.T) { witnessChanges(t, 6, mutations) })
}

func witnessChanges(t *testing.T, most int, from []mutation) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		if chance(t, "minimal", 4) {
			l = drawMinimal(t, l)
		}
		now, done := mutateBy(t, s, 1+below(t, "mutations", most), from)
		w, err := newTrial(s.render().bytes(spelling{}), now.render().bytes(spelling{}), cl, l)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(); err != nil {
			t.Fatalf("%q: %v\nfindings %q\n%s\nnow %s", done, err, clips(w.result), describeWorld(s, cl, l), now.render())
		}
	})
}

// The same where a card is spoilt in ways that no careful agent would: what a
// call depends on and cannot be read leaves the lock undecided, or is refused.
func TestWitnessOfDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		if chance(t, "minimal", 4) {
			l = drawMinimal(t, l)
		}
		s.form.both = false // what contradicts itself is another matter
		now, what := damage(t, s.render())
		w, err := newTrial(s.render().bytes(spelling{}), now.bytes(spelling{}), cl, l)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(); err != nil {
			t.Fatalf("%s: %v\nfindings %q\n%s\nnow %s", what, err, clips(w.result), describeWorld(s, cl, l), now)
		}
	})
}

// drawMinimal leaves of a lock what a person would write by hand.
func drawMinimal(t *rapid.T, l *lockfile.Lock) *lockfile.Lock {
	c := *l
	c.Profile, c.ProfileDigest = nil, ""
	c.Requires.Skills = map[string]lockfile.Need{}
	schemes, scopes := chance(t, "schemes", 2), chance(t, "scopes", 2)
	for id, n := range l.Requires.Skills {
		if !schemes && len(n.Schemes) > 0 {
			n.Schemes = nil
		}
		if !scopes {
			n.Scopes = nil
		}
		c.Requires.Skills[id] = n
	}
	if chance(t, "no url", 2) {
		c.Interface = &lockfile.Interface{Binding: l.Interface.Binding, Version: l.Interface.Version}
	}
	return &c
}
