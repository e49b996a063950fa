package scheme

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// Requirements reads a list of requirements. mirror is the same list in its
// legacy member, 0 where there is none: older clients read that one, so it
// should ask for the same.
func (r *Reader) Requirements(n, mirror jsondoc.Ref) Security {
	s := r.requirements(n)
	if r.IsEmpty(mirror) {
		return s
	}
	var old Security
	r.Quietly(func() { old = r.requirements(mirror) })
	same := slices.EqualFunc(s.Alternatives, old.Alternatives, func(a, b Alternative) bool {
		return a.Unreadable == b.Unreadable && maps.EqualFunc(a.Schemes, b.Schemes, slices.Equal)
	})
	if !same {
		r.Warn("mirror-differs", mirror, "%s and %s differ, and the latter counts", r.Label(mirror), r.Label(n))
	}
	return s
}

// unreadable is security that is there and that nobody can meet.
func unreadable(reason string) Security {
	return Security{Declared: true, Alternatives: []Alternative{{Schemes: map[string][]string{}, Unreadable: reason}}}
}

func (r *Reader) requirements(n jsondoc.Ref) Security {
	e := &jsondoc.Element{Scope: securityScope}
	if !r.Is('[', jsondoc.Error, e, n) {
		return unreadable(e.Disabled)
	}
	s := Security{Declared: true}
	for _, d := range r.Entries(n, jsondoc.MaxEntries) {
		s.Alternatives = append(s.Alternatives, r.alternative(d))
	}
	return s
}

// alternative reads one entry: {"schemes": {x: {"list": […]}}} of 1.0, with
// {} or a bare list in it as SDKs write, {x: […]} of 0.x, or the bare name of
// a declared scheme. No fault of an entry makes it ask for less.
func (r *Reader) alternative(n jsondoc.Ref) Alternative {
	e := &jsondoc.Element{Scope: securityScope}
	a := Alternative{Schemes: map[string][]string{}}
	v := r.At(n)
	switch {
	case v.Kind == '"' && r.isDeclared(v.Str):
		r.WarnOnce("requirement-form", n, "%s names a scheme and is no object", jsondoc.Quote(v.Str))
		r.ask(e, &a, v.Str, nil, n)
	case !r.Is('{', jsondoc.Error, e, n):
	default:
		r.entry(e, &a, n)
	}
	r.BigNumbers(e, n)
	a.Unreadable = e.Disabled
	return a
}

func (r *Reader) entry(e *jsondoc.Element, a *Alternative, n jsondoc.Ref) {
	wrapped := jsondoc.Ref(0)
	for d := range r.Children(n) {
		if v := r.At(d); v.Name == "schemes" && v.Kind != 'n' && !(v.Kind == '[' && r.isDeclared("schemes")) {
			wrapped = d
		}
	}
	if wrapped != 0 {
		for d := range r.Children(n) {
			switch v := r.At(d); {
			case d == wrapped || v.Kind == 'n':
			case r.isDeclared(v.Name):
				r.Err(e, "mixed-forms", d, "%s stands beside schemes, where it would be skipped", jsondoc.Plain(v.Name))
			default:
				keep(&a.Unknown, v.Name, r.Canonical(d))
			}
		}
		if r.Is('{', jsondoc.Error, e, wrapped) {
			r.schemesOf(e, a, wrapped, true)
		}
		return
	}
	r.schemesOf(e, a, n, false)
}

// schemesOf reads the names and scopes of one alternative.
func (r *Reader) schemesOf(e *jsondoc.Element, a *Alternative, n jsondoc.Ref, wrapped bool) {
	for _, d := range r.Entries(n, jsondoc.MaxEntries) {
		v := r.At(d)
		if v.Kind == 'n' && v.Name == "schemes" && !wrapped {
			continue // a wrapper that is absent
		}
		list, ok := r.scopeList(e, a, d, wrapped)
		if !ok {
			continue
		}
		scopes := r.Strs(jsondoc.Error, e, list)
		if !wrapped {
			r.oldForm(n)
		}
		r.ask(e, a, v.Name, scopes, d)
	}
}

// oldForm warns of the 0.x form under the name of 1.0, once a card.
func (r *Reader) oldForm(n jsondoc.Ref) {
	list := r.At(n).Parent
	if name := r.At(list).Name; name == "securityRequirements" || name == "security_requirements" {
		r.WarnOnce("requirement-form", n, "%s: the form of 0.x, {name: [scopes]}, under the name of 1.0", name)
	}
}

// scopeList finds the list of scopes of one scheme; 0 is an empty one.
func (r *Reader) scopeList(e *jsondoc.Element, a *Alternative, n jsondoc.Ref, wrapped bool) (list jsondoc.Ref, ok bool) {
	switch r.At(n).Kind {
	case '[':
		if wrapped {
			r.WarnOnce("sdk-form", n, "%s: a bare list of scopes, as a2a-go writes it", r.Label(n))
		}
		return n, true
	case '{':
		for c := range r.Children(n) {
			switch v := r.At(c); {
			case v.Kind == 'n':
			case v.Name == "list":
				list = c
			default:
				keep(&a.Unknown, r.At(n).Name+"/"+v.Name, r.Canonical(c))
			}
		}
		return list, true
	}
	r.Is('[', jsondoc.Error, e, n)
	return 0, false
}

// ask adds a scheme to the alternative.
func (r *Reader) ask(e *jsondoc.Element, a *Alternative, name string, scopes []string, n jsondoc.Ref) {
	switch {
	case name == "":
		r.Err(e, "undeclared-scheme", n, "a scheme without a name")
		return
	case r.anonymous[name]:
		return // {"none": []} beside {"none": {"type": "none"}}
	case !r.isDeclared(name) && !r.unknown:
		if r.First("undeclared " + name) {
			// The alternative stays readable: who resolves the name sees
			// that nothing is behind it.
			r.Err(&jsondoc.Element{Scope: securityScope}, "undeclared-scheme", n, "securitySchemes does not declare %s", jsondoc.Quote(name))
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(scopes)))
	if sorted == nil {
		sorted = []string{}
	}
	a.Schemes[name] = sorted
}
