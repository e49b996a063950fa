package amend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/lockfile"
)

const plain = `{
	"agent": "https://agent.example/card.json",
	"requires": {"skills": {"a/b": {"input": ["text/plain", "a/b"], "output": ["text/plain"]}}}
}`

func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string // replaced in the lock
		want     []string
	}{
		{name: "nothing"},
		{"layout", "\n", " ", nil},
		{"a set's order", `"text/plain", "a/b"`, `"a/b", "text/plain"`, nil},
		{"a text", "agent.example", "other.example", []string{`/agent "https://agent.example/card.json" "https://other.example/card.json"`}},
		{"a member of a skill", `"output": ["text/plain"]`, `"output": ["text/plain","x/y"]`, []string{`/requires/skills/a~1b/output ["text/plain"] ["text/plain","x/y"]`}},
		{"a skill", `"a/b":`, `"c":`, []string{
			`/requires/skills/a~1b {"input":["a/b","text/plain"],"output":["text/plain"]} -`,
			`/requires/skills/c - {"input":["a/b","text/plain"],"output":["text/plain"]}`,
		}},
		{"the first of trust", `"requires"`, `"trust":{"signature":"ignore"},"requires"`, []string{`/trust/signature - "ignore"`}},
		{"an interface", `"requires"`, `"interface":{"binding":"GRPC","version":"1.0"},"requires"`, []string{`/interface - {"binding":"GRPC","version":"1.0"}`}},
		{"a rule's class", `"requires"`, `"policy":{"rules":{"x":"review"}},"requires"`, []string{`/policy/rules/x - "review"`}},
		{"evidence", `"requires"`, `"verified":{"push":{"result":"ok"}},"requires"`, []string{`/verified/push - {"result":"ok"}`}},
		{"an unknown member", `"requires"`, `"x":{"y":1},"requires"`, []string{`/x - {"y":1}`}},
		{"a flag that is false when absent", `"requires": {`, `"requires": {"push": false,`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was, now := parse(t, plain), parse(t, strings.ReplaceAll(plain, tt.old, tt.new))
			if tt.old == "" {
				now = was
			}
			if got := said(t, was, now); !slices.Equal(got, tt.want) {
				t.Errorf("changes = %q, want %q", got, tt.want)
			}
			if back := said(t, now, was); len(back) != len(tt.want) {
				t.Errorf("backwards %q, want as many as %q", back, tt.want)
			}
		})
	}
}

func said(t *testing.T, was, now *lockfile.Lock) []string {
	t.Helper()
	changes, err := Changes(was, now)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s %s", c.Pointer, cmp.Or(string(c.Was), "-"), cmp.Or(string(c.Now), "-")))
	}
	return out
}

func parse(t *testing.T, text string) *lockfile.Lock {
	t.Helper()
	l, err := lockfile.Parse([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestChangesOfWhatCannotBeWritten(t *testing.T) {
	good := parse(t, plain)
	bad := parse(t, plain)
	bad.Owner = "\xff"
	for _, pair := range [][2]*lockfile.Lock{{good, bad}, {bad, good}} {
		if _, err := Changes(pair[0], pair[1]); err == nil {
			t.Error("a text that is no UTF-8 was written")
		}
	}
}
