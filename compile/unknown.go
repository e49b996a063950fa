package compile

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
)

// longestUnknown is how many bytes of an unknown value a profile repeats.
const longestUnknown = 200

// unknown gathers [Profile.Unknown]. Pointers without indexes can meet (two
// interfaces of one binding and version); then all values are kept.
type unknown map[string][]jsontext.Value

func (u unknown) add(at string, members map[string]jsontext.Value) {
	for name, value := range members {
		pointer := at + "/" + jsondoc.Escape(name)
		u[pointer] = append(u[pointer], value)
	}
}

func (u unknown) finish() map[string]jsontext.Value {
	out := make(map[string]jsontext.Value, len(u))
	for pointer, values := range u {
		out[pointer] = brief(together(values))
	}
	return out
}

// together makes one value of several: the array of the distinct ones, sorted.
func together(values []jsontext.Value) jsontext.Value {
	if len(values) > 1 {
		values = slices.Clone(values)
		slices.SortFunc(values, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
		values = slices.CompactFunc(values, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) })
	}
	if len(values) == 1 {
		return values[0]
	}
	return canonical(values)
}

func brief(v jsontext.Value) jsontext.Value {
	if len(v) <= longestUnknown {
		return v
	}
	return canonical(card.Sum(v))
}
