package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/gitrepo"
	"github.com/a2alock/a2alock/internal/pairing"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// A reach is what `a2alock check` reads beside the locks that a repository shows by
// their names: what "locks" of a2alock.yaml names, and what lies behind links to
// folders and in submodules.
type reach struct {
	files, below []string // in the repository, from its top
	found        []string // locks that may be in no commit of it: as files, below or outside
}

// reach looks around in the working tree; without one there is nothing to see. A
// place that cannot be read is the business of check.
//
// What "locks" named at the commit start counts like what it names now: who takes a
// file off the list has not taken it out of the review.
func (r *reviewing) reach(ctx context.Context, repo *gitrepo.Repo, start gitrepo.Commit) (*reach, error) {
	re := &reach{}
	if repo.Top == "" {
		return re, nil
	}
	cfg, err := r.config("/locks")
	if err != nil {
		return nil, err
	}
	before, err := r.named(ctx, repo, start)
	if err != nil {
		return nil, gitExit(ctx, err)
	}
	for _, root := range before {
		re.name(repo.Top, root)
	}
	doors, err := repo.Doors(ctx)
	if err != nil {
		return nil, gitExit(ctx, err)
	}
	behind := map[string]bool{} // the doors, and where they lead
	for _, door := range doors {
		door = filepath.Join(repo.Top, filepath.FromSlash(door))
		behind[door] = true
		if real := resolved(door); !inside(real, resolved(repo.Top)) { // up to what holds it all is no way
			behind[real] = true
		}
	}
	for _, root := range cfg.Roots() {
		abs, err := filepath.Abs(root)
		if err != nil {
			return nil, err
		}
		outside := cfg.Locks != nil && !re.name(repo.Top, abs)
		if !outside && len(doors) == 0 {
			continue
		}
		// As check does, which says what it cannot search, and reads nothing then.
		paths, err := lockfile.Find([]string{abs})
		if err != nil {
			re.open(repo.Top, behind)
		}
		for _, p := range paths {
			taken := outside || isThrough(behind, p)
			if taken {
				re.take(repo.Top, p)
			}
			// A link has the name of what it leads to, where that is behind a door.
			if real := resolved(p); (!taken || isLinked(p)) && isThrough(behind, real) {
				re.take(repo.Top, real)
			}
		}
	}
	slices.Sort(re.below)
	re.below = slices.Compact(re.below)
	return re, nil
}

// open takes in what git shows of the folders behind doors.
func (re *reach) open(top string, behind map[string]bool) {
	for dir := range behind {
		if at, inside := placeBelow(top, dir); inside {
			re.below = append(re.below, at)
		}
	}
}

// isThrough is whether a file is in one of the folders, or below.
func isThrough(folders map[string]bool, file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if folders[dir] {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// named is what "locks" of the configuration named at a commit, as absolute paths. One
// that cannot be read there named nothing.
func (r *reviewing) named(ctx context.Context, repo *gitrepo.Repo, at gitrepo.Commit) ([]string, error) {
	place := path.Join(repo.Prefix, config.Name) // where none is now
	if r.cfg.Path != "" {
		abs, err := filepath.Abs(r.cfg.Path)
		if err != nil {
			return nil, err
		}
		inside := false
		if place, inside = placeBelow(repo.Top, abs); !inside {
			return nil, nil
		}
	}
	// The nearest one upwards, as ever.
	files, err := repo.At(ctx, at, func(name string) bool {
		dir := path.Dir(name)
		return name == place || path.Base(name) == path.Base(place) && (dir == "." || strings.HasPrefix(place, dir+"/"))
	}, lockfile.MaxBytes)
	if err != nil {
		return nil, err
	}
	nearest := ""
	var text []byte
	for _, f := range files {
		if f.Err == nil && len(f.Path) > len(nearest) {
			nearest, text = f.Path, f.Text
		}
	}
	if nearest == "" {
		return nil, nil
	}
	c := config.Default()
	if c.Parse(text, filepath.Join(repo.Top, filepath.FromSlash(nearest))) != nil || c.Locks == nil {
		return nil, nil
	}
	return c.Roots(), nil
}

// name takes in a file or folder that a2alock.yaml names, if it is in the
// repository.
func (re *reach) name(top, abs string) (inside bool) {
	info, err := os.Stat(abs)
	at, inside := placeBelow(top, abs)
	switch {
	case !inside:
	case err == nil && info.IsDir():
		re.below = append(re.below, at)
	case err == nil:
		re.files = append(re.files, at)
		re.found = append(re.found, at)
	default: // it is gone, whatever it was
		re.files, re.below = append(re.files, at), append(re.below, at)
	}
	return inside
}

// take takes in a lock that check reads, and what else is beside it.
func (re *reach) take(top, abs string) {
	at, inside := placeBelow(top, abs)
	if inside {
		re.below = append(re.below, path.Dir(at))
	}
	re.found = append(re.found, at)
}

// placeBelow is an absolute path from the top of the repository, through the links of
// its folders, and whether it is in there.
func placeBelow(top, abs string) (at string, inside bool) {
	dir, base := filepath.Split(abs)
	if info, err := os.Stat(abs); err == nil && info.IsDir() {
		dir, base = abs, ""
	}
	at = path.Join(fromTop(resolved(top), resolved(filepath.Clean(dir))), filepath.ToSlash(base))
	if at == ".." || strings.HasPrefix(at, "../") {
		return filepath.ToSlash(abs), false
	}
	return at, true
}

// tell says which of the locks that check reads are not among those of the working
// tree, or are a link there to what git does not have: a change of them is none of
// the repository. Of those in pairs the result tells.
func (re *reach) tell(a *app, repo *gitrepo.Repo, now []pairing.Lock, pairs []pairing.Pair) {
	seen, told := map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		told[p.File()] = true
	}
	var left []string
	for _, l := range now {
		seen[l.File], seen[l.Real] = true, true
		if l.Text == nil && !told[l.File] && isLinked(filepath.Join(repo.Top, filepath.FromSlash(l.File))) {
			left = append(left, l.Path)
		}
	}
	for _, at := range re.found {
		switch {
		case seen[at]:
		case path.IsAbs(at) || filepath.IsAbs(at):
			left = append(left, display([]string{at})[0])
		default:
			left = append(left, shownFrom(repo.Prefix, at))
		}
	}
	slices.Sort(left)
	if left = slices.Compact(left); len(left) > 0 {
		a.note(fmt.Sprintf("%d %s that a2alock check reads %s not reviewed, as git does not have %s here: %s", len(left),
			say.Verb(len(left), "lock", "locks"), say.Verb(len(left), "is", "are"), say.Verb(len(left), "it", "them"), say.List(left)))
	}
}

// isLinked is whether there is a link that leads to a file.
func isLinked(path string) bool {
	link, err := os.Lstat(path)
	if err != nil || link.Mode()&os.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
