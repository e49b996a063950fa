package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
)

// A Limit is what a lock has to say of a [Call], in plain values. An empty
// member limits nothing, but for Skills and Held.
type Limit struct {
	// Skills are those that the lock requires; no other may be called.
	Skills []string
	// Input and Output are what the lock requires of the skill.
	Input, Output []string
	Extensions    []string
	// Origins are those to which calls may go, as [Origin] writes them.
	Origins []string
	// Held are the schemes that the lock records for any of its skills, with
	// the scopes that it records: what the workflow has credentials for. Nil
	// means that it does not record what this skill asks for.
	Held []SchemeUse
}

// allows reports whether calls may go to origin. From http to https on one
// host is no other place (an origin has no default port).
func (l *Limit) allows(origin string) bool {
	return len(l.Origins) == 0 || slices.ContainsFunc(l.Origins, func(o string) bool {
		host, plain := strings.CutPrefix(o, "http://")
		return o == origin && o != "" ||
			plain && origin == "https://"+host && !strings.Contains(host[strings.LastIndexByte(host, ']')+1:], ":")
	})
}

// covers reports whether each scheme of a is, by definition, one that the lock
// records, together with every scope asked for.
func (l *Limit) covers(a Alternative) bool {
	for _, use := range a.Schemes {
		recorded := false
		var scopes []string
		for _, held := range l.Held {
			if alike(held.Scheme, use.Scheme) {
				recorded, scopes = true, append(scopes, held.Scopes...)
			}
		}
		if !recorded || len(without(use.Scopes, scopes)) > 0 {
			return false
		}
	}
	return true
}

// movedAway reports whether a scheme of a that the lock records has an address
// at another origin now: a client secret would go there.
func (l *Limit) movedAway(a Alternative) bool {
	for _, use := range a.Schemes {
		recorded, same := false, false
		for _, held := range l.Held {
			if alike(held.Scheme, use.Scheme) {
				recorded, same = true, same || sameOrigins(held.Scheme, use.Scheme)
			}
		}
		if recorded && !same {
			return true
		}
	}
	return false
}

// sameOrigins compares the addresses that both have.
func sameOrigins(was, now Scheme) bool {
	before := schemeURLs(was)
	for member, u := range schemeURLs(now) {
		if b := before[member]; b != "" && u != "" && b != u && Origin("", b) != Origin("", u) {
			return false
		}
	}
	return true
}

// alike reports whether two definitions are one scheme: kind, place, parameter
// name, HTTP scheme and grant count, names and addresses do not. A scheme with
// several grants is the same while one is left. What cannot be read is like
// nothing.
func alike(a, b Scheme) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case card.KindAPIKey:
		// The names of headers have no case (RFC 9110 5.1), other names do.
		return a.In == b.In && (a.Name == b.Name || a.In == "header" && strings.EqualFold(a.Name, b.Name))
	case card.KindHTTP:
		return a.HTTPScheme == b.HTTPScheme
	case card.KindOAuth2:
		for grant := range a.Flows {
			if _, ok := b.Flows[grant]; ok {
				return true
			}
		}
		return len(a.Flows) == 0 && len(b.Flows) == 0
	case card.KindOpenIDConnect, card.KindMutualTLS:
		return true
	}
	return false
}

// names are the credentials in held that meet a, which they do.
func names(a Alternative, held []Credential) string {
	var out []string
	for _, scheme := range keys(a.Schemes) {
		n := slices.IndexFunc(held, func(c Credential) bool { return c.meets(a.Schemes[scheme]) })
		if n >= 0 && !slices.Contains(out, held[n].Name) {
			out = append(out, held[n].Name)
		}
	}
	return strings.Join(out, "+")
}

// asked describes what a list of alternatives asks for.
func asked(list []Alternative) string {
	ways := make([]string, len(list))
	for i, a := range list {
		var parts []string
		for _, name := range keys(a.Schemes) {
			use := a.Schemes[name]
			kind := StrengthOf(use.Scheme).String()
			if use.Kind == card.KindUnknown {
				kind = "cannot be read"
			}
			if len(use.Scopes) > 0 {
				kind += ", scopes " + enumerate(shown(use.Scopes))
			}
			parts = append(parts, fmt.Sprintf("%s (%s)", show(name), kind))
		}
		ways[i] = cmp.Or(strings.Join(parts, " and "), "nothing")
	}
	return strings.Join(ways[:min(5, len(ways))], " or ")
}

// modes normalises ours, each once, in order.
func (k *planning) modes(ours []string) []string {
	out := []string{}
	for _, m := range ours {
		if m, _ = NormalizeMode(m, k.client.Aliases); !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// offered lists ids, the nearest to id first.
func offered(ids []string, id string) string {
	if len(ids) == 0 {
		return "none"
	}
	ids = slices.SortedFunc(slices.Values(ids), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a, id), distance(b, id)), cmp.Compare(a, b))
	})
	return enumerate(shown(ids))
}

// distance is Levenshtein's, without case, over the first 64 bytes: ids are a
// stranger's and may be long.
func distance(a, b string) int {
	a, b = lowerASCII(a[:min(64, len(a))]), lowerASCII(b[:min(64, len(b))])
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// shown puts each of list into a sentence.
func shown(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = show(s)
	}
	return out
}

// without returns the values of a that are not in b, in the order of a.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return slices.Contains(b, v) })
}

// firstOf returns the first list that is not empty, else an empty one.
func firstOf(lists ...[]string) []string {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return []string{}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
