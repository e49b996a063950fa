package lockfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A shape says what a place of the lock holds. It is derived from the Go types
// once, so that reader, writer and types cannot drift apart; what types cannot
// say stands in [places].
type shape struct {
	kind   jsontext.Kind // '{', '[', '"', 't', '0'; 0 is any value
	fields []field       // of a struct, in writing order
	open   bool          // a struct with room for unknown members
	elem   *shape        // of a map or an array
	null   bool          // null stands for "there is none"
	text   bool          // a text may stand in place of the object
	place
}

type field struct {
	name  string
	shape *shape
}

func (s *shape) isMap() bool { return s.kind == '{' && s.elem != nil }

// known returns the shape of a struct's member; ok is false for an unknown one.
func (s *shape) known(name string) (m *shape, ok bool) {
	for _, f := range s.fields {
		if f.name == name {
			return f.shape, true
		}
	}
	return nil, false
}

// anything is the shape of what this version does not know.
var anything = &shape{}

var lockShape = shapeOf(reflect.TypeFor[Lock](), "")

// shapeOf derives the shape of t, which stands at the pattern at: a JSON
// pointer with * for any name or index.
func shapeOf(t reflect.Type, at string) *shape {
	s := &shape{place: places[at]}
	switch {
	case t == reflect.TypeFor[jsontext.Value]():
		return s
	case t == reflect.TypeFor[Evidence]():
		t, s.text = reflect.TypeFor[evidence](), true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem(), at)
	case reflect.String:
		s.kind = '"'
	case reflect.Bool:
		s.kind = 't'
	case reflect.Int:
		s.kind = '0'
	case reflect.Slice:
		s.kind, s.elem = '[', shapeOf(t.Elem(), at+"/*")
	case reflect.Map:
		s.kind, s.elem = '{', shapeOf(t.Elem(), at+"/*")
	case reflect.Struct:
		s.kind = '{'
		s.addFields(t, at)
	default:
		panic(fmt.Sprintf("lockfile: no shape for %v at %s", t, at))
	}
	return s
}

func (s *shape) addFields(t reflect.Type, at string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case options == "embed":
			s.open = true
		case f.Anonymous && name == "":
			s.addFields(f.Type, at)
		default:
			m := shapeOf(f.Type, at+"/"+name)
			// A pointer that is always written is written as null when nil.
			m.null = f.Type.Kind() == reflect.Pointer && options != "omitzero"
			s.fields = append(s.fields, field{name, m})
		}
	}
}
