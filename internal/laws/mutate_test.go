package laws_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
)

// A mutation changes one thing in a card, as agents do, or returns false where
// there is nothing to change.
type mutation struct {
	name string
	do   func(*rapid.T, *sketch) bool
}

// mutations are all of them.
var mutations = slices.Concat(addressMutations, capabilityMutations, skillMutations, securityMutations, identityMutations)

// mutate changes n things and says which.
func mutate(t *rapid.T, s *sketch, n int) (*sketch, []string) { return mutateBy(t, s, n, mutations) }

func mutateBy(t *rapid.T, s *sketch, n int, from []mutation) (*sketch, []string) {
	s = s.clone()
	var done []string
	for range n {
		if m := pick(t, "mutation", from); m.do(t, s) {
			done = append(done, m.name)
		}
	}
	return s, done
}

// one calls f for one element of s.
func one[T any](t *rapid.T, s []T, f func(*T)) bool {
	if len(s) == 0 {
		return false
	}
	f(&s[below(t, "which", len(s))])
	return true
}

func insert[T any](t *rapid.T, s *[]T, v T) bool {
	*s = slices.Insert(*s, below(t, "where", len(*s)+1), v)
	return true
}

func remove[T any](t *rapid.T, s *[]T, least int) bool {
	if len(*s) <= least {
		return false
	}
	i := below(t, "which", len(*s))
	*s = slices.Delete(*s, i, i+1)
	return true
}

func reorder[T any](t *rapid.T, s *[]T) bool {
	*s = rapid.Permutation(*s).Draw(t, "order")
	return len(*s) > 1
}

// someEndpoints is one of the two lists of addresses.
func (s *sketch) someEndpoints(t *rapid.T) *[]endpoint {
	if s.shape == card.ShapeHybrid && chance(t, "legacy half", 2) {
		return &s.legacy
	}
	return &s.endpoints
}

// someModes is one of the lists of media types.
func (s *sketch) someModes(t *rapid.T) *[]string {
	lists := []*[]string{&s.input, &s.output}
	for i := range s.skills {
		lists = append(lists, &s.skills[i].input, &s.skills[i].output)
	}
	return pick(t, "list", lists)
}

// someSecurity is one of the lists of requirements.
func (s *sketch) someSecurity(t *rapid.T) **[]alternative {
	lists := []**[]alternative{&s.security}
	for i := range s.skills {
		lists = append(lists, &s.skills[i].security)
	}
	return pick(t, "list", lists)
}

// inSecurity calls f for a list of requirements that is there.
func inSecurity(f func(*rapid.T, *sketch, *[]alternative) bool) func(*rapid.T, *sketch) bool {
	return func(t *rapid.T, s *sketch) bool {
		list := *s.someSecurity(t)
		return list != nil && f(t, s, list)
	}
}

// inScheme calls f for a scheme of the kind.
func inScheme(kind card.Kind, f func(*rapid.T, *scheme)) func(*rapid.T, *sketch) bool {
	return func(t *rapid.T, s *sketch) bool {
		return one(t, s.schemes, func(d *scheme) {
			if d.kind == kind {
				f(t, d)
			}
		})
	}
}

func inFlow(f func(*rapid.T, *flow)) func(*rapid.T, *sketch) bool {
	return inScheme(card.KindOAuth2, func(t *rapid.T, d *scheme) { one(t, d.flows, func(w *flow) { f(t, w) }) })
}

// renameScheme gives a scheme another name, and everything that asks for it.
func (s *sketch) renameScheme(from, to string) {
	for _, list := range s.requirements() {
		for i := range *list {
			a := &(*list)[i]
			a.asks = slices.DeleteFunc(a.asks, func(k ask) bool { return k.scheme == to }) // undeclared until now
			for j := range a.asks {
				if a.asks[j].scheme == from {
					a.asks[j].scheme = to
				}
			}
		}
	}
}

// requirements are the lists of requirements that are there.
func (s *sketch) requirements() []*[]alternative {
	lists := []*[]alternative{s.security}
	for _, k := range s.skills {
		lists = append(lists, k.security)
	}
	return slices.DeleteFunc(lists, func(list *[]alternative) bool { return list == nil })
}

func (s *sketch) hasScheme(name string) bool {
	return slices.ContainsFunc(s.schemes, func(d scheme) bool { return d.name == name })
}

// toggle makes a list that is not there, or takes it away.
func toggle(t *rapid.T, list **[]alternative, s *sketch) bool {
	if *list == nil {
		*list = s.drawSecurity(t, "security")
		return true
	}
	*list = nil
	return true
}

// The mutations are every member that matters, in both directions, by what
// they are about.
var addressMutations = []mutation{
	{"url", func(t *rapid.T, s *sketch) bool {
		return one(t, *s.someEndpoints(t), func(e *endpoint) { e.url = pick(t, "url", someURLs) })
	}},
	{"binding", func(t *rapid.T, s *sketch) bool {
		return one(t, *s.someEndpoints(t), func(e *endpoint) { e.binding = pick(t, "binding", someBindings) })
	}},
	{"interface version", func(t *rapid.T, s *sketch) bool {
		return one(t, s.endpoints, func(e *endpoint) { e.version = pick(t, "version", append(someVersions, "v1.0", "1", "")) })
	}},
	{"tenant", func(t *rapid.T, s *sketch) bool {
		return one(t, s.endpoints, func(e *endpoint) { e.tenant = pick(t, "tenant", []string{"", "acme", "eu"}) })
	}},
	{"endpoint came", func(t *rapid.T, s *sketch) bool { return insert(t, s.someEndpoints(t), drawEndpoint(t)) }},
	{"endpoint went", func(t *rapid.T, s *sketch) bool { return remove(t, s.someEndpoints(t), 1) }},
	{"endpoint repeated", func(t *rapid.T, s *sketch) bool {
		list := s.someEndpoints(t)
		return insert(t, list, pick(t, "again", *list))
	}},
	{"endpoints reordered", func(t *rapid.T, s *sketch) bool { return reorder(t, s.someEndpoints(t)) }},
	{"endpoint member", func(t *rapid.T, s *sketch) bool {
		return one(t, s.endpoints, func(e *endpoint) { e.extra = drawExtra(t) })
	}},
	{"shape", func(t *rapid.T, s *sketch) bool {
		s.shape = pick(t, "shape", []card.Shape{card.Shape10, card.Shape03, card.ShapeHybrid})
		if s.shape == card.ShapeHybrid && len(s.legacy) == 0 {
			s.legacy = drawEndpoints(t, false)
		}
		return true
	}},
	{"card version", func(t *rapid.T, s *sketch) bool {
		s.cardVersion = pick(t, "card version", []string{"", "0.3.0", "1.0", "0.2.6", "x"})
		return true
	}},
	{"form", func(t *rapid.T, s *sketch) bool {
		s.form = sketchForm{
			flat: chance(t, "flat", 2), both: chance(t, "both", 2), bare: chance(t, "bare", 2),
			empty: chance(t, "empty", 2), legacy: chance(t, "legacy requirements", 2), nulls: chance(t, "nulls", 2),
		}
		return true
	}},
}

var capabilityMutations = []mutation{
	{"streaming", func(t *rapid.T, s *sketch) bool { s.streaming = drawFlag(t, "flag"); return true }},
	{"push", func(t *rapid.T, s *sketch) bool { s.push = drawFlag(t, "flag"); return true }},
	{"extended card", func(t *rapid.T, s *sketch) bool { s.more = drawFlag(t, "flag"); return true }},
	{"capability member", func(t *rapid.T, s *sketch) bool { s.capabilityExtra = drawExtra(t); return true }},

	{"extension came", func(t *rapid.T, s *sketch) bool {
		return insert(t, &s.extensions, drawExtension(t, pick(t, "uri", someExtensions)))
	}},
	{"extension went", func(t *rapid.T, s *sketch) bool { return remove(t, &s.extensions, 0) }},
	{"extension required", func(t *rapid.T, s *sketch) bool {
		return one(t, s.extensions, func(x *extension) { x.required = drawFlag(t, "required") })
	}},
	{"extension uri", func(t *rapid.T, s *sketch) bool {
		return one(t, s.extensions, func(x *extension) { x.uri = pick(t, "uri", someExtensions) })
	}},
	{"extension params", func(t *rapid.T, s *sketch) bool {
		return one(t, s.extensions, func(x *extension) { x.params = drawExtension(t, x.uri).params })
	}},
}

var skillMutations = []mutation{
	{"mode came", func(t *rapid.T, s *sketch) bool { return insert(t, s.someModes(t), pick(t, "mode", someModes)) }},
	{"mode went", func(t *rapid.T, s *sketch) bool { return remove(t, s.someModes(t), 0) }},
	{"mode changed", func(t *rapid.T, s *sketch) bool {
		return one(t, *s.someModes(t), func(m *string) { *m = pick(t, "mode", someModes) })
	}},
	{"modes went", func(t *rapid.T, s *sketch) bool { *s.someModes(t) = nil; return true }},
	{"modes emptied", func(t *rapid.T, s *sketch) bool { *s.someModes(t) = []string{}; return true }},

	{"skill came", func(t *rapid.T, s *sketch) bool {
		return insert(t, &s.skills, s.drawSkill(t, pick(t, "id", append(someSkills, "new"))))
	}},
	{"skill went", func(t *rapid.T, s *sketch) bool { return remove(t, &s.skills, 1) }},
	{"skill renamed", func(t *rapid.T, s *sketch) bool {
		return one(t, s.skills, func(k *skill) { k.id = pick(t, "id", append(someSkills, "Quote", "new")) })
	}},
	{"skill text", func(t *rapid.T, s *sketch) bool {
		return one(t, s.skills, func(k *skill) { k.description, k.tags = "Quotes.", some(t, "tags", []string{"price", "new"}, 2) })
	}},
}

var securityMutations = []mutation{
	{"security toggled", func(t *rapid.T, s *sketch) bool { return toggle(t, s.someSecurity(t), s) }},
	{"security as elsewhere", func(t *rapid.T, s *sketch) bool {
		*s.someSecurity(t) = cloneSecurity(*s.someSecurity(t))
		return true
	}},
	{"alternative came", inSecurity(func(t *rapid.T, s *sketch, l *[]alternative) bool { return insert(t, l, s.drawAlternative(t)) })},
	{"anonymous came", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool { return insert(t, l, alternative{}) })},
	{"alternative went", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool { return remove(t, l, 0) })},
	{"alternative changed", inSecurity(func(t *rapid.T, s *sketch, l *[]alternative) bool {
		return one(t, *l, func(a *alternative) { *a = s.drawAlternative(t) })
	})},
	{"alternatives reordered", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool { return reorder(t, l) })},
	{"scheme asked too", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool {
		return one(t, *l, func(a *alternative) {
			name := pick(t, "name", someNames)
			if !slices.ContainsFunc(a.asks, func(k ask) bool { return k.scheme == name }) {
				a.asks = append(a.asks, ask{name, some(t, "scopes", someScopes, 1)})
			}
		})
	})},
	{"scheme no longer asked", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool {
		return one(t, *l, func(a *alternative) { remove(t, &a.asks, 0) })
	})},
	{"scopes", inSecurity(func(t *rapid.T, _ *sketch, l *[]alternative) bool {
		return one(t, *l, func(a *alternative) {
			one(t, a.asks, func(k *ask) { k.scopes = some(t, "scopes", someScopes, 3) })
		})
	})},
	{"scheme came", func(t *rapid.T, s *sketch) bool {
		name := pick(t, "name", someNames)
		return !s.hasScheme(name) && insert(t, &s.schemes, drawScheme(t, name))
	}},
	{"scheme went", func(t *rapid.T, s *sketch) bool { return remove(t, &s.schemes, 0) }},
	{"scheme renamed", func(t *rapid.T, s *sketch) bool {
		to := pick(t, "name", append(someNames, "new"))
		return !s.hasScheme(to) && one(t, s.schemes, func(d *scheme) { s.renameScheme(d.name, to); d.name = to })
	}},
	{"scheme replaced", func(t *rapid.T, s *sketch) bool {
		return one(t, s.schemes, func(d *scheme) { *d = drawScheme(t, d.name) })
	}},
	{"schemes swapped", func(t *rapid.T, s *sketch) bool {
		if len(s.schemes) < 2 {
			return false
		}
		s.schemes[0].name, s.schemes[1].name = s.schemes[1].name, s.schemes[0].name
		return true
	}},
	{"scheme unreadable", func(t *rapid.T, s *sketch) bool {
		return one(t, s.schemes, func(d *scheme) { *d = scheme{name: d.name, kind: card.KindUnknown} })
	}},
	{"scheme text", func(t *rapid.T, s *sketch) bool {
		return one(t, s.schemes, func(d *scheme) { d.description = "Ask us." })
	}},
	{"scheme member", func(t *rapid.T, s *sketch) bool {
		return one(t, s.schemes, func(d *scheme) { d.extra = drawExtra(t) })
	}},
	{"key place", inScheme(card.KindAPIKey, func(t *rapid.T, d *scheme) { d.place = pick(t, "place", []string{"header", "query", "cookie"}) })},
	{"key name", inScheme(card.KindAPIKey, func(t *rapid.T, d *scheme) { d.param = pick(t, "name", []string{"X-Key", "x-key", "token"}) })},
	{"http scheme", inScheme(card.KindHTTP, func(t *rapid.T, d *scheme) { d.http = pick(t, "http", []string{"bearer", "Bearer", "basic", "digest"}) })},
	{"bearer format", inScheme(card.KindHTTP, func(t *rapid.T, d *scheme) { d.format = pick(t, "format", []string{"", "JWT"}) })},
	{"oidc url", inScheme(card.KindOpenIDConnect, func(t *rapid.T, d *scheme) { d.oidc = pick(t, "oidc", someSecrets) })},
	{"metadata url", inScheme(card.KindOAuth2, func(t *rapid.T, d *scheme) { d.metadata = pick(t, "metadata", append(someSecrets, "")) })},
	{"grant came", inScheme(card.KindOAuth2, func(t *rapid.T, d *scheme) {
		grant := pick(t, "grant", someGrants)
		if !slices.ContainsFunc(d.flows, func(f flow) bool { return f.grant == grant }) {
			d.flows = append(d.flows, drawFlow(t, grant))
		}
	})},
	{"grant went", inScheme(card.KindOAuth2, func(t *rapid.T, d *scheme) { remove(t, &d.flows, 1) })},
	{"token url", inFlow(func(t *rapid.T, f *flow) { f.token = pick(t, "token", append(someSecrets, "")) })},
	{"refresh url", inFlow(func(t *rapid.T, f *flow) { f.renew = pick(t, "refresh", append(someSecrets, "")) })},
	{"authorization url", inFlow(func(t *rapid.T, f *flow) {
		if f.authorize != "" {
			f.authorize = pick(t, "authorize", []string{"https://auth.example/authorize", "https://auth.example/login", "https://login.example/authorize"})
		}
	})},
	{"pkce", inFlow(func(_ *rapid.T, f *flow) { f.pkce = !f.pkce })},
	{"declared scopes", inFlow(func(t *rapid.T, f *flow) { f.scopes = some(t, "scopes", someScopes, 3) })},
}

var identityMutations = []mutation{
	{"version", func(t *rapid.T, s *sketch) bool {
		s.version = pick(t, "version", []string{"1.0.0", "3.9.0", ""})
		return true
	}},
	{"name", func(t *rapid.T, s *sketch) bool {
		s.name = pick(t, "name", []string{"Pricing", "PRICING", "Booking"})
		return true
	}},
	{"description", func(_ *rapid.T, s *sketch) bool { s.description = "Prices."; return true }},
	{"provider", func(t *rapid.T, s *sketch) bool {
		s.organization = pick(t, "provider", []string{"", "Partner", "Other"})
		return true
	}},
	{"icon", func(_ *rapid.T, s *sketch) bool { s.icon = "https://agent.example/icon.png"; return true }},
	{"documentation", func(_ *rapid.T, s *sketch) bool { s.docs = "https://agent.example/docs"; return true }},
	{"member", func(t *rapid.T, s *sketch) bool { s.extra = drawExtra(t); return true }},
}

// damage spoils one thing in a document that a sketch has no word for: a member
// that went, or that has another type or another spelling.
func damage(t *rapid.T, doc *jsonTree) (spoilt *jsonTree, what string) {
	doc = doc.clone()
	type spot struct {
		of *jsonTree
		i  int
	}
	var spots []spot
	doc.each(func(n *jsonTree) {
		for i := range max(len(n.members), len(n.items)) {
			spots = append(spots, spot{n, i})
		}
	})
	at := pick(t, "spot", spots)
	var value **jsonTree
	if at.of.kind == '{' {
		what, value = at.of.members[at.i].name, &at.of.members[at.i].value
	} else {
		what, value = fmt.Sprint(at.i), &at.of.items[at.i]
	}
	what = (*value).String() + " in " + what
	switch how := pick(t, "damage", []string{"gone", "null", "text", "empty", "list", "object", "number", "flag", "repeated", "snake"}); how {
	case "gone":
		if at.of.kind == '{' {
			at.of.members = slices.Delete(at.of.members, at.i, at.i+1)
		} else {
			at.of.items = slices.Delete(at.of.items, at.i, at.i+1)
		}
		return doc, what + " went"
	case "null":
		*value = &jsonTree{kind: 'n'}
	case "text":
		*value = text("true")
	case "empty":
		*value = text("")
	case "list":
		*value = list()
	case "object":
		*value = object()
	case "number":
		*value = number("7")
	case "flag":
		*value = boolean(true)
	case "repeated":
		if at.of.kind == '[' {
			at.of.items = append(at.of.items, (*value).clone())
		}
	case "snake":
		if at.of.kind == '{' {
			m := &at.of.members[at.i]
			m.name = upper.ReplaceAllStringFunc(m.name, func(s string) string { return "_" + strings.ToLower(s) })
		}
	}
	return doc, what + " is " + (*value).String() + " now"
}

var upper = regexp.MustCompile("[A-Z]")
