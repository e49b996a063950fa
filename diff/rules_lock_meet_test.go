package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/lockfile"
)

// What a lock that came takes over of those that went is told whoever reads the card,
// and of each of them, not of the last alone.
func TestTakesThePlaceOf(t *testing.T) {
	streams, _ := revision(t, Example{
		Was: `{"capabilities":{"streaming":true}}`, Lock: `{"workflow":"one","identity":"travel","requires":{"streaming":true}}`, Only: "was",
	}, exampleClient())
	pushes, _ := revision(t, Example{
		Was: `{"capabilities":{"pushNotifications":true}}`, Lock: `{"workflow":"two","requires":{"push":true}}`, Only: "was",
	}, exampleClient())
	plain, _ := revision(t, Example{Lock: `{"workflow":"three"}`, Only: "was"}, exampleClient())
	came, _ := revision(t, Example{Lock: `{"workflow":"new"}`, Only: "now"}, exampleClient())
	for _, order := range [][]Revision{
		{streams, pushes, plain, came},
		{came, plain, pushes, streams},
	} {
		for _, got := range Locks(order, nil) {
			if got.Lock.Workflow != "new" {
				continue
			}
			if said, want := said(got), []string{"lock-added", "lock-weakened-to-fit", "lock-weakened-to-fit"}; !slices.Equal(said, want) {
				t.Errorf("rules = %q, want %q\n%s", said, want, show(got))
			}
		}
	}
}

// Of too many that came and went it is said what nobody held against each other.
func TestTooManyToHold(t *testing.T) {
	var list []Revision
	for _, lock := range []string{`{"workflow":"a"}`, `{"workflow":"b","requires":{"streaming":true}}`, `{"workflow":"c","requires":{"push":true}}`} {
		r, _ := revision(t, Example{
			Was: `{"capabilities":{"streaming":true,"pushNotifications":true}}`, Lock: lock, Only: "was",
		}, exampleClient())
		list = append(list, r)
	}
	for _, workflow := range []string{"x", "y"} {
		r, _ := revision(t, Example{
			Now: `{"capabilities":{"streaming":true,"pushNotifications":true}}`, Lock: fmt.Sprintf(`{"workflow":%q}`, workflow), Only: "now",
		}, exampleClient())
		list = append(list, r)
	}
	for limit, want := range map[int][2]string{
		0: {"3 more locks", "3 more locks"},
		2: {"1 more lock ", "3 more locks"},
		3: {"", "3 more locks"},
		5: {"", "1 more lock "},
		6: {"", ""},
	} {
		for i := range list {
			list[i].facts = amendedOf(&list[i])
		}
		meet(list, nil, limit)
		for i, text := range want {
			got := list[3+i].judge()
			told := slices.ContainsFunc(got.Findings, func(f Finding) bool {
				return f.Rule == "lock-weakened-to-fit" && f.Class == Breaking && strings.HasPrefix(f.Message, text)
			})
			if told != (text != "") || text == "" && len(got.Findings) != 1 {
				t.Errorf("limit %d: %s\nwant %q", limit, show(got), text)
			}
		}
	}
}

// Many locks of one agent are named by the first few: a list of each beside each
// would be a report that nobody can open.
func TestManyTwins(t *testing.T) {
	one, _ := revision(t, Example{Lock: `{"workflow":"travel"}`, Only: "now"}, exampleClient())
	var list []Revision
	for i := range 500 {
		r := one
		r.Now = side(t, fmt.Sprintf("%d.a2a.lock.json", i), one.Now.Text)
		list = append(list, r)
	}
	for n, want := range map[int]string{
		2:   `"1.a2a.lock.json" is a lock of workflow "travel" for the same agent, too`,
		4:   `"1.a2a.lock.json", "2.a2a.lock.json", "3.a2a.lock.json" are locks of workflow "travel" for the same agent, too`,
		500: `"1.a2a.lock.json", "2.a2a.lock.json", "3.a2a.lock.json" and 496 more are locks of workflow "travel" for the same agent, too`,
	} {
		results := Locks(list[:n], nil)
		if got := duplicates(results[0]); !slices.Equal(got, []string{want}) {
			t.Errorf("of %d: %q, want %q", n, got, want)
		}
		if last := duplicates(results[n-1]); len(last) != 1 {
			t.Errorf("of %d: the last has %q, want one finding", n, last)
		}
	}
}

// Two locks of the same work are of the change that made them so: what it does beside
// to one that stood there is no reason to stop it.
func TestTwinsOfBefore(t *testing.T) {
	one, _ := revision(t, Example{Lock: `{"workflow":"travel"}`, Change: `{"fallback":"ask a person"}`}, exampleClient())
	moved, _ := revision(t, Example{Lock: `{"workflow":"travel"}`, Change: `{"workflow":"stay"}`}, exampleClient())
	moved.Was, moved.Now = moved.Now, moved.Was
	came := one
	came.Was = nil
	for i, r := range []*Revision{&one, &moved, &came} {
		r.Now = side(t, fmt.Sprintf("%d.a2a.lock.json", i), r.Now.Text)
	}
	standing := []*lockfile.Lock{one.Was.Lock}
	for _, tt := range []struct {
		name     string
		list     []Revision
		standing []*lockfile.Lock
		want     []int // duplicates told of each
	}{
		{"both changed", []Revision{one, one}, nil, []int{0, 0}},
		{"one changed", []Revision{one}, standing, []int{0}},
		{"one came", []Revision{came}, standing, []int{1}},
		{"one came beside one that changed", []Revision{came, one}, nil, []int{1, 1}},
		{"one came beside two", []Revision{came, one, one}, standing, []int{1, 1, 1}},
		{"one changed its workflow", []Revision{moved, one}, nil, []int{1, 1}},
	} {
		var got []int
		for _, r := range Locks(tt.list, tt.standing) {
			got = append(got, len(duplicates(r)))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v duplicates, want %v", tt.name, got, tt.want)
		}
	}
}

func duplicates(r *Result) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Rule == "lock-duplicate" {
			list = append(list, f.Message)
		}
	}
	return list
}

func TestManyGone(t *testing.T) {
	one, _ := revision(t, Example{Lock: `{"workflow":"travel"}`}, exampleClient())
	var list []Revision
	for i := range 300 {
		r := one
		r.Was, r.Now = side(t, fmt.Sprintf("%d.a2a.lock.json", i), one.Was.Text), nil
		list = append(list, r)
	}
	r := one
	r.Was, r.Now = nil, side(t, "new.a2a.lock.json", one.Now.Text)
	got := Locks(append(list, r), nil)[300]
	const want = `of the same agent went "0.a2a.lock.json", "1.a2a.lock.json", "2.a2a.lock.json" and 297 more`
	if len(got.Findings) != 1 || !strings.HasSuffix(got.Findings[0].Message, want) {
		t.Errorf("%s, want one that ends in %s", show(got), want)
	}
}

// Who reads the card is part of what a lock asks.
func TestIdentityOfLock(t *testing.T) {
	const offers = `{"capabilities":{"extendedAgentCard":true}}`
	for _, tt := range []struct {
		name, was, now string
		want           []string
	}{
		{"none", `{}`, `{}`, nil},
		{"the same", `{"identity":"travel"}`, `{"owner":"ann"}`, []string{"lock-owner-changed"}},
		{"one that came", `{}`, `{"identity":"travel"}`, []string{"lock-identity-changed"}},
		{"another", `{"identity":"travel"}`, `{"identity":"pricing"}`, []string{"lock-identity-changed"}},
		{"gone", `{"identity":"travel"}`, `{"identity":null}`, []string{"lock-identity-removed breaking"}},
		{"as good as gone", `{"identity":"travel"}`, `{"identity":" "}`, []string{"lock-identity-removed breaking"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := review(t, Example{Was: offers, Now: offers, Lock: tt.was, Change: tt.now})
			var rules []string
			for _, f := range got.Findings {
				if f.Class == Breaking {
					f.Rule += " breaking"
				}
				rules = append(rules, f.Rule)
			}
			if !slices.Equal(rules, tt.want) {
				t.Errorf("rules = %q, want %q\n%s", rules, tt.want, show(got))
			}
		})
	}
}

// That a side is as unreadable as the one before is no reason to let it pass.
func TestUnreadSides(t *testing.T) {
	read, _ := revision(t, Example{}, exampleClient())
	unread := &Side{Path: read.Was.Path, Err: &lockfile.Fault{Path: read.Was.Path, Msg: "lost"}}
	for _, tt := range []struct {
		name     string
		was, now *Side
		class    Class
		decided  bool
	}{
		{"both", unread, unread, Breaking, true},
		{"before", unread, read.Now, Compatible, false},
		{"now", read.Was, unread, Breaking, true},
		{"none", read.Was, read.Was, Compatible, true},
	} {
		r := read
		r.Was, r.Now = tt.was, tt.now
		if got := Locks([]Revision{r}, nil)[0]; got.Class != tt.class || got.Decided != tt.decided {
			t.Errorf("%s: %s, decided %v, want %s, decided %v\n%s", tt.name, got.Class, got.Decided, tt.class, tt.decided, show(got))
		}
	}
}
