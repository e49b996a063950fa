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
	for _, l := range list {
		f, there := l.open(root, limit)
		if !there {
			continue
		}
		if total += len(f.Text); total > maxTotal {
			return nil, errTooMany
		}
		files = append(files, f)
		index[l.path] = l.id
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

// open reads the file from the working tree. There is none where it was
// deleted.
func (l listed) open(root *os.Root, limit int64) (f File, there bool) {
	f = File{Path: l.path, Real: l.path, id: l.id}
	name := filepath.FromSlash(l.path)
	info, err := root.Lstat(name)
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() || isBehindLink(root, l.path)
	switch {
	case gone && l.sparse:
		return f, true
	case gone:
		return f, false
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		f.Real = linked(root, l.path)
		if info, err = root.Stat(name); err != nil { // also one that leads out
			err = errDangling
		}
	}
	if f.id = ""; err != nil {
		f.Err = err
		return f, true
	}
	f.Text, f.Err = contents(root, name, info, limit)
	return f, true
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

// linked is the path that a link leads to, as far as its own targets say.
func linked(root *os.Root, name string) string {
	at := name
	for range maxLinks {
		target, err := root.Readlink(filepath.FromSlash(at))
		if err != nil {
			return at
		}
		at = path.Join(path.Dir(at), filepath.ToSlash(target))
	}
	return name
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
	_, err = text.ReadFrom(io.LimitReader(f, limit))
	return text.Bytes(), err
}
