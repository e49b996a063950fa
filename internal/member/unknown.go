package member

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
)

// longest is how many bytes of an unknown value are repeated.
const longest = 200

// Unknown gathers the members of one card that its schema does not know; make
// it with [NewUnknown]. Pointers without indexes can meet; then all values are
// kept. They are canonical JSON.
type Unknown struct {
	sets  map[string][]jsontext.Value // two requirements of the same schemes
	lists map[string][]jsontext.Value // two interfaces of one binding and version
}

// NewUnknown has gathered nothing.
func NewUnknown() Unknown {
	return Unknown{sets: map[string][]jsontext.Value{}, lists: map[string][]jsontext.Value{}}
}

// Add adds the members of what stands at a pointer; of several there, the order
// says nothing.
func (u Unknown) Add(at string, members map[string]jsontext.Value) {
	for name, value := range members {
		pointer := at + "/" + jsondoc.Escape(name)
		u.sets[pointer] = append(u.sets[pointer], value)
	}
}

// AddInOrder adds the members of number n, from 0, of those at one pointer, of
// which it matters which has a member: the values are a list in that order, with
// null for those without it, as far as the last that has it. No pointer is given
// to Add, too.
func (u Unknown) AddInOrder(at string, n int, members map[string]jsontext.Value) {
	for name, value := range members {
		pointer := at + "/" + jsondoc.Escape(name)
		for len(u.lists[pointer]) < n {
			u.lists[pointer] = append(u.lists[pointer], jsontext.Value("null"))
		}
		u.lists[pointer] = append(u.lists[pointer], value)
	}
}

// Finish returns what was gathered, by pointer. A value over 200 bytes is
// replaced by the string "sha256:…" of its canonical form.
func (u Unknown) Finish() map[string]jsontext.Value {
	out := make(map[string]jsontext.Value, len(u.sets)+len(u.lists))
	for pointer, values := range u.sets {
		out[pointer] = brief(Merge(values))
	}
	for pointer, values := range u.lists {
		out[pointer] = brief(together(values))
	}
	return out
}

// Merge makes one value of several canonical ones, whatever their order: the
// only one that there is, else the sorted array of the distinct ones.
func Merge(values []jsontext.Value) jsontext.Value {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
	return together(slices.CompactFunc(values, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) }))
}

// together makes one value of several canonical ones: the array of them.
func together(values []jsontext.Value) jsontext.Value {
	if len(values) == 1 {
		return values[0]
	}
	out := jsontext.Value{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

func brief(v jsontext.Value) jsontext.Value {
	if len(v) <= longest {
		return v
	}
	return jsontext.Value(`"` + card.Sum(v) + `"`)
}
