package security

import (
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/set"
)

// Meant returns the index, in a list that is not empty, of the alternative that
// a lock means by the schemes and scopes that it records (nil is not recorded),
// for a client that holds these credentials. It is the first that fits, in this
// order (docs/design.md, Matching):
//
//  1. of the schemes named, and within the scopes recorded;
//  2. of the schemes named;
//  3. where no schemes are recorded, within the scopes: one that the client can
//     meet, else one that asks for scopes, else one that can be read;
//  4. one that the client can meet;
//  5. one that can be read;
//  6. one whose schemes have names; else the first.
//
// Exact is whether it is what the lock records: 1 or 3.
func Meant(list []compile.Alternative, schemes, scopes []string, held []compile.Credential) (i int, exact bool) {
	type test = func(compile.Alternative) bool
	named := func(a compile.Alternative) bool { return namesOf(a, schemes) }
	within := func(a compile.Alternative) bool { return scopes == nil || len(set.Without(scopesOf(a), scopes)) == 0 }
	meets := func(a compile.Alternative) bool { return compile.Meets(a, held) }
	readable := func(a compile.Alternative) bool { return !unreadable(a) }
	asks := func(a compile.Alternative) bool { return readable(a) && len(scopesOf(a)) > 0 }
	both := func(a, b test) test { return func(x compile.Alternative) bool { return a(x) && b(x) } }

	steps, recorded := []test{meets, readable, hasNames}, 0
	switch {
	case schemes != nil:
		steps, recorded = append([]test{both(named, within), named}, steps...), 1
	case scopes != nil:
		steps, recorded = append([]test{both(meets, within), both(asks, within), both(readable, within)}, steps...), 3
	}
	for n, fits := range steps {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return i, n < recorded
		}
	}
	return 0, false
}

// scopesOf are all scopes that an alternative asks for.
func scopesOf(a compile.Alternative) []string {
	var scopes []string
	for _, use := range a.Schemes {
		scopes = append(scopes, use.Scopes...)
	}
	return scopes
}

// hasNames reports whether each scheme of a has a name; a requirement that
// cannot be read has none.
func hasNames(a compile.Alternative) bool {
	_, none := a.Schemes[""]
	return !none
}
