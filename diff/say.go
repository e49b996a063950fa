package diff

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// byRule stands for the class of the rule itself, in findings whose check has
// no reason to say otherwise.
const byRule Class = -1

// found makes a finding of the class of its rule.
func found(path string, was, now any, format string, args ...any) Finding {
	return Finding{Class: byRule, Path: path, Was: was, Now: now, Message: fmt.Sprintf(format, args...)}
}

// of says which skill f affects.
func (f Finding) of(skill string) Finding {
	f.Skills = []string{skill}
	return f
}

// sameJSON compares two values however they are written: a profile that was
// read from a lock has its raw members indented. Integers are compared to the
// last digit, also those that RFC 8785 would merge.
func sameJSON(a, b jsontext.Value) bool {
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

// raw is a JSON value for a finding; nil where there is none.
func raw(v jsontext.Value) any {
	if len(v) == 0 {
		return nil
	}
	return v
}
