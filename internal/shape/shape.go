// Package shape holds a JSON document of our own to the Go types that it is
// read into: what may stand where, what is wrong with a file, and the one order
// in which it is written.
//
// A [Shape] is derived from a type once ([Of]), so that reader, writer and types
// cannot drift apart; what types cannot say of a place stands in a table of
// [Place] values. [Shape.Faults] finds every fault of a [Node] at once,
// [Shape.Format] prints it canonically, and [Shape.Graft] carries over what only
// a newer version knows.
package shape

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Shape says what a place of the document holds.
type Shape struct {
	Kind   jsontext.Kind // '{', '[', '"', 't', '0'; 0 is any value
	Fields []Field       // of a struct, in writing order
	Elem   *Shape        // of a map or an array
	Place

	open bool // a struct with room for unknown members
	null bool // null stands for "there is none"
}

// A Field is one member of a struct.
type Field struct {
	Name  string
	Shape *Shape
}

// A Place holds what the Go types cannot say of one place in the document.
type Place struct {
	Required []string                 // members that must be there
	Filled   string                   // what at least one of must be there
	Check    func(text string) string // the fault of a value, "" for none
	List     bool                     // an array whose order has a meaning; others are sets
	By       []string                 // of a set of objects: the members that it is sorted by first
	// Object is the type of an object in whose place a text may stand; nil
	// where none may.
	Object reflect.Type
}

// IsMap reports whether s is an object of any members.
func (s *Shape) IsMap() bool { return s.Kind == '{' && s.Elem != nil }

// Known returns the shape of a struct's member; ok is false for an unknown one.
func (s *Shape) Known(name string) (m *Shape, ok bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Shape, true
		}
	}
	return nil, false
}

// anything is the shape of what this version does not know.
var anything = &Shape{}

// Of derives the shape of a document that is read into t. The places are by
// JSON pointer, with * for any name or index.
func Of(t reflect.Type, places map[string]Place) *Shape { return deriver(places).shape(t, "") }

// A deriver derives shapes with a table of places at hand.
type deriver map[string]Place

// shape derives the shape of t, which stands at the pattern at.
func (d deriver) shape(t reflect.Type, at string) *Shape {
	s := &Shape{Place: d[at]}
	switch {
	case t == reflect.TypeFor[jsontext.Value]():
		return s
	case s.Object != nil:
		t = s.Object
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.shape(t.Elem(), at)
	case reflect.String:
		s.Kind = '"'
	case reflect.Bool:
		s.Kind = 't'
	case reflect.Int:
		s.Kind = '0'
	case reflect.Slice:
		s.Kind, s.Elem = '[', d.shape(t.Elem(), at+"/*")
	case reflect.Map:
		s.Kind, s.Elem = '{', d.shape(t.Elem(), at+"/*")
	case reflect.Struct:
		s.Kind = '{'
		d.addFields(s, t, at)
	default:
		panic(fmt.Sprintf("no shape for %v at %s", t, at))
	}
	return s
}

func (d deriver) addFields(s *Shape, t reflect.Type, at string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case options == "embed":
			s.open = true
		case f.Anonymous && name == "":
			d.addFields(s, f.Type, at)
		default:
			m := d.shape(f.Type, at+"/"+name)
			// A pointer that is always written is written as null when nil.
			m.null = f.Type.Kind() == reflect.Pointer && options != "omitzero"
			s.Fields = append(s.Fields, Field{name, m})
		}
	}
}
