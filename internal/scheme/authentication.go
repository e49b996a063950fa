package scheme

import "github.com/a2alock/a2alock/internal/jsondoc"

// Authentication reads the object of 0.1: a list of words, any one of which
// is enough. It defines the schemes it names.
func (r *Reader) Authentication(n jsondoc.Ref) Security {
	e := &jsondoc.Element{Scope: securityScope}
	words := []jsondoc.Ref{n}
	switch r.At(n).Kind {
	case '[':
		words = r.Entries(n, jsondoc.MaxEntries)
	case '{':
		var done bool
		if words, done = r.authenticationWords(e, n); done {
			if e.Disabled != "" {
				return unreadable(e.Disabled)
			}
			return Security{}
		}
	case '"':
	default:
		r.Is('{', jsondoc.Error, e, n)
		return unreadable(e.Disabled)
	}
	s := Security{}
	for _, w := range words {
		if !r.IsEmpty(w) {
			s.Alternatives = append(s.Alternatives, r.word(w))
		}
	}
	s.Declared = len(s.Alternatives) > 0
	return s
}

// authenticationWords finds the words in an authentication object: schemes,
// or the object itself where it has a type. done is true when there are none.
func (r *Reader) authenticationWords(e *jsondoc.Element, n jsondoc.Ref) (words []jsondoc.Ref, done bool) {
	var schemes, typed jsondoc.Ref
	others := false
	for c := range r.Children(n) {
		switch v := r.At(c); {
		case v.Kind == 'n':
		case v.Name == "schemes":
			schemes = c
		case v.Name == "type":
			typed = c
		case v.Name != "credentials" && v.Name != "description":
			others = true
		}
	}
	switch {
	case schemes != 0 && r.At(schemes).Kind == '[':
		return r.Entries(schemes, jsondoc.MaxEntries), false
	case schemes != 0 && r.At(schemes).Kind == '"':
		return []jsondoc.Ref{schemes}, false
	case schemes != 0:
		r.Is('[', jsondoc.Error, e, schemes)
	case typed != 0:
		return []jsondoc.Ref{n}, false
	case others:
		r.Err(e, "unknown-scheme", n, "%s: neither schemes nor a type", r.Label(n))
	}
	return nil, true
}

// word reads one scheme of 0.1: a string, or an object with a type.
func (r *Reader) word(n jsondoc.Ref) Alternative {
	e := &jsondoc.Element{Scope: schemeScope}
	a := Alternative{Schemes: map[string][]string{}}
	text := n
	if r.At(n).Kind == '{' {
		for d := range r.Children(n) {
			if r.At(d).Name == "type" {
				text = d
			}
		}
	}
	if !r.Is('"', jsondoc.Error, e, text) {
		a.Unreadable = e.Disabled
		return a
	}
	name := r.At(text).Str
	if isAnonymous(name) {
		return a
	}
	if !r.isDeclared(name) {
		s := Scheme{Kind: HTTP, Scheme: jsondoc.Lower(name)}
		if !isHTTPScheme(name) {
			r.Err(e, "unknown-scheme", text, "%s: %s says nothing of how to authenticate", r.Label(text), jsondoc.Quote(name))
			s = Scheme{Kind: Unknown, Unreadable: e.Disabled}
		}
		r.Declared[name] = s
	}
	r.ask(e, &a, name, nil, n)
	return a
}
