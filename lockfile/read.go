package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/shape"
)

// The limits of a lock.
const (
	MaxBytes = 16 << 20
	MaxDepth = 256
)

// maxFaults is how many faults are reported; nobody mends more at once.
const maxFaults = 100

// A Fault is one thing that makes a file no lock. [Read] and [Parse] join the
// faults of a file, 100 at most, into one error; errors.AsType[*Fault] finds the first.
type Fault struct {
	Path    string // the file; may be ""
	Line    int    // 1-based, where the place is a line; else 0
	Pointer string // RFC 6901, where the place is a value
	Msg     string
}

// Error reads `file: line: /pointer: what is wrong`, without what is not known.
func (f *Fault) Error() string {
	var b bytes.Buffer
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Pointer != "" {
		// A pointer is made of names from the file.
		if q := strconv.Quote(f.Pointer); q != `"`+f.Pointer+`"` {
			b.WriteString(q + ": ")
		} else {
			b.WriteString(f.Pointer + ": ")
		}
	}
	return b.String() + f.Msg
}

// Read reads the lock at path; see [Parse]. An error of the file system is
// returned as it is, so that errors.Is finds fs.ErrNotExist.
func Read(path string) (*Lock, error) {
	data, err := ReadBytes(path)
	if err != nil {
		return nil, err
	}
	return Parse(data, path)
}

// ReadBytes reads the file at path for [Parse], which says of one that is too
// large that it is.
func ReadBytes(path string) ([]byte, error) {
	// Opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &Fault{Path: path, Msg: "not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), MaxBytes)) + bytes.MinRead) // else it grows again to see the end
	_, err = data.ReadFrom(io.LimitReader(f, MaxBytes+1))
	return data.Bytes(), err
}

// Parse reads a lock from data; path is the name under which faults speak of
// it, and becomes [Lock.Path]. It reads strictly: a lock with any fault is
// refused, and the error joins a [*Fault] for each. A byte order mark and CRLF
// are read, and are not canonical.
func Parse(data []byte, path string) (*Lock, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if f := badBytes(data); f != nil {
		f.Path = path
		return nil, f
	}
	root, err := shape.Parse(data, MaxDepth)
	if err != nil {
		return nil, syntaxFault(data, path, err)
	}
	if err := faults(path, lockShape().Faults(root)); err != nil {
		return nil, err
	}
	l := new(Lock)
	// Unmarshalled from the compact form, so that what is kept raw does not
	// depend on how the file was laid out. A repeated name was a fault.
	if err := json.Unmarshal(lockShape().Compact(root), l, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, &Fault{Path: path, Msg: err.Error()}
	}
	l.Path = path
	return l, nil
}

// faults joins what is wrong with the lock at path; nil when nothing is.
func faults(path string, list []shape.Fault) error {
	var errs []error
	for _, f := range list[:min(len(list), maxFaults)] {
		errs = append(errs, &Fault{Path: path, Pointer: f.Pointer, Msg: f.Msg})
	}
	if more := len(list) - maxFaults; more > 0 {
		errs = append(errs, &Fault{Path: path, Msg: fmt.Sprintf("and %d more faults", more)})
	}
	return errors.Join(errs...)
}

// badBytes finds what can be said without reading JSON.
func badBytes(data []byte) *Fault {
	trimmed := bytes.TrimRight(data, "\x00")
	switch {
	case len(data) > MaxBytes:
		return &Fault{Msg: fmt.Sprintf("larger than %d bytes", MaxBytes)}
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return &Fault{Msg: "UTF-16: want UTF-8"}
	case len(bytes.TrimSpace(data)) == 0:
		return &Fault{Msg: "empty: its writing never ended"}
	case len(trimmed) == 0:
		return &Fault{Msg: fmt.Sprintf("%d zero bytes and nothing else: its writing never ended", len(data))}
	case len(trimmed) < len(data):
		return &Fault{Msg: fmt.Sprintf("zero bytes from byte %d on: its writing never ended", len(trimmed)+1)}
	}
	if !utf8.Valid(data) {
		at := 0
		for {
			r, n := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && n <= 1 {
				return &Fault{Line: lineAt(data, at), Msg: fmt.Sprintf("byte %d: want UTF-8", at+1)}
			}
			at += n
		}
	}
	return conflictMarker(data)
}

// conflictMarker finds what a version control system leaves in a file that it
// could not merge. No JSON text has a line that begins so.
func conflictMarker(data []byte) *Fault {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(text, []byte(marker)) {
				return &Fault{Line: line, Msg: fmt.Sprintf("conflict marker %q: the merge is not resolved", marker)}
			}
		}
	}
	return nil
}

func syntaxFault(data []byte, path string, err error) error {
	f := &Fault{Path: path, Msg: err.Error()}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		f.Line, f.Msg = lineAt(data, int(s.ByteOffset)), s.Err.Error()
		f.Pointer = string(s.JSONPointer)
	}
	switch {
	case errors.Is(err, shape.ErrMore):
		f.Msg = "more data after the end of the lock"
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.Line, f.Pointer = lineAt(data, len(bytes.TrimSpace(data))), ""
		f.Msg = "cut off: the file ends inside the lock"
	}
	return f
}

// lineAt is the 1-based line of the byte at offset.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}
