package security

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
)

// A pair is one scheme of an alternative, then and now.
type pair struct {
	wasName, nowName string
	was, now         compile.SchemeUse
}

// same pairs an alternative with itself.
func same(a compile.Alternative) []pair {
	pairs := make([]pair, 0, len(a.Schemes))
	for name, use := range a.Schemes {
		pairs = append(pairs, pair{name, name, use, use})
	}
	return pairs
}

// A matching says which alternative of then is which of now.
type matching struct {
	to    []int // by index in was; -1 for one that is gone
	pairs [][]pair
	taken []bool // by index in now
}

// A likeness of two schemes, names and all.
type relation func(wasName, nowName string, was, now compile.SchemeUse) bool

// How schemes are found again, the closest first: an equal definition under
// the same name, then under any, then one that differs in addresses or scopes.
var relations = []relation{
	func(a, b string, was, now compile.SchemeUse) bool {
		return a == b && sameScheme(was.Scheme, now.Scheme) && slices.Equal(was.Scopes, now.Scopes)
	},
	func(_, _ string, was, now compile.SchemeUse) bool {
		return alike(was.Scheme, now.Scheme) && sameScheme(was.Scheme, now.Scheme) && slices.Equal(was.Scopes, now.Scopes)
	},
	func(a, b string, was, now compile.SchemeUse) bool {
		return a == b && alike(was.Scheme, now.Scheme) && sameScheme(was.Scheme, now.Scheme)
	},
	func(_, _ string, was, now compile.SchemeUse) bool {
		return alike(was.Scheme, now.Scheme) && sameScheme(was.Scheme, now.Scheme)
	},
	func(a, b string, was, now compile.SchemeUse) bool { return a == b && alike(was.Scheme, now.Scheme) },
	sameIdentity,
}

func sameIdentity(_, _ string, was, now compile.SchemeUse) bool { return alike(was.Scheme, now.Scheme) }

// sameName is how a scheme is found whose definition is gone.
func sameName(a, b string, was, now compile.SchemeUse) bool {
	return a == b || alike(was.Scheme, now.Scheme)
}

// match finds the alternatives of was again in now, the pinned one first in
// each round, and where several fit, one whose schemes are all held. The
// pinned one alone may change its definition, or be what another alternative
// has become too: the rules about it say more than that it is gone. What another
// one is still it has not become.
func match(was, now []compile.Alternative, pin int, held func(string, compile.SchemeUse) bool) matching {
	m := matching{to: make([]int, len(was)), pairs: make([][]pair, len(was)), taken: make([]bool, len(now))}
	for i := range m.to {
		m.to[i] = -1
	}
	order := []int{pin}
	for i := range was {
		if i != pin {
			order = append(order, i)
		}
	}
	// The first relation holds only between alternatives of one key.
	byKey := map[string][]int{}
	for n := range now {
		k := keyOf(now[n])
		byKey[k] = append(byKey[k], n)
	}
	for _, i := range order {
		m.take(i, was[i], now, byKey[keyOf(was[i])], relations[0], held, false)
	}
	for _, r := range relations[1:] {
		left := m.left()
		few := len(left) <= most && len(was)-m.found() <= most
		for _, i := range order {
			if m.to[i] < 0 && (i == pin || few) {
				m.take(i, was[i], now, left, r, held, false)
			}
		}
	}
	if m.to[pin] < 0 {
		every := m.open(was, now)
		for _, r := range append(slices.Clone(relations), sameName) {
			if m.take(pin, was[pin], now, every, r, held, true) {
				break
			}
		}
	}
	return m
}

// open returns which of now may be what the pinned alternative has become: all
// but those that another one is still, as it was.
func (m *matching) open(was, now []compile.Alternative) []int {
	open := make([]bool, len(now))
	for n := range open {
		open[n] = true
	}
	for i, n := range m.to {
		if n >= 0 && sameAlternative(was[i], now[n]) {
			open[n] = false
		}
	}
	var list []int
	for n, ok := range open {
		if ok {
			list = append(list, n)
		}
	}
	return list
}

// most is how many alternatives that are not the same are looked at for what
// they have become; beyond it they are gone and new.
const most = 256

// left returns which of now are not taken.
func (m *matching) left() []int {
	var left []int
	for n, taken := range m.taken {
		if !taken {
			left = append(left, n)
		}
	}
	return left
}

// found counts the alternatives of was that were found again.
func (m *matching) found() int {
	found := 0
	for _, n := range m.to {
		if n >= 0 {
			found++
		}
	}
	return found
}

// keyOf is equal for alternatives of the same names and scopes.
func keyOf(a compile.Alternative) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
		fmt.Fprintf(&b, "%q%q", name, a.Schemes[name].Scopes)
	}
	return b.String()
}

// take matches the alternative a, number i, with the best one of now, among
// those numbered, that r relates it to; again allows one that is taken.
func (m *matching) take(i int, a compile.Alternative, now []compile.Alternative, among []int, r relation, held func(string, compile.SchemeUse) bool, again bool) bool {
	for _, n := range among {
		b := now[n]
		if m.taken[n] && !again {
			continue
		}
		pairs, ok := related(a, b, r)
		if !ok {
			continue
		}
		if m.to[i] >= 0 && !all(b, held) {
			continue
		}
		first := m.to[i] < 0
		m.to[i], m.pairs[i] = n, pairs
		if !first || all(b, held) {
			break
		}
	}
	if m.to[i] < 0 {
		return false
	}
	m.taken[m.to[i]] = true
	return true
}

func all(a compile.Alternative, held func(string, compile.SchemeUse) bool) bool {
	for name, use := range a.Schemes {
		if !held(name, use) {
			return false
		}
	}
	return true
}

// related pairs the schemes of two alternatives, one to one, the same name
// before others.
func related(a, b compile.Alternative, r relation) ([]pair, bool) {
	if len(a.Schemes) != len(b.Schemes) || unreadable(b) && !unreadable(a) {
		return nil, false
	}
	used := make(map[string]bool, len(b.Schemes))
	pairs := make([]pair, 0, len(a.Schemes))
	take := func(wasName, nowName string) {
		used[nowName] = true
		pairs = append(pairs, pair{wasName, nowName, a.Schemes[wasName], b.Schemes[nowName]})
	}
	names := slices.Sorted(maps.Keys(a.Schemes))
	candidates := slices.Sorted(maps.Keys(b.Schemes))
	fits := func(x, y string) bool { return !used[y] && r(x, y, a.Schemes[x], b.Schemes[y]) }
	var open []string
	for _, name := range names {
		if _, ok := b.Schemes[name]; ok && fits(name, name) {
			take(name, name)
			continue
		}
		open = append(open, name)
	}
	for _, name := range open {
		i := slices.IndexFunc(candidates, func(other string) bool { return fits(name, other) })
		if i < 0 {
			return nil, false
		}
		take(name, candidates[i])
	}
	return pairs, true
}
