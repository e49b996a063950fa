package pairing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// locksOf reads "FILE[->REAL] AGENT/WORKFLOW[/IDENTITY[/SKILL]] TEXT": an agent of
// "!" is no lock, and "host:path" one at another path of its host.
func locksOf(lines ...string) []Lock {
	var locks []Lock
	for _, line := range lines {
		fields := strings.Fields(line)
		file, real, isLink := strings.Cut(fields[0], "->")
		if !isLink {
			real = file
		}
		l := Lock{Side: &diff.Side{Path: file, Text: []byte(line[len(fields[0]):])}, File: file, Real: real}
		parts := append(strings.Split(fields[1], "/"), "", "", "")
		about := parts[0]
		host, path, _ := strings.Cut(about, ":")
		if host == "!" {
			l.Err = fmt.Errorf("no lock")
		} else {
			l.Lock = &lockfile.Lock{Agent: "https://" + host + "/" + path, Workflow: parts[1], Identity: parts[2], Path: file}
			if skill := parts[3]; skill != "" {
				l.Lock.Requires.Skills = map[string]lockfile.Need{skill: {}}
			}
		}
		locks = append(locks, l)
	}
	return locks
}

func TestOf(t *testing.T) {
	for _, test := range []struct {
		name     string
		was, now []string
		want     []string // "WAS>NOW", "=" before it where nothing changed
	}{
		{name: "nothing"},
		{
			name: "by path",
			was:  []string{"a x/w 1", "b y/w 1", "c z/w 1"},
			now:  []string{"a x/w 1", "b y/w 2", "d q/w 1"},
			want: []string{"=a>a", "b>b", "c>", ">d"},
		},
		{
			name: "a rename, and what it changes",
			was:  []string{"a x/w 1", "b y/w 1"},
			now:  []string{"c x/w 2", "d y/w 1"},
			want: []string{"a>c", "b>d"},
		},
		{
			name: "a rename needs the same workflow",
			was:  []string{"a x/v 1"},
			now:  []string{"b x/w 1"},
			want: []string{"a>", ">b"},
		},
		{
			name: "the same agent, spelled otherwise or moved",
			was:  []string{"a x/w 1", "b y:1/w 1"},
			now:  []string{"c X:443/w 2", "d y:2/w 2"},
			want: []string{"a>c", "b>d"},
		},
		{
			name: "the exact agent first",
			was:  []string{"a x:1/w 1", "b x:2/w 1"},
			now:  []string{"c x:2/w 2", "d x:1/w 2"},
			want: []string{"b>c", "a>d"},
		},
		{
			name: "the same text first",
			was:  []string{"a x/w 1", "b x/w 2"},
			now:  []string{"c x/w 2", "d x/w 1"},
			want: []string{"b>c", "a>d"},
		},
		{
			name: "a path says more than an agent: a copy elsewhere hides nothing",
			was:  []string{"a x/w 1"},
			now:  []string{"a evil/w 1", "b x/w 1"},
			want: []string{"a>a", ">b"},
		},
		{
			name: "two that changed places",
			was:  []string{"a x/w 1", "b y/w 1"},
			now:  []string{"a y/w 1", "b x/w 1"},
			want: []string{"a>a", "b>b"},
		},
		{
			name: "what is no lock has its path alone",
			was:  []string{"a ! 1", "b x/w 1", "c ! 1"},
			now:  []string{"a x/w 1", "d ! 1", "c ! 1"},
			want: []string{"a>a", "b>", "=c>c", ">d"},
		},
		{
			name: "another identity, or none",
			was:  []string{"a x/w 1", "b y/w/i 1", "c z:1/w/i 1", "d p/w/i/s 1", "e h:1/v/i/s 1"},
			now:  []string{"f x/w/i 2", "g y/w 2", "h z:2/w/j 2", "i q/w/j/s 2", "j h:2/u/j/s 2"},
			want: []string{"a>f", "b>g", "c>h", "d>i", "e>j"},
		},
		{
			name: "another identity, and the exact agent first",
			was:  []string{"a x:1/w/i 1", "b x:2/w/i 1"},
			now:  []string{"c x:2/w/j 2", "d x:1/w/j 2"},
			want: []string{"b>c", "a>d"},
		},
		{
			name: "the same identity first, for one agent and workflow",
			was:  []string{"a x/w/i 1", "b x/w/j 1"},
			now:  []string{"c x/w/j 2", "d x/w/i 2"},
			want: []string{"b>c", "a>d"},
		},
		{
			name: "a copy under another workflow does not take the place of one that asks otherwise",
			was:  []string{"a x/w/i/s 1"},
			now:  []string{"b x/v/i/s 1", "c x/w/j/s 2"},
			want: []string{">b", "a>c"},
		},
		{
			name: "each skill that is shared counts, and a lock is taken once",
			was:  []string{"a x/w//s 1", "b x/w//t 1", "c x/w//s 1"},
			now:  []string{"d y/w//t 2", "e y/w//s 2", "f y/w//u 2"},
			want: []string{"c>", "b>d", "a>e", ">f"},
		},
		{
			name: "links to one file of another name are one lock",
			was:  []string{"a->plain x/w 1", "b->plain x/w 1"},
			now:  []string{"a->plain x/w 2", "b->plain x/w 2", "c->plain x/w 2"},
			want: []string{"a>a"},
		},
		{
			name: "a link to another lock adds nothing",
			was:  []string{"a x/w 1", "gone->a x/w 1", "kept->a x/w 1"},
			now:  []string{"a x/w 2", "kept->a x/w 2", "new->a x/w 2"},
			want: []string{"a>a"},
		},
		{
			name: "a link in the place of a lock, another target, and a lock in the place of a link",
			was:  []string{"a x/w 1", "b x/w 2", "c->a x/w 1", "d->a x/w 1"},
			now:  []string{"a->b x/w 2", "b x/w 2", "c->b x/w 2", "d x/w 1"},
			want: []string{"a>a", "=b>b", "c>c", "=d>d"},
		},
		{
			name: "a link to what is no lock by its name",
			was:  []string{"a->plain x/w 1"},
			now:  []string{"a->plain x/w 2"},
			want: []string{"a>a"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, p := range Of(locksOf(test.was...), locksOf(test.now...)) {
				line := ">"
				if p.Was != nil {
					line = p.Was.File + line
				}
				if p.Now != nil {
					line += p.Now.File
				}
				if p.IsEqual() {
					line = "=" + line
				}
				got = append(got, line)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("Of(%q, %q) = %q, want %q", test.was, test.now, got, test.want)
			}
		})
	}
}

// Two files that could not be read are not known to be equal, unless git says so.
func TestUnread(t *testing.T) {
	for _, test := range []struct {
		was, now string // ids
		want     bool
	}{
		{"", "", false},
		{"1", "", false},
		{"1", "2", false},
		{"1", "1", true},
	} {
		unread := func(id string) *Lock {
			return &Lock{Side: &diff.Side{Path: "a", Err: fmt.Errorf("lost")}, File: "a", Real: "a", ID: id}
		}
		if got := (Pair{Was: unread(test.was), Now: unread(test.now)}).IsEqual(); got != test.want {
			t.Errorf("IsEqual of %q and %q without a text = %v, want %v", test.was, test.now, got, test.want)
		}
	}
}

// Thousands of locks that all moved are paired by what they share: to try each with
// each would take minutes.
func TestMany(t *testing.T) {
	var was, now []string
	for i := range 20_000 {
		was = append(was, fmt.Sprintf("a%d x%d/w%d//s 1", i, i, i))
		now = append(now, fmt.Sprintf("b%d x%d/v%d//s 2", i, i, i))
	}
	pairs := Of(locksOf(was...), locksOf(now...))
	if len(pairs) != 20_000 || pairs[0].Was == nil || pairs[0].Now == nil {
		t.Errorf("%d pairs, want 20000", len(pairs))
	}
}

func TestScope(t *testing.T) {
	files := []string{
		"a2a.lock.json", "locks/q.a2a.lock.json", "locks/readme", "locks/vendor/v.a2a.lock.json", "locks2/r.a2a.lock.json",
		"node_modules/m/a2a.lock.json", "vendor/lib/x.a2a.lock.json", "vendor/lib/node_modules/y.a2a.lock.json",
	}
	for _, test := range []struct {
		named, files, below, keeps, covers, unmet []string
	}{
		{
			keeps:  files[:2:2],
			covers: files[:2],
		},
		{
			named:  []string{"locks"},
			keeps:  files[:2:2],
			covers: []string{"locks/q.a2a.lock.json"},
		},
		{
			named:  []string{"vendor/lib", "locks/readme", "nowhere", "lock"},
			keeps:  []string{"locks/readme", "vendor/lib/x.a2a.lock.json"},
			covers: []string{"locks/readme", "vendor/lib/x.a2a.lock.json"},
			unmet:  []string{"nowhere", "lock"},
		},
		{
			files:  []string{"locks/readme"},
			below:  []string{"vendor/lib"},
			keeps:  []string{"locks/readme", "vendor/lib/x.a2a.lock.json"},
			covers: []string{"a2a.lock.json", "locks/q.a2a.lock.json", "locks/readme", "locks2/r.a2a.lock.json", "vendor/lib/x.a2a.lock.json"},
		},
		{
			named:  []string{".", "vendor/lib/node_modules/y.a2a.lock.json"},
			keeps:  []string{"vendor/lib/node_modules/y.a2a.lock.json"},
			covers: files,
		},
	} {
		s := NewScope(test.named)
		s.Files, s.Below = test.files, test.below
		for _, f := range files {
			kept := s.Keep(f)
			if want := slices.Contains(test.keeps, f) || slices.Contains(files[:2], f) || f == files[4]; kept != want {
				t.Errorf("of %q: Keep(%q) = %v, want %v", test.named, f, kept, want)
			}
			if covers, want := s.Covers(f), len(test.named) == 0 || slices.Contains(test.covers, f); kept && covers != want {
				t.Errorf("of %q: Covers(%q) = %v, want %v", test.named, f, covers, want)
			}
		}
		if got := s.Unmet(); !slices.Equal(got, test.unmet) && len(got)+len(test.unmet) > 0 {
			t.Errorf("of %q: Unmet = %q, want %q", test.named, got, test.unmet)
		}
	}
}

// A lock that changes its place together with its agent or its workflow is the
// same where it asks for the same skill.
func TestOfHeirs(t *testing.T) {
	lock := func(file, agent, workflow string, skills ...string) Lock {
		l := &lockfile.Lock{Agent: agent, Workflow: workflow, Path: file}
		l.Requires.Skills = map[string]lockfile.Need{}
		for _, id := range skills {
			l.Requires.Skills[id] = lockfile.Need{}
		}
		return Lock{Side: &diff.Side{Path: file, Text: []byte(file), Lock: l}, File: file, Real: file}
	}
	was := lock("a", "https://one.example/card.json", "travel", "quote", "book")
	for _, tt := range []struct {
		name string
		now  Lock
		want bool
	}{
		{"another origin", lock("b", "https://two.example/card.json", "travel", "quote"), true},
		{"another workflow", lock("b", "https://one.example/card.json", "x", "book"), true},
		{"another workflow and path", lock("b", "https://one.example/v2/card.json", "x", "quote"), true},
		{"another workflow and port", lock("b", "https://ONE.example.:8443/card.json", "x", "quote"), true},
		{"another origin and workflow", lock("b", "https://two.example/card.json", "x", "quote"), false},
		{"another need at another origin", lock("b", "https://two.example/card.json", "travel", "pay"), false},
		{"another need in another workflow", lock("b", "https://one.example/card.json", "x", "pay"), false},
	} {
		pairs := Of([]Lock{was}, []Lock{tt.now})
		if got := len(pairs) == 1; got != tt.want {
			t.Errorf("%s: %d pairs, want one: %t", tt.name, len(pairs), tt.want)
		}
	}
}
