package a2alock_test

import (
	"bytes"
	"strings"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestZZValues(t *testing.T) {
	for _, tr := range readTriples(t) {
		p := tr.pair(t)
		r, l, err := p.result(t)
		if err != nil || r == nil { continue }
		now := p.read(p.came)
		if now.Profile == nil { continue }
		tree := func(v any) any {
			data, err := json.Marshal(v)
			if err != nil { t.Fatal(err) }
			x, err := tripleJSON(string(data))
			if err != nil { t.Fatal(err) }
			return x
		}
		nowTree := tree(now.Profile)
		var wasTree any
		if l.Profile != nil { wasTree = tree(l.Profile) }
		get := func(v any, ptr string) (any, bool) {
			for _, tok := range tripleTokens(ptr) {
				switch x := v.(type) {
				case map[string]any:
					y, ok := x[tok]
					if !ok { return nil, false }
					v = y
				case []any:
					i, err := strconv.Atoi(tok)
					if err != nil || i >= len(x) { return nil, false }
					v = x[i]
				default:
					return nil, false
				}
			}
			return v, true
		}
		for _, f := range r.Findings {
			if f.Path == "" { continue }
			w, wok := get(wasTree, f.Path)
			n, nok := get(nowTree, f.Path)
			if !wok && !nok {
				if strings.HasPrefix(f.Path, "/waivers/") || strings.HasPrefix(f.Path, "/verified/") || f.Path == "/pinned_at" { continue }
				for _, m := range []string{"texts", "unknown"} {
					if x, ok := nowTree.(map[string]any)[m].(map[string]any)[f.Path]; ok { n, nok = x, true }
					if wasTree != nil { if x, ok := wasTree.(map[string]any)[m].(map[string]any)[f.Path]; ok { w, wok = x, true } }
				}
				if !wok && !nok { t.Logf("PATH %s: %s %s nowhere", tr.name, f.Rule, f.Path); continue }
				if !strings.HasPrefix(f.Rule, "change-un") { continue }
			}
			eq := func(a, b any) bool { return bytes.Equal(tripleCanonical(t, tripleBytes(t, a, "")), tripleCanonical(t, tripleBytes(t, b, ""))) }
			if !eq(tree(f.Was), w) { t.Logf("WAS %s: %s %s: %s at path %s", tr.name, f.Rule, f.Path, tripleBytes(t, tree(f.Was), ""), tripleBytes(t, w, "")) }
			if !eq(tree(f.Now), n) { t.Logf("NOW %s: %s %s: %s at path %s", tr.name, f.Rule, f.Path, tripleBytes(t, tree(f.Now), ""), tripleBytes(t, n, "")) }
		}
	}
}
