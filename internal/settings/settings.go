// Package settings reads a YAML file by a list of the keys that it may have into
// typed values, and says of every fault where it is.
//
// Two kinds of faults are kept apart. One of the file's shape (an unknown or
// repeated key, another type than is wanted) is an error of [Read]. A doubt is
// about a variable that is not set or, in sections that not everybody needs,
// about what a value means: whoever needs the value asks [File.Require].
package settings

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/a2alock/a2alock/internal/yamldoc"
)

// MaxFaults is how many faults an error tells; nobody mends more at once.
const MaxFaults = 100

// A Key is one key that a mapping may have. Its value is read by Read, or is a
// mapping with the keys below. Where both are there, Read takes a list of such
// mappings, or names of such.
type Key struct {
	Name   string
	Read   func(d *Decoder, v Value)
	Keys   []Key
	Then   func(d *Decoder, v Value) // after a mapping was read by its Keys
	Secret bool                      // errors do not show the value
}

// A Form is how a file is read.
type Form struct {
	Keys []Key
	// Env looks up an environment variable for ${NAME}.
	Env func(name string) (string, bool)
	// Apart are the RFC 6901 pointers of the sections that not everybody needs. As
	// in [File.Require], "*" in one stands for any key.
	Apart []string
	// Advice is what is said behind an unknown key; here are those that could
	// stand in its place. Nil: nothing.
	Advice func(name string, here []Key) string
}

// A Value is a YAML node and where it stands.
type Value struct {
	// Pointer is the RFC 6901 pointer of the value, that of the mapping for a key.
	Pointer string
	// Line is where it stands, or the alias that led to it.
	Line int

	node    *yaml.Node
	column  int
	name    string // for people: client.interfaces[0].binding
	aliased bool
	secret  bool // its text is not shown
}

// at is the node n in v's place.
func (v Value) at(n *yaml.Node) Value {
	v.node, v.Line, v.column = n, n.Line, n.Column
	return v
}

// A File is what was read of a file beside its values. The zero File is of no
// file.
type File struct {
	path   string
	lines  map[string]int // by pointer
	doubts []doubt
}

// A doubt is a fault of a value that not everybody needs.
type doubt struct {
	pointer string // where it is mended
	unset   bool   // a variable is
	fault   fault
}

// Read reads data, the text of the file at path, by form. The error joins every
// fault, each as "path:line:column: what: cause", with the doubts but for
// variables that are not set.
func Read(data []byte, path string, form Form) (*File, error) {
	d := &Decoder{Form: form, file: &File{path: path, lines: map[string]int{}}, given: map[string]bool{}}
	root, faults := yamldoc.Read(data)
	for _, f := range faults {
		d.add(fault{f.Line, f.Column, f.Text})
	}
	if root != nil {
		d.Mapping(Value{}.at(root), form.Keys)
	}
	for _, check := range d.later {
		check()
	}
	if len(d.faults) == 0 {
		return d.file, nil
	}
	for _, x := range d.file.doubts {
		if !x.unset {
			d.add(x.fault)
		}
	}
	return d.file, joined(path, d.faults)
}

// Line is the line of the key or list entry that the RFC 6901 pointer names, or
// 0 where the file does not have it.
func (f *File) Line(pointer string) int { return f.lines[pointer] }

// Require says of the values at or below the pointers, in which "*" stands for
// any key, what is doubtful, and which of them have a variable that is not set, as
// [Read] says it of faults; nil when nothing is.
func (f *File) Require(pointers ...string) error {
	return f.doubtful(func(x *doubt) bool { return isUnder(x.pointer, pointers) })
}

// Besides says what is doubtful of the values that are at and below none of the
// pointers, variables that are not set aside.
func (f *File) Besides(pointers ...string) error {
	return f.doubtful(func(x *doubt) bool { return !x.unset && !isUnder(x.pointer, pointers) })
}

func (f *File) doubtful(counts func(*doubt) bool) error {
	var faults []fault
	for i := range f.doubts {
		if counts(&f.doubts[i]) {
			faults = append(faults, f.doubts[i].fault)
		}
	}
	return joined(f.path, faults)
}

// isUnder reports whether the pointer is one of those, or leads below it. A "*"
// in one of those stands for any key.
func isUnder(pointer string, those []string) bool {
	return slices.ContainsFunc(those, func(p string) bool {
		rest := pointer
		for {
			before, after, wild := strings.Cut(p, "*")
			var ok bool
			if rest, ok = strings.CutPrefix(rest, before); !ok || !wild {
				return ok && (rest == "" || rest[0] == '/')
			}
			rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r != '/' })
			p = after
		}
	})
}
