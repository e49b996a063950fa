package card

import (
	"maps"
	"slices"
	"strings"
)

// cardSecurity reads the requirements of the card: those of 1.0, else the
// legacy list, else the authentication object of 0.1.
func (r *reader) cardSecurity(c *Card, m *members) {
	var from Source
	c.Security, from = r.security(c, m.at[cRequirements], m.at[cSecurity])
	if from == Assumed && m.at[cAuthentication] != 0 {
		c.Security = r.authentication(c, m.at[cAuthentication])
		if c.Security.Declared {
			from = Legacy
			if c.Sources["schemes"] == Assumed && len(c.SecuritySchemes) > 0 {
				c.Sources["schemes"] = Legacy
			}
		}
	}
	c.Sources["security"] = from
}

// security reads a list of requirements from its 1.0 member, else from its
// legacy one. An empty list counts as absent.
func (r *reader) security(c *Card, declared, legacy ref) (Security, Source) {
	switch {
	case !r.empty(declared):
		s := r.requirements(c, declared)
		if !r.empty(legacy) {
			r.compare(c, s, declared, legacy)
		}
		return s, Declared
	case !r.empty(legacy):
		return r.requirements(c, legacy), Legacy
	}
	return Security{}, Assumed
}

// compare warns of a legacy list that asks for something else: older clients
// read that one.
func (r *reader) compare(c *Card, s Security, declared, legacy ref) {
	muted := r.muted
	r.muted = true
	old := r.requirements(c, legacy)
	r.muted = muted
	same := slices.EqualFunc(s.Alternatives, old.Alternatives, func(a, b Alternative) bool {
		return a.Unreadable == b.Unreadable && maps.EqualFunc(a.Schemes, b.Schemes, slices.Equal)
	})
	if !same {
		r.warn("mirror-differs", legacy, "%s and %s differ, and the latter counts", r.label(legacy), r.label(declared))
	}
}

// unreadable is security that is there and that nobody can meet.
func unreadable(reason string) Security {
	return Security{Declared: true, Alternatives: []Alternative{{Schemes: map[string][]string{}, Unreadable: reason}}}
}

func (r *reader) requirements(c *Card, n ref) Security {
	e := &element{scope: ScopeSecurity}
	if !r.is('[', Error, e, n) {
		return unreadable(e.disabled)
	}
	s := Security{Declared: true}
	for _, d := range r.entries(n, maxEntries) {
		s.Alternatives = append(s.Alternatives, r.alternative(c, d))
	}
	return s
}

// alternative reads one entry: {"schemes": {x: {"list": […]}}} of 1.0, with
// {} or a bare list in it as SDKs write, {x: […]} of 0.x, or the bare name of
// a declared scheme. No fault of an entry makes it ask for less.
func (r *reader) alternative(c *Card, n ref) Alternative {
	e := &element{scope: ScopeSecurity}
	a := Alternative{Schemes: map[string][]string{}}
	v := &r.nodes[n]
	switch {
	case v.kind == '"' && r.isDeclared(c, v.str):
		r.warnOnce("requirement-form", n, "%s names a scheme and is no object", quote(v.str))
		r.ask(c, e, &a, v.str, nil, n)
	case !r.is('{', Error, e, n):
	default:
		r.entry(c, e, &a, n)
	}
	r.bigNumbers(e, n)
	a.Unreadable = e.disabled
	return a
}

func (r *reader) entry(c *Card, e *element, a *Alternative, n ref) {
	wrapped := ref(0)
	for d := r.nodes[n].first; d != 0; d = r.nodes[d].next {
		if v := &r.nodes[d]; v.name == "schemes" && v.kind != 'n' && !(v.kind == '[' && r.isDeclared(c, "schemes")) {
			wrapped = d
		}
	}
	if wrapped != 0 {
		for d := r.nodes[n].first; d != 0; d = r.nodes[d].next {
			switch v := &r.nodes[d]; {
			case d == wrapped || v.kind == 'n':
			case r.isDeclared(c, v.name):
				r.err(e, "mixed-forms", d, "%s stands beside schemes, where it would be skipped", plain(v.name))
			default:
				keep(&a.Unknown, v.name, r.canonical(d))
			}
		}
		if r.is('{', Error, e, wrapped) {
			r.schemesOf(c, e, a, wrapped, true)
		}
		return
	}
	r.schemesOf(c, e, a, n, false)
}

// schemesOf reads the names and scopes of one alternative.
func (r *reader) schemesOf(c *Card, e *element, a *Alternative, n ref, wrapped bool) {
	for _, d := range r.entries(n, maxEntries) {
		v := &r.nodes[d]
		if v.kind == 'n' && v.name == "schemes" && !wrapped {
			continue // a wrapper that is absent
		}
		list, ok := r.scopeList(e, a, d, wrapped)
		if !ok {
			continue
		}
		scopes := r.strs(Error, e, list)
		if !wrapped {
			r.oldForm(n)
		}
		r.ask(c, e, a, v.name, scopes, d)
	}
}

// oldForm warns of the 0.x form under the name of 1.0, once a card.
func (r *reader) oldForm(n ref) {
	list := r.nodes[n].parent
	if name := r.nodes[list].name; name == "securityRequirements" || name == "security_requirements" {
		r.warnOnce("requirement-form", n, "%s: the form of 0.x, {name: [scopes]}, under the name of 1.0", name)
	}
}

// scopeList finds the list of scopes of one scheme; 0 is an empty one.
func (r *reader) scopeList(e *element, a *Alternative, n ref, wrapped bool) (list ref, ok bool) {
	switch r.nodes[n].kind {
	case '[':
		if wrapped {
			r.warnOnce("sdk-form", n, "%s: a bare list of scopes, as a2a-go writes it", r.label(n))
		}
		return n, true
	case '{':
		for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
			switch v := &r.nodes[c]; {
			case v.kind == 'n':
			case v.name == "list":
				list = c
			default:
				keep(&a.Unknown, r.nodes[n].name+"/"+v.name, r.canonical(c))
			}
		}
		return list, true
	}
	r.is('[', Error, e, n)
	return 0, false
}

// ask adds a scheme to the alternative.
func (r *reader) ask(c *Card, e *element, a *Alternative, name string, scopes []string, n ref) {
	switch {
	case name == "":
		r.err(e, "undeclared-scheme", n, "a scheme without a name")
		return
	case r.anonymous[name]:
		return // {"none": []} beside {"none": {"type": "none"}}
	case !r.isDeclared(c, name) && r.schemeMap:
		if key := "undeclared " + name; !r.muted && !r.warned[key] {
			if r.warned == nil {
				r.warned = map[string]bool{}
			}
			r.warned[key] = true
			// The alternative stays readable: who resolves the name sees
			// that nothing is behind it.
			r.err(&element{scope: ScopeSecurity}, "undeclared-scheme", n, "securitySchemes does not declare %s", quote(name))
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(scopes)))
	if sorted == nil {
		sorted = []string{}
	}
	a.Schemes[name] = sorted
}

func (r *reader) isDeclared(c *Card, name string) bool {
	_, ok := c.SecuritySchemes[name]
	return ok || r.anonymous[name]
}

// authentication reads the object of 0.1: a list of words, any one of which
// is enough. It defines the schemes it names.
func (r *reader) authentication(c *Card, n ref) Security {
	e := &element{scope: ScopeSecurity}
	words := []ref{n}
	switch r.nodes[n].kind {
	case '[':
		words = r.entries(n, maxEntries)
	case '{':
		var done bool
		if words, done = r.authenticationWords(e, n); done {
			if e.disabled != "" {
				return unreadable(e.disabled)
			}
			return Security{}
		}
	case '"':
	default:
		r.is('{', Error, e, n)
		return unreadable(e.disabled)
	}
	s := Security{}
	for _, w := range words {
		if !r.empty(w) {
			s.Alternatives = append(s.Alternatives, r.word(c, w))
		}
	}
	s.Declared = len(s.Alternatives) > 0
	return s
}

// authenticationWords finds the words in an authentication object: schemes,
// or the object itself where it has a type. done is true when there are none.
func (r *reader) authenticationWords(e *element, n ref) (words []ref, done bool) {
	var schemes, typed ref
	others := false
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		switch v := &r.nodes[c]; {
		case v.kind == 'n':
		case v.name == "schemes":
			schemes = c
		case v.name == "type":
			typed = c
		case v.name != "credentials" && v.name != "description":
			others = true
		}
	}
	switch {
	case schemes != 0 && r.nodes[schemes].kind == '[':
		return r.entries(schemes, maxEntries), false
	case schemes != 0 && r.nodes[schemes].kind == '"':
		return []ref{schemes}, false
	case schemes != 0:
		r.is('[', Error, e, schemes)
	case typed != 0:
		return []ref{n}, false
	case others:
		r.err(e, "unknown-scheme", n, "%s: neither schemes nor a type", r.label(n))
	}
	return nil, true
}

// word reads one scheme of 0.1: a string, or an object with a type.
func (r *reader) word(c *Card, n ref) Alternative {
	e := &element{scope: ScopeScheme}
	a := Alternative{Schemes: map[string][]string{}}
	text := n
	if r.nodes[n].kind == '{' {
		for d := r.nodes[n].first; d != 0; d = r.nodes[d].next {
			if r.nodes[d].name == "type" {
				text = d
			}
		}
	}
	if !r.is('"', Error, e, text) {
		a.Unreadable = e.disabled
		return a
	}
	name := r.nodes[text].str
	if isAnonymous(name) {
		return a
	}
	if !r.isDeclared(c, name) {
		s := SecurityScheme{Kind: KindHTTP, Scheme: strings.ToLower(name)}
		if !isHTTPScheme(name) {
			r.err(e, "unknown-scheme", text, "%s: %s says nothing of how to authenticate", r.label(text), quote(name))
			s = SecurityScheme{Kind: KindUnknown, Unreadable: e.disabled}
		}
		c.SecuritySchemes[name] = s
	}
	r.ask(c, e, &a, name, nil, n)
	return a
}
