package gitrepo

import (
	"errors"
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

func TestMergeBase(t *testing.T) {
	r := newTree(t)
	first := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "-b", "topic")
	topic := r.commit()
	r.git("checkout", "-q", "main")
	r.write("a", "x")
	main := r.commit()
	repo := r.open()
	if c, err := repo.MergeBase(t.Context(), main, topic); err != nil || c.ID != first {
		t.Errorf("MergeBase = %v, %v, want %s", c, err, first)
	}
	r.git("checkout", "-q", "--orphan", "other")
	other := r.commit()
	if _, err := repo.MergeBase(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBase of an orphan = %v, want %v", err, ErrUnrelated)
	}
	// A replaced commit is another history than the one that is pushed.
	r.git("replace", other.ID, main.ID)
	if _, err := repo.MergeBase(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBase of a replaced commit = %v, want %v", err, ErrUnrelated)
	}
	r.write(".git/info/grafts", other.ID+" "+main.ID+"\n")
	if _, err := repo.MergeBase(t.Context(), main, other); !errors.Is(err, ErrUnrelated) {
		t.Errorf("MergeBase of a grafted commit = %v, want %v", err, ErrUnrelated)
	}
}
