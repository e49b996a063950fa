package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	// ID is equal for files that are the same to git, whether their texts are here
	// or not; "" where nobody knows.
	ID string

	id string // of the blob that git has; "" where it has none
}

// The limits of what is read.
const (
	maxFiles  = 10_000
	maxTotal  = 512 << 20
	maxLinks  = 8    // on the way to one file
	maxLinked = 1000 // files that are links
)

// What is more than is read.
var (
	errTooMany      = fmt.Errorf("more than %d files, or %d MiB of them", maxFiles, maxTotal>>20)
	errTooManyLinks = fmt.Errorf("more than %d symbolic links", maxLinked)
)

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
	links := map[int]entry{} // by their place in files
	err := r.tree(ctx, c, func(e entry) error {
		if !keep(e.path) || !e.isFile() {
			return nil
		}
		f := File{Path: e.path, Real: e.path, ID: e.id, id: e.id}
		if e.mode == linkMode {
			f.ID, f.id = "", ""
			links[len(files)] = e
		}
		switch files = append(files, f); {
		case len(files) > maxFiles:
			return errTooMany
		case len(links) > maxLinked:
			return errTooManyLinks
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.follow(ctx, c, files, links); err != nil {
		return nil, err
	}
	return files, r.read(ctx, files, limit)
}

// tree calls visit for each entry of the commit.
func (r *Repo) tree(ctx context.Context, c Commit, visit func(entry) error) error {
	_, err := r.run(ctx, nil, func(stdout io.Reader) error {
		return eachLine(stdout, func(line string) error {
			about, name, _ := strings.Cut(line, "\t")
			fields := strings.Fields(about) // mode, type, id
			if len(fields) != 3 {
				return fmt.Errorf("git ls-tree answered %q", line)
			}
			return visit(entry{fields[0], fields[2], name})
		})
	}, "ls-tree", "-z", "-r", "--full-tree", c.ID)
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

// errDangling is a link to what is not there, in the same repository, or is not
// git's.
var errDangling = errors.New("a symbolic link that leads to no file of the repository")

// dangle makes f the link to nowhere that it is. It is the same while it has the
// same target.
func (f *File) dangle(target string) {
	f.Real, f.id, f.Text, f.Err, f.ID = f.Path, "", nil, errDangling, "-> "+target
}

// follow finds the files of the commit that links lead to, given by their places
// in files: all of them one step further at a time.
func (r *Repo) follow(ctx context.Context, c Commit, files []File, links map[int]entry) error {
	targets := map[int]string{} // what the links themselves say
	for range maxLinks {
		if len(links) == 0 {
			return nil
		}
		next, err := r.step(ctx, files, links, targets)
		if err != nil {
			return err
		}
		found := map[string]entry{}
		for _, at := range next {
			found[at] = entry{}
		}
		err = r.tree(ctx, c, func(e entry) error {
			if _, asked := found[e.path]; asked {
				found[e.path] = e
			}
			return nil
		})
		if err != nil {
			return err
		}
		clear(links)
		for i, at := range next {
			switch e := found[at]; {
			case e.mode == linkMode:
				links[i] = e
			case e.isFile():
				files[i].Real, files[i].id, files[i].ID = at, e.id, e.id
			default:
				files[i].dangle(targets[i])
			}
		}
	}
	for i := range links {
		files[i].dangle(targets[i])
	}
	return nil
}

// step reads the targets of links, and returns the paths that they lead to. A link
// that leads out of the repository, or is not here, gets its Err.
func (r *Repo) step(ctx context.Context, files []File, links map[int]entry, targets map[int]string) (map[int]string, error) {
	places := slices.Sorted(maps.Keys(links))
	read := make([]File, len(places))
	for n, i := range places {
		read[n] = File{Path: links[i].path, id: links[i].id}
	}
	if err := r.read(ctx, read, 4096); err != nil {
		return nil, err
	}
	next := map[int]string{}
	for n, i := range places {
		target := string(read[n].Text)
		if _, known := targets[i]; !known {
			targets[i] = target
		}
		at, plain := joined(path.Dir(read[n].Path), target)
		_, missing := errors.AsType[*MissingError](read[n].Err)
		switch {
		case missing:
			files[i].Err, files[i].ID = read[n].Err, "link "+links[i].id
		case read[n].Err != nil, !plain, at == "..", strings.HasPrefix(at, "../"):
			files[i].dangle(targets[i])
		default:
			next[i] = at
		}
	}
	return next, nil
}

// joined is where the target of a link in dir leads to, as far as its text says that:
// behind the name of a folder, which may be a link itself, ".." is anywhere.
func joined(dir, target string) (at string, plain bool) {
	named := false
	for part := range strings.SplitSeq(target, "/") {
		if part == ".." && named {
			return "", false
		}
		named = named || part != ".." && part != "." && part != ""
	}
	return path.Join(dir, target), !path.IsAbs(target)
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
