package card

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A ref is the index of a node in its tree; 0 is no node.
type ref int32

// root is the document's value.
const root ref = 1

// A node is one JSON value. Nodes lie in one slice and name each other by
// index, so that a card costs a few allocations and not one a value.
type node struct {
	kind       jsontext.Kind
	parent     ref
	first      ref    // child of an object or a list
	next       ref    // sibling
	index      int32  // place in the parent
	start, end int32  // of its text in the document
	name       string // as a member
	str        string // of a string
}

// A tree is a document whose syntax is right and whose members are unique.
type tree struct {
	nodes []node
	doc   string // the text; strings without escapes are parts of it
	big   []ref  // integers that doubles cannot tell apart, in order
}

// A scanner builds a tree from tokens.
type scanner struct {
	tree
	data   []byte
	dec    *jsontext.Decoder
	open   []frame
	defect *DocumentError // the first fault of a document that is JSON
}

// A frame is an object or list that is not closed yet.
type frame struct {
	ref   ref
	last  ref
	count int32
	name  string // read, and waiting for its value
	named bool
	seen  map[string]bool // names, once there are many
}

// manyNames is where a frame begins to keep its names in a map.
const manyNames = 16

// scan reads UTF-8 text into a tree. Bytes that are no JSON are [NotJSON],
// deep ones [TooLarge]; a repeated member, a lone surrogate or a number out of
// range is [Invalid], once the rest has been seen to be JSON.
func scan(data []byte, depth int) (*tree, *DocumentError) {
	if len(data) > math.MaxInt32 {
		return nil, &DocumentError{State: TooLarge, Msg: "2 GiB or more"}
	}
	s := scanner{data: data, open: make([]frame, 0, 8)}
	s.doc = string(data)
	s.nodes = make([]node, 1, min(len(data)/12+8, 4096))
	// Repeated names and surrogates are judged here, where their place and
	// kind are known, and not by the text of an error.
	s.dec = jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if err := s.next(depth); err != nil {
			return nil, err
		}
		if len(s.open) == 0 {
			break
		}
	}
	end := s.dec.InputOffset()
	if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
		return nil, &DocumentError{State: NotJSON, Msg: "data after the JSON value, at " + place(data, int64(len(data)-len(rest)))}
	}
	if s.defect != nil {
		return nil, s.defect
	}
	return &s.tree, nil
}

// next reads one token, or one string or number, into the tree.
func (s *scanner) next(depth int) *DocumentError {
	kind := s.dec.PeekKind()
	if kind != '"' && kind != '0' {
		if _, err := s.dec.ReadToken(); err != nil {
			return s.syntax(err)
		}
		return s.structure(kind, depth)
	}
	raw, err := s.dec.ReadValue()
	if err != nil {
		return s.syntax(err)
	}
	end := int32(s.dec.InputOffset())
	start := end - int32(len(raw))
	if kind == '0' {
		n := s.add(node{kind: kind, start: start, end: end})
		s.number(n)
		return nil
	}
	str, ok := s.text(start, end)
	if top := s.top(); top != nil && s.nodes[top.ref].kind == '{' && !top.named {
		s.member(top, str)
		if !ok {
			s.spoil(s.pointer(top.ref)+"/"+escape(str), "a lone surrogate in a member's name")
		}
		return nil
	}
	n := s.add(node{kind: kind, start: start, end: end, str: str})
	if !ok {
		s.spoil(s.pointer(n), "a lone surrogate in a string")
	}
	return nil
}

// structure takes a bracket or a literal.
func (s *scanner) structure(kind jsontext.Kind, depth int) *DocumentError {
	end := int32(s.dec.InputOffset())
	switch kind {
	case '}', ']':
		s.nodes[s.top().ref].end = end
		s.open = s.open[:len(s.open)-1]
	case '{', '[':
		if len(s.open) == depth {
			return &DocumentError{State: TooLarge, Msg: fmt.Sprintf("nested more than %d deep", depth)}
		}
		s.open = append(s.open, frame{ref: s.add(node{kind: kind, start: end - 1})})
	case 'f':
		s.add(node{kind: kind, start: end - 5, end: end})
	default: // true, null
		s.add(node{kind: kind, start: end - 4, end: end})
	}
	return nil
}

func (s *scanner) top() *frame {
	if len(s.open) == 0 {
		return nil
	}
	return &s.open[len(s.open)-1]
}

// add hangs a node into the open object or list.
func (s *scanner) add(n node) ref {
	r := ref(len(s.nodes))
	if top := s.top(); top != nil {
		n.parent, n.index = top.ref, top.count
		n.name, top.named = top.name, false
		if top.last == 0 {
			s.nodes[top.ref].first = r
		} else {
			s.nodes[top.last].next = r
		}
		top.last = r
		top.count++
	}
	s.nodes = append(s.nodes, n)
	return r
}

// member takes a name and looks whether the object had it before. Readers
// disagree on which of two counts, so neither is read.
func (s *scanner) member(top *frame, name string) {
	repeated := top.seen[name]
	if top.seen == nil {
		for c := s.nodes[top.ref].first; c != 0; c = s.nodes[c].next {
			repeated = repeated || s.nodes[c].name == name
		}
		if top.count >= manyNames {
			top.seen = make(map[string]bool, 2*manyNames)
			for c := s.nodes[top.ref].first; c != 0; c = s.nodes[c].next {
				top.seen[s.nodes[c].name] = true
			}
		}
	}
	if top.seen != nil {
		top.seen[name] = true
	}
	if repeated && s.defect == nil {
		s.spoil(s.pointer(top.ref)+"/"+escape(name), "a repeated member")
	}
	top.name, top.named = name, true
}

// text decodes the string at start; ok is false for a lone surrogate.
func (s *scanner) text(start, end int32) (str string, ok bool) {
	raw := s.doc[start+1 : end-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, true
	}
	b, err := jsontext.AppendUnquote(nil, s.data[start:end])
	return string(b), err == nil
}

// number judges a number against double precision (RFC 8785 3.2.2.3).
func (s *scanner) number(n ref) {
	text := s.doc[s.nodes[n].start:s.nodes[n].end]
	if len(text) < 16 && !strings.ContainsAny(text, "eE") {
		return // at most 15 digits
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.spoil(s.pointer(n), "a number outside double range")
		return
	}
	// 2^53 is the first integer that shares its double with another one.
	whole := !strings.ContainsAny(text, ".eE") && math.Abs(f) > 1<<53-1
	// What is not zero and reads as zero has lost all of its value.
	lost := f == 0 && strings.ContainsAny(mantissa(text), "123456789")
	if whole || lost {
		s.big = append(s.big, n)
	}
}

func mantissa(text string) string {
	m, _, _ := strings.Cut(strings.ToLower(text), "e")
	return m
}

func (s *scanner) spoil(path, msg string) {
	if s.defect == nil {
		s.defect = &DocumentError{State: Invalid, Path: path, Msg: msg}
	}
}

// syntax describes the decoder's error by its place alone: nothing of what is
// not JSON is repeated.
func (s *scanner) syntax(err error) *DocumentError {
	at, early := int64(0), errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = min(se.ByteOffset, int64(len(s.data)))
	}
	if early {
		return &DocumentError{State: NotJSON, Msg: "the JSON ends early"}
	}
	return &DocumentError{State: NotJSON, Msg: "no JSON at " + place(s.data, at)}
}

// place names an offset as people count.
func place(data []byte, at int64) string {
	before := data[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, col)
}

// pointer is the RFC 6901 pointer of n.
func (t *tree) pointer(n ref) string {
	if n == 0 || t.nodes[n].parent == 0 {
		return ""
	}
	v := &t.nodes[n]
	if t.nodes[v.parent].kind == '[' {
		return t.pointer(v.parent) + "/" + strconv.Itoa(int(v.index))
	}
	return t.pointer(v.parent) + "/" + escape(v.name)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escape(name string) string {
	if strings.ContainsAny(name, "~/") {
		return pointerEscapes.Replace(name)
	}
	return name
}
