// Package lockset reads the lock files that a daemon watches: each under an id
// that stays, with its last good text where it is broken now.
package lockset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
)

// A File is one lock file as it stands on the disk, or as it stood when it
// could last be read. It never changes.
type File struct {
	ID, Path string
	// Text is the last good text, and nil once it is kept elsewhere, under
	// Digest ([Of]); "" is that of a file that never was a lock.
	Text   []byte
	Digest string
	// What is needed of the lock between two comparisons. The rest is read from
	// its text: profiles of ten thousand locks are large.
	Info
	Key    Key
	Skills []string // required, sorted
	Timed  bool     // whether it says something that time alone can change
	// Broken is why the file cannot be used as it is now; nil when it can.
	Broken error
}

// Info is what people know a lock by.
type Info struct {
	Workflow string `json:"workflow,omitzero"`
	Owner    string `json:"owner,omitzero"`
	Agent    string `json:"agent,omitzero"` // the card's URL; secrets in it are redacted
	Identity string `json:"identity,omitzero"`
	Fallback string `json:"fallback,omitzero"`
}

// A Known is what a reader has of a lock from before.
type Known interface {
	// File is the lock of that id as it was read last; nil where there was none.
	File(id string) *File
	// Good is the last good text of the file at path, a lock of that id that File
	// does not know; nil where what is kept under the id is of another file.
	Good(id, path string) []byte
	// Paths are those of all locks that it has.
	Paths() iter.Seq[string]
}

// Read finds and reads every lock below the roots of cfg. A file that has not
// changed is the very File that known has, one that is broken holds the last
// good text of its path, and so does one that became a folder. The error is that
// of a root that cannot be searched: then nothing is known of what is there.
func Read(cfg *config.Config, known Known) ([]*File, error) {
	paths, err := lockfile.Find(cfg.Roots())
	if err != nil {
		return nil, fmt.Errorf("looking for locks: %w", err)
	}
	found := len(paths)
	for path := range known.Paths() {
		if _, ok := slices.BinarySearch(paths[:found], path); !ok && isBelow(cfg.Roots(), path) && isTaken(path) && !slices.Contains(paths[found:], path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	ids := ids(cfg.Root, paths)
	files := make([]*File, 0, len(paths))
	for i, path := range paths {
		files = append(files, read(ids[i], path, known))
	}
	return files, nil
}

// isTaken is whether a folder has the path of a lock.
func isTaken(path string) bool {
	_, err := lockfile.ReadBytes(path)
	_, ok := errors.AsType[*lockfile.Fault](err)
	return ok
}

func isBelow(roots []string, path string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		rel, err := filepath.Rel(root, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// read takes what is on the disk, and where that is no lock, what was known.
func read(id, path string, known Known) *File {
	old := known.File(id)
	moved := old != nil && old.Path != path
	if moved {
		old = nil // of another root: what it said is no word of this file
	}
	text, err := lockfile.ReadBytes(path)
	if err == nil {
		if old != nil && old.Broken == nil && old.Digest == Of(text) {
			return old
		}
		f := &File{ID: id, Path: path}
		if err = f.take(text); err == nil {
			return f
		}
	}
	switch {
	case old == nil:
		old = &File{ID: id}
		if good := known.Good(id, path); len(good) > 0 && !moved {
			_ = old.take(good) // it may be more than this version understands
		}
	case old.Broken != nil && old.Broken.Error() == err.Error():
		return old
	}
	f := *old
	f.Path, f.Broken = path, err
	return &f
}

// take makes text the lock's, where this version can judge it.
func (f *File) take(text []byte) error {
	l, err := lockfile.Parse(text, f.Path)
	if err != nil {
		return err
	}
	policy, err := (diff.Policy{}).With(l.Policy)
	if err != nil {
		return setup.Faults(err, func(pointer string) string { return f.Path + ": /policy" + pointer })
	}
	if err := l.Unsupported(); err != nil {
		return err
	}
	f.Text, f.Digest, f.Key = text, Of(text), Key{l.Agent, l.Identity}
	f.Info = Info{l.Workflow, l.Owner, redact.URL(l.Agent), l.Identity, l.Fallback}
	f.Skills = l.RequiredSkills()
	f.Timed = len(l.Waivers) > 0 || policy.MaxLockAge > 0 || policy.MaxEvidenceAge > 0
	return nil
}

// Kept is f without its text, which is kept elsewhere by now.
func (f *File) Kept() *File {
	k := *f
	k.Text = nil
	return &k
}

// Of is the digest of a text: "sha256:" and 64 hex digits.
func Of(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
