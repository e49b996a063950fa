package diff

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// Where everything is gone or new, no guess is worth the time.
func TestManyInterfacesAndSkills(t *testing.T) {
	c := Comparison{
		Client: exampleClient(),
		Lock:   &lockfile.Lock{Profile: &compile.Profile{}, Requires: lockfile.Requires{Skills: map[string]lockfile.Need{}}},
		Now:    &compile.Profile{Skills: map[string]compile.Skill{}, Interface: &compile.Interface{}},
	}
	for i := range 2000 {
		c.Lock.Requires.Skills[fmt.Sprint("was", i)] = lockfile.Need{}
		c.Now.Skills[fmt.Sprint(strings.Repeat("now", 30), i)] = compile.Skill{}
		c.Lock.Profile.Interfaces = append(c.Lock.Profile.Interfaces, compile.Interface{Binding: "JSONRPC", Version: "1.0", URL: fmt.Sprint("https://a.example/", i)})
		c.Now.Interfaces = append(c.Now.Interfaces, compile.Interface{Binding: "JSONRPC", Version: "1.0", URL: fmt.Sprint("https://b.example/", i)})
	}
	start := time.Now()
	removed, lost, gained := skillRemoved(&c), fallbackLost(&c), interfaceGained(&c)
	if took := time.Since(start); len(removed) != 2000 || len(lost) != 2000 || len(gained) != 2000 || took > time.Minute {
		t.Errorf("%d, %d and %d findings after %v, want 2000 each soon", len(removed), len(lost), len(gained), took)
	}
}

// What thousands of skills inherit is not repeated in the finding of each.
func TestSkillGainedIsBrief(t *testing.T) {
	s := compile.Skill{Input: []string{"a/b"}, Security: []compile.Alternative{{Schemes: map[string]compile.SchemeUse{"key": {}}}}}
	if _, ok := brief(s).(compile.Skill); !ok {
		t.Errorf("brief of a short one = %T", brief(s))
	}
	for range 200 {
		s.Security = append(s.Security, s.Security[0])
	}
	if got, ok := brief(s).(modes); !ok || len(got.Input) != 1 {
		t.Errorf("brief of a long one = %+v", got)
	}
}
