package jsondoc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Same reports whether two values are equal however they are written. Integers
// are compared to the last digit, also those that RFC 8785 would merge. No value
// is none that is there.
func Same(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := a.Clone(), b.Clone()
	exact := jsontext.CanonicalizeRawInts(false)
	return x.Canonicalize(exact) == nil && y.Canonicalize(exact) == nil && bytes.Equal(x, y)
}
