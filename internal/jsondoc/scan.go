package jsondoc

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

// A scanner builds a tree from tokens.
type scanner struct {
	Tree
	data   []byte
	dec    *jsontext.Decoder
	open   []frame
	defect *Refusal // the first fault of a document that is JSON
}

// A frame is an object or list that is not closed yet.
type frame struct {
	ref   Ref
	last  Ref
	count int32
	name  string // read, and waiting for its value
	named bool
	seen  map[string]bool // names, once there are many
}

// manyNames is where a frame begins to keep its names in a map.
const manyNames = 16

// Parse reads text into a tree that keeps nothing of it. What is no UTF-8 JSON
// is [NotJSON], what is nested more than depth levels [TooLarge]; a repeated
// member, a lone surrogate or a number outside double range is [Ambiguous], once
// the rest has been seen to be JSON.
func Parse(text []byte, depth int) (*Tree, *Refusal) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	return scan(text, depth)
}

func scan(data []byte, depth int) (*Tree, *Refusal) {
	if len(data) > math.MaxInt32 {
		return nil, &Refusal{Reason: TooLarge, Msg: "2 GiB or more"}
	}
	s := scanner{data: data, open: make([]frame, 0, 8)}
	s.doc = string(data)
	// The densest of usual cards has a node every 16 bytes.
	s.nodes = make([]Node, 1, min(len(data)/16+8, 4096))
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
		return nil, &Refusal{Reason: NotJSON, Msg: "data after the JSON value, at " + place(data, int64(len(data)-len(rest)))}
	}
	if s.defect != nil {
		return nil, s.defect
	}
	return &s.Tree, nil
}

// next reads one token, or one string or number, into the tree.
func (s *scanner) next(depth int) *Refusal {
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
		n := s.add(Node{Kind: kind, start: start, end: end})
		s.number(n)
		return nil
	}
	str, ok := s.unquote(start, end)
	if top := s.top(); top != nil && s.nodes[top.ref].Kind == '{' && !top.named {
		s.member(top, str)
		if !ok {
			s.spoil(s.Pointer(top.ref)+"/"+Escape(str), "a lone surrogate in a member's name")
		}
		return nil
	}
	n := s.add(Node{Kind: kind, start: start, end: end, Str: str})
	if !ok {
		s.spoil(s.Pointer(n), "a lone surrogate in a string")
	}
	return nil
}

// structure takes a bracket or a literal.
func (s *scanner) structure(kind jsontext.Kind, depth int) *Refusal {
	end := int32(s.dec.InputOffset())
	switch kind {
	case '}', ']':
		s.nodes[s.top().ref].end = end
		s.open = s.open[:len(s.open)-1]
	case '{', '[':
		if len(s.open) == depth {
			return &Refusal{Reason: TooLarge, Msg: fmt.Sprintf("nested more than %d deep", depth)}
		}
		s.open = append(s.open, frame{ref: s.add(Node{Kind: kind, start: end - 1})})
	case 'f':
		s.add(Node{Kind: kind, start: end - 5, end: end})
	default: // true, null
		s.add(Node{Kind: kind, start: end - 4, end: end})
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
func (s *scanner) add(n Node) Ref {
	r := Ref(len(s.nodes))
	if top := s.top(); top != nil {
		n.Parent, n.index = top.ref, top.count
		n.Name, top.named = top.name, false
		if top.last == 0 {
			s.nodes[top.ref].First = r
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
		for c := s.nodes[top.ref].First; c != 0; c = s.nodes[c].next {
			repeated = repeated || s.nodes[c].Name == name
		}
		if top.count >= manyNames {
			top.seen = make(map[string]bool, 2*manyNames)
			for c := s.nodes[top.ref].First; c != 0; c = s.nodes[c].next {
				top.seen[s.nodes[c].Name] = true
			}
		}
	}
	if top.seen != nil {
		top.seen[name] = true
	}
	if repeated && s.defect == nil {
		s.spoil(s.Pointer(top.ref)+"/"+Escape(name), "a repeated member")
	}
	top.name, top.named = name, true
}

// unquote decodes the string at start; ok is false for a lone surrogate.
func (s *scanner) unquote(start, end int32) (str string, ok bool) {
	raw := s.doc[start+1 : end-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, true
	}
	b, err := jsontext.AppendUnquote(nil, s.data[start:end])
	return string(b), err == nil
}

// number judges a number against double precision (RFC 8785 3.2.2.3).
func (s *scanner) number(n Ref) {
	text := s.doc[s.nodes[n].start:s.nodes[n].end]
	if len(text) < 16 && !strings.ContainsAny(text, "eE") {
		return // at most 15 digits
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.spoil(s.Pointer(n), "a number outside double range")
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
		s.defect = &Refusal{Reason: Ambiguous, Path: path, Msg: msg}
	}
}

// syntax describes the decoder's error by its place alone: nothing of what is
// not JSON is repeated.
func (s *scanner) syntax(err error) *Refusal {
	at, early := int64(0), errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = min(se.ByteOffset, int64(len(s.data)))
	}
	if early {
		return &Refusal{Reason: NotJSON, Msg: "the JSON ends early"}
	}
	return &Refusal{Reason: NotJSON, Msg: "no JSON at " + place(s.data, at)}
}

// place names an offset as people count.
func place(data []byte, at int64) string {
	before := data[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, col)
}
