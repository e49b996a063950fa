package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const limit = 1 << 20

// A tree is a repository to test with.
type tree struct {
	*testing.T
	dir string
}

// newTree makes a repository with one commit, which is empty.
func newTree(t *testing.T) tree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		// What git tidies in the background would outlive the test.
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false",
		"GIT_AUTHOR_NAME": "ann", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_AUTHOR_DATE": "2026-10-02T08:30:00Z",
		"GIT_COMMITTER_NAME": "ann", "GIT_COMMITTER_EMAIL": "ann@example.com", "GIT_COMMITTER_DATE": "2026-10-02T08:30:00Z",
	} {
		t.Setenv(name, value)
	}
	r := tree{t, t.TempDir()}
	r.git("init", "-q", "-b", "main", ".")
	r.git("commit", "-q", "--allow-empty", "-m", "first")
	return r
}

// withSubmodule is a repository with another one in it, at part.
func withSubmodule(t *testing.T) tree {
	t.Helper()
	sub := newTree(t)
	sub.write("in", "sub")
	sub.commit()
	r := tree{t, t.TempDir()}
	r.git("init", "-q", "-b", "main", ".")
	r.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", "file://"+filepath.ToSlash(sub.dir), "part")
	return r
}

func (r tree) git(args ...string) string {
	r.Helper()
	return r.in(r.dir, args...)
}

func (r tree) in(dir string, args ...string) string {
	r.Helper()
	c := exec.CommandContext(r.Context(), "git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r tree) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.Fatal(err)
	}
}

func (r tree) commit() Commit {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "more")
	return Commit{Name: "HEAD", ID: r.git("rev-parse", "HEAD")}
}

func (r tree) open() *Repo {
	r.Helper()
	repo, err := Open(r.Context(), r.dir)
	if err != nil {
		r.Fatal(err)
	}
	return repo
}

func all(string) bool { return true }

// texts are files as "PATH=TEXT", or "PATH: ERROR".
func texts(files []File) []string {
	var list []string
	for _, f := range files {
		name := f.Path
		if f.Real != f.Path {
			name += "->" + f.Real
		}
		if f.Err != nil {
			list = append(list, name+": "+f.Err.Error())
			continue
		}
		list = append(list, name+"="+string(f.Text))
	}
	return list
}

func want(t *testing.T, what string, got []File, err error, list ...string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if texts := texts(got); !slices.Equal(texts, list) {
		t.Errorf("%s = %q, want %q", what, texts, list)
	}
}

// both wants the same of a commit and of the working tree that it was made from.
func (r tree) both(list ...string) {
	r.Helper()
	repo := r.open()
	got, err := repo.Working(r.Context(), all, limit)
	want(r.T, "Working", got, err, list...)
	got, err = repo.At(r.Context(), r.commit(), all, limit)
	want(r.T, "At", got, err, list...)
}

func TestFiles(t *testing.T) {
	r := newTree(t)
	r.write("a", "1")
	r.write("b/c d", "2\n\n")
	r.write("b/e\nf", "")
	if runtime.GOOS == "linux" {
		r.write("g\xff", "3")
	}
	r.both("a=1", "b/c d=2\n\n", "b/e\nf=", "g\xff=3")
}

func TestLinks(t *testing.T) {
	r := newTree(t)
	r.write("b/real", "text")
	for name, target := range map[string]string{
		"a": "b/real", "b/up": "../b/real", "c": "a", "dangling": "nowhere", "folder": "b",
		"loop": "loop", "out": "../x", "root": "/dev/zero",
	} {
		if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
			t.Skip(err)
		}
	}
	none := ": " + errDangling.Error()
	repo := r.open()
	at, err := repo.At(t.Context(), r.commit(), all, limit)
	want(t, "At", at, err, "a->b/real=text", "b/real=text", "b/up->b/real=text", "c->b/real=text",
		"dangling"+none, "folder"+none, "loop"+none, "out"+none, "root"+none)
	working, err := repo.Working(t.Context(), all, limit)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range working {
		if i >= len(at) || f.Path != at[i].Path || string(f.Text) != string(at[i].Text) || (f.Err == nil) != (at[i].Err == nil) {
			t.Errorf("Working has %s, want what At has, %q", texts(working[i:i+1]), texts(at[i:i+1]))
		}
	}
}

func TestWorking(t *testing.T) {
	r := newTree(t)
	for _, name := range []string{"gone", "kept", "folder/in", "linked/in", "sparse/in", "swapped"} {
		r.write(name, name)
	}
	r.write(".gitignore", "ignored\n")
	r.commit()
	r.write("ignored", "x")
	r.write("new", "x")
	r.write("kept", "changed")
	for _, name := range []string{"gone", "swapped", "linked"} {
		if err := os.RemoveAll(filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.write("swapped/in", "x")
	if err := os.Symlink("folder", filepath.Join(r.dir, "linked")); err != nil {
		t.Skip(err)
	}
	r.git("update-index", "--skip-worktree", "sparse/in")
	if err := os.RemoveAll(filepath.Join(r.dir, "sparse")); err != nil {
		t.Fatal(err)
	}
	keep := func(path string) bool { return path != ".gitignore" && path != "linked" }
	got, err := r.open().Working(t.Context(), keep, limit)
	slices.SortFunc(got, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	want(t, "Working", got, err, "folder/in=folder/in", "kept=changed", "new=x", "sparse/in=sparse/in", "swapped/in=x")
}

func TestLimits(t *testing.T) {
	r := newTree(t)
	r.write("a", "12345")
	r.write("b", "123456")
	c := r.commit()
	repo := r.open()
	got, err := repo.At(t.Context(), c, all, 5)
	want(t, "At", got, err, "a=12345", "b: 6 bytes, and 5 are read")
	got, err = repo.Working(t.Context(), all, 5)
	want(t, "Working", got, err, "a=12345", "b: 6 bytes, and 5 are read")
}

func TestOpen(t *testing.T) {
	r := newTree(t)
	r.write("a/b/c", "x")
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	repo, err := Open(t.Context(), filepath.Join(r.dir, "a", "b"))
	if err != nil || repo.Top != real || repo.Prefix != "a/b/" || repo.Shallow {
		t.Errorf("Open = %+v, %v, want the top %s and the prefix a/b/", repo, err, real)
	}
	repo, err = Open(t.Context(), filepath.Join(r.dir, ".git"))
	if err != nil || repo.Top != "" {
		t.Errorf("Open(.git) = %+v, %v, want no working tree", repo, err)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(real))
	none := t.TempDir()
	if _, err := Open(t.Context(), none); !errors.Is(err, ErrNoRepository) {
		t.Errorf("Open(%s) = %v, want %v", none, err, ErrNoRepository)
	}
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if _, err := Open(t.Context(), r.dir); err == nil {
		t.Error("Open of a foreign repository went well")
	} else if unsafe, ok := errors.AsType[*UnsafeError](err); !ok || unsafe.Dir != real {
		t.Errorf("Open of a foreign repository = %v, want that %s is unsafe", err, real)
	}
	t.Setenv("PATH", none)
	if _, err := Open(t.Context(), r.dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("Open without git = %v, want %v", err, ErrNoGit)
	}
}

func TestOpenEnds(t *testing.T) {
	r := newTree(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, r.dir); err == nil {
		t.Error("Open went well although its context had ended")
	}
}

// blob adds a text to the repository and returns its id.
func (r tree) blob(text string) string {
	r.Helper()
	c := exec.CommandContext(r.Context(), "git", "hash-object", "-w", "--stdin")
	c.Dir, c.Stdin = r.dir, strings.NewReader(text)
	out, err := c.Output()
	if err != nil {
		r.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (r tree) blobText(name string) string {
	r.Helper()
	c := exec.CommandContext(r.Context(), "git", "cat-file", "blob", name)
	c.Dir = r.dir
	out, err := c.Output()
	if err != nil {
		r.Fatal(err)
	}
	return string(out)
}
