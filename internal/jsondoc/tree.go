// Package jsondoc reads one JSON document strictly into a tree and looks at
// its values by consequence.
//
// [Parse] refuses what no two readers read alike: a repeated member, a lone
// surrogate, a number outside double range. A [Reader] then takes values of the
// type that is asked for, and notes everything else as a [Finding] with an
// RFC 6901 pointer: nothing is coerced, and nothing odd is passed over in
// silence. A [Schema] sorts the members of an object by the names that a
// specification has for them. [Canonical] is the RFC 8785 form.
//
// The package knows JSON and nothing of Agent Cards; package card, and package
// scheme for the security of a card, say what is to be read.
package jsondoc

import (
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Ref is the index of a [Node] in its [Tree]; 0 is no node.
type Ref int32

// Root is the document's value.
const Root Ref = 1

// A Node is one JSON value. Nodes lie in one slice and name each other by
// index, so that a document costs a few allocations and not one a value.
type Node struct {
	Kind   jsontext.Kind // '{', '[', '"', '0', 't', 'f' or 'n'
	Name   string        // as a member
	Str    string        // of a string, decoded
	Parent Ref
	First  Ref // child of an object or a list

	next       Ref   // sibling
	index      int32 // place in the parent
	start, end int32 // of its text in the document
}

// A Tree is a document whose syntax is right and whose members are unique.
type Tree struct {
	nodes []Node
	doc   string // the text; strings without escapes are parts of it
	big   []Ref  // integers that doubles cannot tell apart, in order
}

// At returns the node of n: an empty one where n is 0. It belongs to the tree.
func (t *Tree) At(n Ref) *Node { return &t.nodes[n] }

// Children returns the members or entries of n in order; none where n has or
// is none.
func (t *Tree) Children(n Ref) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for c := t.nodes[n].First; c != 0; c = t.nodes[c].next {
			if !yield(c) {
				return
			}
		}
	}
}

// Member returns the member of n that is called name and is not null; 0 where
// there is none.
func (t *Tree) Member(n Ref, name string) Ref {
	if t.At(n).Kind != '{' {
		return 0
	}
	for c := range t.Children(n) {
		if v := t.At(c); v.Name == name && v.Kind != 'n' {
			return c
		}
	}
	return 0
}

// Pointer is the RFC 6901 pointer of n.
func (t *Tree) Pointer(n Ref) string {
	if n == 0 || t.nodes[n].Parent == 0 {
		return ""
	}
	v := &t.nodes[n]
	if t.nodes[v.Parent].Kind == '[' {
		return t.Pointer(v.Parent) + "/" + strconv.Itoa(int(v.index))
	}
	return t.Pointer(v.Parent) + "/" + Escape(v.Name)
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape makes a reference token of a name (RFC 6901).
func Escape(name string) string {
	if strings.ContainsAny(name, "~/") {
		return escaper.Replace(name)
	}
	return name
}

// Unescape is the name behind a reference token.
func Unescape(token string) string { return unescaper.Replace(token) }

// text is the value as it is written.
func (t *Tree) text(n Ref) string { return t.doc[t.nodes[n].start:t.nodes[n].end] }
