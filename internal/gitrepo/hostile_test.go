package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A repository whose configuration and attributes name programs runs none of
// them.
func TestRunsNothing(t *testing.T) {
	r := newTree(t)
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(r.dir, "program")
	r.write("program", "#!/bin/sh\necho \"$0 $*\" >> '"+ran+"'\ncat\n")
	r.write("f", "a\r\n")
	c := r.commit()
	if err := os.Chmod(program, 0o777); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, hook := range []string{"fsmonitor-watchman", "post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"} {
		if err := os.MkdirAll(hooks, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(hooks, hook)); err != nil {
			t.Skip(err)
		}
	}
	r.write(".git/info/attributes", "* filter=evil diff=evil ident merge=evil\n")
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "diff.external",
		"merge.evil.driver", "pager.ls-tree", "pager.rev-parse", "credential.helper", "gpg.program", "remote.origin.uploadpack",
		"uploadpack.packObjectsHook", "trailer.evil.command", "sequence.editor", "interactive.diffFilter",
	} {
		r.git("config", key, program)
	}
	for _, name := range []string{"rev-parse", "ls-tree", "ls-files", "cat-file", "merge-base", "for-each-ref", "check-attr", "config", "rev-list"} {
		r.git("config", "alias."+name, "!"+program)
	}
	repo := r.open()
	files, err := repo.Working(t.Context(), func(path string) bool { return path == "f" }, limit)
	want(t, "Working", files, err, "f=a\r\n")
	if _, err := repo.Default(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := repo.MergeBases(t.Context(), c, c); err != nil {
		t.Error(err)
	}
	if _, err := repo.Doors(t.Context()); err != nil {
		t.Error(err)
	}
	files, err = repo.At(t.Context(), c, func(path string) bool { return path == "f" }, limit)
	want(t, "At", files, err, "f=a\r\n")
	if said, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it ran: %s", said)
	}
}

// A partial clone lacks what nobody looked at, and nothing is fetched for it.
func TestPartialClone(t *testing.T) {
	r := newTree(t)
	r.write("f", "old")
	old := r.commit()
	r.write("f", "new")
	now := r.commit()
	r.git("config", "uploadpack.allowFilter", "true")
	clone := tree{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(r.dir), clone.dir)
	ran := filepath.Join(clone.dir, "ran")
	clone.git("config", "remote.origin.uploadpack", "echo >'"+ran+"';git-upload-pack")
	repo := clone.open()
	files, err := repo.At(t.Context(), now, all, limit)
	want(t, "At", files, err, "f=new")
	files, err = repo.At(t.Context(), old, all, limit)
	if err != nil || len(files) != 1 {
		t.Fatalf("At = %q, %v", texts(files), err)
	}
	if _, ok := errors.AsType[*MissingError](files[0].Err); !ok {
		t.Errorf("At = %q, want that the object is missing", texts(files))
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it asked the remote")
	}
	clone.git("fetch", "-q", "--refetch", "--no-filter", "origin")
	files, err = repo.At(t.Context(), old, all, limit)
	want(t, "At once all is there", files, err, "f=old")
}

// Submodules are repositories of their own.
func TestSubmodule(t *testing.T) {
	r := withSubmodule(t)
	r.write("a", "top")
	keep := func(path string) bool { return path != ".gitmodules" }
	repo := r.open()
	files, err := repo.Working(t.Context(), keep, limit)
	want(t, "Working", files, err, "a=top")
	files, err = repo.At(t.Context(), r.commit(), keep, limit)
	want(t, "At", files, err, "a=top")
	inner, err := Open(t.Context(), filepath.Join(r.dir, "part"))
	if err != nil {
		t.Fatal(err)
	}
	files, err = inner.Working(t.Context(), keep, limit)
	want(t, "Working of the submodule", files, err, "in=sub")
}

// A child of git's that outlives it, as one of a wrapper script may, holds up nobody
// who wants to stop.
func TestEndsWithoutItsChild(t *testing.T) {
	bin := t.TempDir()
	held, ready := filepath.Join(bin, "held"), filepath.Join(bin, "ready")
	if out, err := exec.CommandContext(t.Context(), "mkfifo", held, ready).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	script := "#!/bin/sh\ncat '" + held + "' &\necho >'" + ready + "'\nwait\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	release, err := os.OpenFile(held, os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer release.Close() // and the child ends
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := (&Repo{dir: bin, env: os.Environ()}).git(ctx, "version")
		done <- err
	}()
	started, err := os.OpenFile(ready, os.O_RDWR, 0) // opening it alone waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer started.Close()
	word := make(chan error, 1)
	go func() {
		_, err := started.Read(make([]byte, 1))
		word <- err
	}()
	select {
	case err := <-word:
		if err != nil {
			t.Fatal(err)
		}
	case err := <-done:
		t.Skipf("the git of this test does not start: %v", err)
	}
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a git that was stopped went well")
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the child")
	}
}
