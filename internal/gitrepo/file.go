package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A File is one file of a commit, or of the working tree.
type File struct {
	Path string
	// Real is what Path leads to where it is a symbolic link; else it is Path.
	Real string
	Text []byte
	// Err says why there is no Text.
	Err error

	id string // of the blob that git has; "" where it has none
}

// The limits of what is read.
const (
	maxFiles = 10_000
	maxTotal = 512 << 20
	maxLinks = 8 // on the way to one file
)

// errTooMany is one file more than is read.
var errTooMany = fmt.Errorf("more than %d files, or %d MiB of them", maxFiles, maxTotal>>20)

// An entry is a line of ls-tree.
type entry struct{ mode, id, path string }

// isFile is whether the entry is a file or a link to one; a submodule is none.
func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") || e.mode == linkMode }

const linkMode = "120000"

// At reads the files of a commit whose paths keep wants, in the order of their
// paths; those of more than limit bytes have an Err. Keep sees every path, a
// submodule's too.
func (r *Repo) At(ctx context.Context, c Commit, keep func(path string) bool, limit int64) ([]File, error) {
	var files []File
	err := r.tree(ctx, c, func(e entry) error {
		if !keep(e.path) || !e.isFile() {
			return nil
		}
		f := File{Path: e.path, Real: e.path, id: e.id}
		if e.mode == linkMode {
			f.id, f.Real = "", ""
		}
		if files = append(files, f); len(files) > maxFiles {
			return errTooMany
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range files {
		if f := &files[i]; f.Real == "" {
			if err := r.follow(ctx, c, f); err != nil {
				return nil, err
			}
		}
	}
	return files, r.read(ctx, files, limit)
}

// tree calls visit for each entry of the commit below paths, all without one.
func (r *Repo) tree(ctx context.Context, c Commit, visit func(entry) error, paths ...string) error {
	args := append([]string{"ls-tree", "-z", "-r", "--full-tree", c.ID, "--"}, paths...)
	_, err := r.run(ctx, nil, func(stdout io.Reader) error {
		return eachLine(stdout, func(line string) error {
			about, name, _ := strings.Cut(line, "\t")
			fields := strings.Fields(about) // mode, type, id
			if len(fields) != 3 {
				return fmt.Errorf("git ls-tree answered %q", line)
			}
			return visit(entry{fields[0], fields[2], name})
		})
	}, args...)
	return err
}

// eachLine calls take for each line of what a command writes with -z.
func eachLine(r io.Reader, take func(string) error) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(strings.TrimSuffix(line, "\x00")); err != nil {
			return err
		}
	}
}

// errDangling is a link to what is not there, in the same repository.
var errDangling = errors.New("a symbolic link that leads to no file of the repository")

// follow finds the file that the link f leads to in the commit.
func (r *Repo) follow(ctx context.Context, c Commit, f *File) error {
	at := f.Path
	for range maxLinks {
		var found entry
		err := r.tree(ctx, c, func(e entry) error {
			if e.path == at {
				found = e
			}
			return nil
		}, at)
		if err != nil {
			return err
		}
		if found.mode != linkMode {
			if f.Real, f.id = at, found.id; !found.isFile() {
				f.Real, f.id, f.Err = f.Path, "", errDangling
			}
			return nil
		}
		link := []File{{Path: at, id: found.id}}
		if err := r.read(ctx, link, 4096); err != nil {
			return err
		}
		at = path.Join(path.Dir(at), string(link[0].Text))
		if link[0].Err != nil || bytes.HasPrefix(link[0].Text, []byte("/")) || at == ".." || strings.HasPrefix(at, "../") {
			break
		}
	}
	f.Real, f.Err = f.Path, errDangling
	return nil
}

// A MissingError is an object that the repository does not hold, as in a partial
// clone.
type MissingError struct{ ID string }

// Error names the object.
func (e *MissingError) Error() string { return "git has no object " + e.ID + " here" }

// read fills in the texts of the files that have the id of a blob, and no text.
func (r *Repo) read(ctx context.Context, files []File, limit int64) error {
	var asked []*File
	var ids bytes.Buffer
	for i := range files {
		if f := &files[i]; f.id != "" && f.Err == nil && f.Text == nil {
			asked = append(asked, f)
			ids.WriteString(f.id + "\n")
		}
	}
	if len(asked) == 0 {
		return nil
	}
	// The sizes first: a small pack may hold gigabytes of blanks.
	var total int64
	err := r.objects(ctx, "--batch-check", ids.Bytes(), asked, func(f *File, size int64, _ io.Reader) error {
		if size > limit {
			f.Err = fmt.Errorf("%d bytes, and %d are read", size, limit)
			return nil
		}
		if total += size; total > maxTotal {
			return errTooMany
		}
		return nil
	})
	if err != nil {
		return err
	}
	asked = slices.DeleteFunc(asked, func(f *File) bool { return f.Err != nil })
	ids.Reset()
	for _, f := range asked {
		ids.WriteString(f.id + "\n")
	}
	return r.objects(ctx, "--batch", ids.Bytes(), asked, func(f *File, size int64, body io.Reader) error {
		f.Text = make([]byte, size)
		if _, err := io.ReadFull(body, f.Text); err != nil {
			return err
		}
		_, err := io.CopyN(io.Discard, body, 1) // a line break
		return err
	})
}

// objects asks cat-file for the objects of files. One that is not there is the
// file's Err.
func (r *Repo) objects(ctx context.Context, batch string, ids []byte, files []*File, take func(*File, int64, io.Reader) error) error {
	if len(files) == 0 {
		return nil
	}
	_, err := r.run(ctx, ids, func(stdout io.Reader) error {
		out := bufio.NewReader(stdout)
		for i, f := range files {
			line, err := out.ReadString('\n')
			if err == io.EOF { // it gave up: a later object is as good as missing
				for _, f := range files[i:] {
					f.Err = &MissingError{ID: f.id}
				}
				return nil
			}
			if err != nil {
				return err
			}
			fields := strings.Fields(line) // id, type, size; or id, "missing"
			if len(fields) != 3 {
				f.Err = &MissingError{ID: f.id}
				continue
			}
			size, err := strconv.ParseInt(fields[2], 10, 64)
			if err != nil || fields[1] != "blob" {
				return fmt.Errorf("git cat-file answered %q", line)
			}
			if err := take(f, size, out); err != nil {
				return err
			}
		}
		return nil
	}, "cat-file", batch)
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.Err != nil && slices.ContainsFunc(files, func(f *File) bool { return f.Err != nil }) {
		return nil // it could not have an object, and the file says so
	}
	return err
}
