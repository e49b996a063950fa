package gitrepo

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

func TestCommit(t *testing.T) {
	r := newTree(t)
	first := r.git("rev-parse", "HEAD")
	r.git("tag", "v1")
	r.git("branch", "topic")
	r.git("tag", "main")
	r.git("config", "core.warnAmbiguousRefs", "false")
	repo := r.open()
	for _, ref := range []string{"HEAD", "v1", "topic", "refs/heads/main", "heads/main", first, first[:10], "@"} {
		if c, err := repo.Commit(t.Context(), ref); err != nil || c.ID != first || c.Name != ref {
			t.Errorf("Commit(%q) = %v, %v, want %s", ref, c, err, first)
		}
	}
	for ref, ambiguous := range map[string]bool{
		"main": true, "nowhere": false, "HEAD~1": false, "--all": false, "-": false, "main..topic": true, "HEAD:": false, "a b": false, "\xff\n": false,
	} {
		_, err := repo.Commit(t.Context(), ref)
		if e, ok := errors.AsType[*RefError](err); !ok || e.Ref != ref || e.Ambiguous != ambiguous {
			t.Errorf("Commit(%q) = %v, want a RefError, ambiguous %v", ref, err, ambiguous)
		}
	}
	r.git("checkout", "-q", "--orphan", "unborn")
	if _, err := repo.Commit(t.Context(), "HEAD"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("Commit(HEAD) of a branch without one = %v, want %v", err, ErrNoCommit)
	}
}

func TestDefault(t *testing.T) {
	r := newTree(t)
	repo := r.open()
	check := func(want string) {
		t.Helper()
		c, err := repo.Default(t.Context())
		if c.Name != want || (want == "") != errors.Is(err, ErrNoBase) {
			t.Errorf("Default = %v, %v, want %q", c, err, want)
		}
	}
	check("main")
	r.git("branch", "-m", "main", "topic")
	check("")
	r.git("branch", "master")
	check("master")
	r.git("update-ref", "refs/remotes/origin/master", "HEAD")
	check("origin/master")
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	check("origin/main")
	r.git("branch", "main")
	r.git("update-ref", "refs/remotes/upstream/trunk", "HEAD")
	r.git("config", "remote.upstream.url", ".")
	r.git("config", "remote.upstream.fetch", "+refs/heads/*:refs/remotes/upstream/*")
	r.git("config", "branch.main.remote", "upstream")
	r.git("config", "branch.main.merge", "refs/heads/trunk")
	check("upstream/trunk")
	r.git("update-ref", "-d", "refs/remotes/upstream/trunk")
	check("origin/main") // what main follows was never fetched
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
	check("origin/master")
	r.git("update-ref", "-d", "refs/remotes/origin/master")
	check("origin/main") // the head leads nowhere
	r.git("tag", "origin/main", r.git("commit-tree", "-m", "x", "HEAD^{tree}"))
	if c, err := repo.Default(t.Context()); err != nil || c.ID != r.git("rev-parse", "HEAD") {
		t.Errorf("Default = %v, %v, want the branch and not the tag", c, err)
	}
}

func TestMergeBases(t *testing.T) {
	r := newTree(t)
	first := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "topic")
	topic := r.commit()
	r.git("checkout", "-q", "main")
	r.write("a", "x")
	main := r.commit()
	repo := r.open()
	if c, err := repo.MergeBases(t.Context(), main, topic); err != nil || len(c) != 1 || c[0].ID != first {
		t.Errorf("MergeBases = %v, %v, want %s", c, err, first)
	}
	r.git("merge", "-q", "--no-ff", "-m", "one way", topic.ID)
	oneWay := Commit{Name: "main", ID: r.git("rev-parse", "HEAD")}
	r.git("checkout", "-q", "topic")
	r.git("merge", "-q", "--no-ff", "-m", "the other", main.ID)
	other := Commit{Name: "topic", ID: r.git("rev-parse", "HEAD")}
	if c, err := repo.MergeBases(t.Context(), oneWay, other); err != nil || len(c) != 2 {
		t.Errorf("MergeBases of branches that were merged crosswise = %v, %v, want both", c, err)
	}
	r.git("checkout", "-q", "--orphan", "other")
	other = r.commit()
	if _, err := repo.MergeBases(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBases of an orphan = %v, want %v", err, ErrUnrelated)
	}
	// A replaced commit is another history than the one that is pushed.
	r.git("replace", other.ID, main.ID)
	if _, err := repo.MergeBases(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBases of a replaced commit = %v, want %v", err, ErrUnrelated)
	}
	r.write(".git/info/grafts", other.ID+" "+main.ID+"\n")
	if _, err := repo.MergeBases(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBases of a grafted commit = %v, want %v", err, ErrUnrelated)
	}
}

// A shallow clone knows the base for certain where no branch is cut off behind it.
func TestIsCertain(t *testing.T) {
	r := newTree(t)
	r.commit()
	r.git("branch", "side")
	fork := r.commit()
	r.git("checkout", "-q", "-b", "topic")
	r.commit()
	r.commit()
	r.git("checkout", "-q", "side")
	r.commit()
	r.git("checkout", "-q", "topic")
	r.git("merge", "-q", "-s", "ours", "--no-edit", "side")
	for depth, want := range map[int]struct {
		certain bool
		base    bool // it is the commit where topic left main
	}{
		1: {}, 2: {}, 3: {certain: true, base: true}, 10: {certain: true, base: true},
	} {
		clone := tree{t, filepath.Join(t.TempDir(), "clone")}
		r.git("clone", "-q", "--no-checkout", "--no-single-branch", fmt.Sprint("--depth=", depth), "file://"+filepath.ToSlash(r.dir), clone.dir)
		repo := clone.open()
		main, err := repo.Commit(t.Context(), "origin/main")
		if err != nil {
			t.Fatal(err)
		}
		topic, err := repo.Commit(t.Context(), "origin/topic")
		if err != nil {
			t.Fatal(err)
		}
		certain, err := repo.IsCertain(t.Context(), main, topic)
		if err != nil || certain != want.certain {
			t.Errorf("IsCertain at depth %d = %v, %v, want %v", depth, certain, err, want.certain)
		}
		bases, err := repo.MergeBases(t.Context(), main, topic)
		if err == nil && (bases[0].ID == fork.ID) != want.base || err != nil && !errors.Is(err, ErrUnrelated) {
			t.Errorf("MergeBases at depth %d = %v, %v, want the fork %s: %v", depth, bases, err, fork.Short(), want.base)
		}
	}
}
