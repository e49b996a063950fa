package triples_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/diff"
)

// tripleWords are the rules whose was or now is not the value at the finding's
// path, and what it is instead.
var tripleWords = map[string]string{
	"input-narrowed":           "was is the lock's list",
	"output-lost":              "was is the lock's list",
	"output-narrowed":          "was is the lock's list",
	"extension-missing":        "was is the lock's list",
	"extension-version-moved":  "was is the lock's list, now are the versions that are there",
	"scope-required":           "was is the lock's list, now all scopes of the pinned way",
	"scope-no-longer-required": "all scopes of the pinned way, then and now",
	"scheme-renamed":           "the two names",
	"skill-changed-unused":     "the digests: a lock records no more of such a skill",
	"skill-lost-unused":        "the digest: a lock records no more of such a skill",
	"text-hidden-characters":   "the names of the characters",
	"text-changed":             "digests of texts, or the name and the tags themselves",
	"fallback-lost":            "the entry: binding and version stand for it in the path",
	"interface-gained":         "the entry: binding and version stand for it in the path",
	"lock-stale":               "the lock's own member",
	"evidence-stale":           "the lock's own member",
	"waiver-expired":           "the lock's own member",
	"waiver-unused":            "the lock's own member",
	"change-unclassified":      "the unknown value",
}

// A finding's path leads to something that the profile has, then or now, or
// the lock itself; and was and now are what stands there.
func TestTripleValues(t *testing.T) {
	spoken := map[string]bool{}
	for _, tr := range readTriples(t) {
		p := tr.pair(t)
		r, l, err := p.result(t)
		if err != nil || !r.Decided {
			continue
		}
		then, now, lock := asTree(t, l.Profile), asTree(t, p.now(t).Profile), asTree(t, l)
		for _, f := range r.Findings {
			spoken[f.Rule] = true
			was, had := valueAt(then, f.Path)
			is, has := valueAt(now, f.Path)
			if !had && !has && !placed(lock, then, now, f.Path) {
				t.Errorf("%s: %s: nothing is at %q, then or now", tr.name, f.Rule, f.Path)
			}
			_, other := tripleWords[f.Rule]
			if other || f.Path == "" || tr.lock.from != "" || tr.lock.edits != nil {
				continue
			}
			if strings.HasPrefix(f.Path, "/schemes/") && !had && has {
				was = asTree(t, f.Was) // the path has the name of now, and the scheme had another
			}
			if !sameValue(t, f.Was, was) || !sameValue(t, f.Now, is) {
				t.Errorf("%s: %s says %v -> %v of %s, where %v -> %v stand", tr.name, f.Rule, f.Was, f.Now, f.Path, was, is)
			}
		}
	}
	for rule := range tripleWords {
		if _, ok := diff.Lookup(rule); !ok || !spoken[rule] {
			t.Errorf("%s: no rule, or none that spoke", rule)
		}
	}
}

// placed reports whether a path is one that stands for something else than a
// member of the profile: a text, an unknown member, an interface by binding
// and version, what a lock alone records.
func placed(lock, then, now any, path string) bool {
	for _, p := range []any{then, now} {
		for _, collection := range []string{"texts", "unknown"} {
			if m, ok := valueAt(p, "/"+collection); ok && m != nil {
				if _, ok := m.(map[string]any)[path]; ok {
					return true
				}
			}
		}
		if at, ok := strings.CutPrefix(path, "/interfaces/"); ok && offersInterface(p, at) {
			return true
		}
		if id, ok := strings.CutPrefix(path, "/skills/"); ok {
			if _, ok := valueAt(p, "/other_skills/"+id); ok {
				return true
			}
		}
	}
	if uri, ok := strings.CutPrefix(path, "/declared_extensions/"); ok {
		list, _ := valueAt(lock, "/requires/extensions")
		return list != nil && slices.Contains(list.([]any), any(pointerTokenText(uri)))
	}
	for _, at := range []string{path, "/requires" + path} {
		if _, ok := valueAt(lock, at); ok {
			return true
		}
	}
	return false
}

func pointerTokenText(token string) string { return tripleUnescaper.Replace(token) }

func offersInterface(profile any, name string) bool {
	list, _ := valueAt(profile, "/interfaces")
	items, _ := list.([]any)
	return slices.ContainsFunc(items, func(i any) bool {
		m := i.(map[string]any)
		return m["binding"].(string)+"+"+m["version"].(string) == pointerTokenText(name)
	})
}

// asTree is a value as its JSON has it; nil where there is none.
func asTree(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := tripleJSON(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// valueAt follows an RFC 6901 pointer.
func valueAt(v any, pointer string) (any, bool) {
	for _, token := range tripleTokens(pointer) {
		switch inside := v.(type) {
		case map[string]any:
			inner, ok := inside[token]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(inside) {
				return nil, false
			}
			v = inside[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// sameValue compares a finding's value with the one at its path.
func sameValue(t *testing.T, said, stands any) bool {
	t.Helper()
	return bytes.Equal(tripleCanonical(t, tripleBytes(t, asTree(t, said), "")), tripleCanonical(t, tripleBytes(t, stands, "")))
}
