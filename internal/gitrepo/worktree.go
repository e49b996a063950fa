package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Working reads the files of the working tree whose paths keep wants, in the
// order of their paths: those that git tracks, and those that it would add, not
// what .gitignore leaves out. A text has the line ends with which git would add
// it. What a sparse checkout left out is as it is in the index.
func (r *Repo) Working(ctx context.Context, keep func(path string) bool, limit int64) ([]File, error) {
	list, err := r.listed(ctx, keep)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []File
	index := map[string]string{} // the ids of tracked files
	var total int
	links := map[int]string{} // targets, by the places in files
	for _, l := range list {
		f, target, there := l.open(root, limit)
		if !there {
			continue
		}
		if target != "" {
			links[len(files)] = target
		}
		switch total += len(f.Text); {
		case total > maxTotal:
			return nil, errTooMany
		case len(links) > maxLinked:
			return nil, errTooManyLinks
		}
		files = append(files, f)
		index[l.path] = l.id
	}
	if err := r.dangling(ctx, files, links); err != nil {
		return nil, err
	}
	if err := r.read(ctx, files, limit); err != nil { // of the sparse ones
		return nil, err
	}
	return files, r.normalize(ctx, files, index)
}

// A listed file is one that the index, or a look around, has.
type listed struct {
	path   string
	id     string // in the index; "" for one that is not tracked
	sparse bool   // not meant to be in the working tree
}

func (r *Repo) listed(ctx context.Context, keep func(path string) bool) ([]listed, error) {
	var list []listed
	at := map[string]int{}
	visit := func(line string) error {
		// "H 100644 ID STAGE\tPATH", or "? PATH" for one that is not tracked.
		tag, rest, _ := strings.Cut(line, " ")
		l := listed{path: rest}
		if tag != "?" {
			about, name, _ := strings.Cut(rest, "\t")
			fields := strings.Fields(about)
			if len(fields) != 3 {
				return fmt.Errorf("git ls-files answered %q", line)
			}
			l = listed{path: name, id: fields[1], sparse: tag == "S"}
			if !(entry{mode: fields[0]}).isFile() {
				keep(name)
				return nil
			}
		}
		if !keep(l.path) {
			return nil
		}
		if _, again := at[l.path]; again { // a merge that is not resolved has up to three
			return nil
		}
		at[l.path] = len(list)
		if list = append(list, l); len(list) > maxFiles {
			return errTooMany
		}
		return nil
	}
	_, err := r.run(ctx, nil, func(stdout io.Reader) error { return eachLine(stdout, visit) },
		"ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard")
	return list, err
}

// open reads the file from the working tree, or through the link that it is
// there, with its target. There is none where it was deleted.
func (l listed) open(root *os.Root, limit int64) (f File, target string, there bool) {
	f = File{Path: l.path, Real: l.path}
	name := filepath.FromSlash(l.path)
	info, err := root.Lstat(name)
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() || isBehindLink(root, l.path)
	switch {
	case gone && l.sparse:
		f.id, f.ID = l.id, l.id
		return f, "", true
	case gone:
		return f, "", false
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		if target, err = root.Readlink(name); err != nil {
			break
		}
		real, ok := linked(root, l.path)
		if info, err = root.Stat(name); !ok || err != nil { // also one that leads out
			f.dangle(filepath.ToSlash(target))
			return f, "", true
		}
		f.Real = real
	}
	if err != nil {
		f.Err = err
		return f, "", true
	}
	f.Text, f.Err = contents(root, name, info, limit)
	return f, filepath.ToSlash(target), true
}

// dangling makes links to nowhere of those that lead to what git neither tracks
// nor would add: what it keeps for itself may hold credentials, and so may what
// .gitignore leaves out.
func (r *Repo) dangling(ctx context.Context, files []File, links map[int]string) error {
	if len(links) == 0 {
		return nil
	}
	known := map[string]bool{}
	for i := range links {
		known[files[i].Real] = false
	}
	_, err := r.run(ctx, nil, func(stdout io.Reader) error {
		return eachLine(stdout, func(name string) error {
			if _, asked := known[name]; asked {
				known[name] = true
			}
			return nil
		})
	}, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for i, target := range links {
		if !known[files[i].Real] {
			files[i].dangle(target)
		}
	}
	return err
}

// isBehindLink is whether a folder of the path is a link: for git that folder is
// gone, and the link is a file.
func isBehindLink(root *os.Root, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(filepath.FromSlash(dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// linked is the path that a link leads to. There is none through a link to a
// folder, which for git is a file.
func linked(root *os.Root, name string) (at string, ok bool) {
	at = name
	for range maxLinks {
		target, err := root.Readlink(filepath.FromSlash(at))
		if err != nil {
			return at, !isBehindLink(root, at)
		}
		if at, ok = joined(path.Dir(at), filepath.ToSlash(target)); !ok || isBehindLink(root, at) {
			return "", false
		}
	}
	return "", false
}

// contents reads one regular file of the tree; opening a pipe would wait for its
// writer.
func contents(root *os.Root, name string, info fs.FileInfo, limit int64) ([]byte, error) {
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("%d bytes, and %d are read", info.Size(), limit)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := bytes.NewBuffer([]byte{}) // an empty file has a text too
	if _, err := text.ReadFrom(io.LimitReader(f, limit)); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// Doors are the folders of the working tree that git itself does not look into, by
// their paths: submodules, and what links lead to.
func (r *Repo) Doors(ctx context.Context) ([]string, error) {
	var doors []string
	_, err := r.run(ctx, nil, func(stdout io.Reader) error {
		return eachLine(stdout, func(line string) error {
			about, name, _ := strings.Cut(line, "\t") // mode, id, stage
			if e := (entry{mode: strings.SplitN(about, " ", 2)[0]}); e.mode != linkMode && e.isFile() {
				return nil
			}
			if info, err := os.Stat(filepath.Join(r.Top, filepath.FromSlash(name))); err == nil && info.IsDir() {
				doors = append(doors, name)
			}
			return nil
		})
	}, "ls-files", "-z", "--stage")
	return doors, err
}
