package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// wholeLock has a value in every member that a lock may have.
func wholeLock(t *testing.T) *lockfile.Lock {
	t.Helper()
	fragment := `{
		"lock_version": 1, "workflow": "travel", "owner": "team-travel", "identity": "partner", "fallback": "human",
		"pinned_at": "2026-09-01T00:00:00Z",
		"requires": {"push": true, "extensions": ["https://ext.example/citations/v1"]},
		"verified": {"quote": {"result": "ok", "at": "2026-09-01", "detail": "echo"}, "push": "probe ok 2026-09-01"},
		"trust": {"signature": "require", "keys": [` + oneKey + `], "allowed_origins": ["https://cdn.example"]},
		"policy": {"rules": {"skill-gained": "review"}, "text_policy": "review", "max_lock_age": "90d",
			"max_evidence_age": "30d", "settle_by_probe": true},
		"waivers": [{"rule": "text-changed", "path": "/name", "fingerprint": "0123456789abcdef", "reason": "known",
			"owner": "team-travel", "until": "2026-11-01"}]}`
	p := richProfile(t)
	l := pinTo(t, overlay(t, ExampleLock, fragment), &compile.Reading{Profile: p, Digest: "sha256:" + strings.Repeat("a", 64)})
	l.Interface.Tenant, l.Profile.Interface.Tenant = "t", "t"
	need := l.Requires.Skills["quote"]
	need.Assumed = true
	l.Requires.Skills["quote"] = need
	l.ProfileDigest = l.Profile.Digest(l.RequiredSkills())
	return l
}

// variants are other values of a JSON value; nil takes its member out.
func variants(v any) []any {
	switch v := v.(type) {
	case string:
		out := []any{nil, v + "x"}
		for _, pair := range []string{"2026 2025", "2026 2027", "a b", "t u", "90d 91d", "review compatible", "require if-present", "1.0 1.1", "probe found"} {
			from, to, _ := strings.Cut(pair, " ")
			if strings.Contains(v, from) {
				out = append(out, strings.Replace(v, from, to, 1))
			}
		}
		return out
	case bool:
		return []any{nil, !v}
	case float64:
		return []any{nil, v + 1}
	case []any:
		out := []any{nil, []any{}}
		if len(v) > 0 {
			out = append(out, append(slices.Clone(v), v[0]))
		}
		return out
	}
	return []any{nil, map[string]any{}}
}

// eachChange calls f with the document once for each other value of each member
// below v, which is in place meanwhile.
func eachChange(v any, at string, f func(what string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			eachChange(was, at+"/"+name, f)
			for _, other := range variants(was) {
				if other == nil {
					delete(v, name)
				} else {
					v[name] = other
				}
				f(fmt.Sprintf("%s/%s = %v", at, name, other))
			}
			v[name] = was
		}
		v["x-more"] = true
		f(at + "/x-more = true")
		delete(v, "x-more")
	case []any:
		for i, was := range v {
			eachChange(was, fmt.Sprintf("%s/%d", at, i), f)
			for _, other := range variants(was)[1:] {
				v[i] = other
				f(fmt.Sprintf("%s/%d = %v", at, i, other))
			}
			v[i] = was
		}
	}
}

// Whatever member of a lock changes, something is said of it, and not that it is
// compatible: only what follows from a change of the card may be that.
func TestEveryMemberOfALock(t *testing.T) {
	text := written(t, wholeLock(t), "")
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for name := range doc.(map[string]any) {
		seen[name] = true
	}
	for f := range reflect.TypeFor[lockfile.Lock]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && !seen[name] {
			t.Errorf("the lock of this test has no %s", name)
		}
	}
	count := 0
	eachChange(doc, "", func(what string) {
		count++
		changed, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		now := side(t, "example.a2a.lock.json", changed)
		if now.Err == nil { // not to hear of its layout alone
			now = side(t, now.Path, written(t, now.Lock, ""))
			if string(now.Text) == string(text) {
				return // as good as it was
			}
		}
		r := Revision{Was: side(t, now.Path, text), Now: now, Client: exampleClient(), At: ExampleTime}
		got := Locks([]Revision{r}, nil)[0]
		if len(got.Findings) == 0 || got.Class == Compatible && !strings.HasPrefix(what, "/profile/") && !strings.HasPrefix(what, "/card_digest") {
			t.Errorf("%s: %s", what, show(got))
		}
	})
	if count < 300 {
		t.Errorf("%d changes, want hundreds", count)
	}
}
