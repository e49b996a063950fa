package gitrepo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func (r tree) link(name, target string) {
	r.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := errors.Join(os.RemoveAll(path), os.Symlink(target, path)); err != nil {
		r.Skip(err)
	}
}

// A link to what git keeps for itself, or leaves out, leads nowhere: its text may be
// a credential.
func TestPrivateLinks(t *testing.T) {
	r := newTree(t)
	r.write(".gitignore", "ignored\n")
	r.write("ignored", "secret")
	r.write(".git/secret", "secret")
	r.write("new", "text")
	r.link("a", ".git/secret")
	r.link("b", "ignored")
	r.link("c", "x/../.git/secret")
	r.link("d", "git/secret")
	r.link("e", "new")
	r.link("git", ".git")
	r.write("local/kept/x", "text")
	r.write("local/ignored", "secret") // ... which "folder/.." is, and "." is not
	r.link("folder", "local/kept")
	r.link("f", "folder/../ignored")
	r.link("g", "folder/x")
	keep := func(path string) bool { return len(path) == 1 }
	none := ": " + errDangling.Error()
	got, err := r.open().Working(t.Context(), keep, limit)
	want(t, "Working", got, err, "a"+none, "b"+none, "c"+none, "d"+none, "e->new=text", "f"+none, "g"+none)
	for _, f := range got {
		if f.Path == "e" {
			continue
		}
		if f.Text != nil {
			t.Errorf("%s has a text, %q", f.Path, f.Text)
		}
	}
}

// What is the same to git has one id, here or not, and nothing else has it.
func TestIDs(t *testing.T) {
	r := newTree(t)
	r.write("kept", "1")
	r.write("changed", "1")
	r.link("dangling", "nowhere")
	r.link("elsewhere", "nowhere")
	r.link("linked", "kept")
	repo, old := r.open(), r.commit()
	r.write("changed", "2")
	r.link("elsewhere", "nowhere else")
	now := r.commit()
	was, err := repo.At(t.Context(), old, all, limit)
	if err != nil {
		t.Fatal(err)
	}
	at, err := repo.At(t.Context(), now, all, limit)
	if err != nil {
		t.Fatal(err)
	}
	working, err := repo.Working(t.Context(), all, limit)
	if err != nil {
		t.Fatal(err)
	}
	for i, same := range map[int]bool{0: false, 1: true, 2: false, 3: true, 4: true} {
		if was[i].ID == "" || at[i].ID == "" || (was[i].ID == at[i].ID) != same {
			t.Errorf("%s was %q and is %q, want equal: %v", was[i].Path, was[i].ID, at[i].ID, same)
		}
	}
	for _, i := range []int{1, 2} { // the links that lead nowhere; what lies there has no id
		if working[i].ID != at[i].ID {
			t.Errorf("%s is %q in the working tree, want %q", at[i].Path, working[i].ID, at[i].ID)
		}
	}
}

// Links are followed all at once: a git each would take minutes for a few thousand.
func TestManyLinks(t *testing.T) {
	r := newTree(t)
	r.write("text", "x")
	for i := range maxLinked {
		r.link(fmt.Sprintf("link%d", i), "text")
	}
	r.link("text2", "link0")
	c := r.commit()
	log := filepath.Join(t.TempDir(), "log")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>'%s'\nexec '%s' \"$@\"\n", log, git)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	repo := r.open()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	keep := func(path string) bool { return strings.HasPrefix(path, "link") }
	for what, read := range map[string]func() ([]File, error){
		"At":      func() ([]File, error) { return repo.At(t.Context(), c, keep, limit) },
		"Working": func() ([]File, error) { return repo.Working(t.Context(), keep, limit) },
	} {
		files, err := read()
		if err != nil || len(files) != maxLinked || string(files[maxLinked-1].Text) != "x" {
			t.Fatalf("%s = %d files, %v, want %d with a text", what, len(files), err, maxLinked)
		}
		calls, err := os.ReadFile(log)
		if n := strings.Count(string(calls), "\n"); err != nil || n > 10 {
			t.Errorf("%s of %d links ran git %d times, %v, want a few", what, maxLinked, n, err)
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := repo.At(t.Context(), c, all, limit); !errors.Is(err, errTooManyLinks) {
		t.Errorf("At of %d links = %v, want %v", maxLinked+1, err, errTooManyLinks)
	}
	if _, err := repo.Working(t.Context(), all, limit); !errors.Is(err, errTooManyLinks) {
		t.Errorf("Working of %d links = %v, want %v", maxLinked+1, err, errTooManyLinks)
	}
}

func TestDoors(t *testing.T) {
	r := withSubmodule(t)
	r.write("folder/a", "x")
	r.link("to a\nfolder", "folder")
	r.link("to a file", "folder/a")
	r.link("to nothing", "nowhere")
	r.link("out", t.TempDir())
	r.commit()
	got, err := r.open().Doors(t.Context())
	if want := "[out part to a\nfolder]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("Doors = %q, %v, want %q", got, err, want)
	}
}

// A link has the line ends of what it leads to.
func TestLineEndsBehindALink(t *testing.T) {
	r := newTree(t)
	r.git("config", "core.autocrlf", "true")
	r.write("file", "a\r\nb\r\n")
	r.link("link", "file")
	c := r.commit()
	repo := r.open()
	files, err := repo.Working(t.Context(), all, limit)
	want(t, "Working", files, err, "file=a\nb\n", "link->file=a\nb\n")
	files, err = repo.At(t.Context(), c, all, limit)
	want(t, "At", files, err, "file=a\nb\n", "link->file=a\nb\n")
}
