// Package value shortens what a finding repeats of a card, and knows its one form.
package value

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

// longest is how many bytes of a value a finding repeats; of a longer one
// it has the digest. Thousands of findings may share one long list, and a report
// must not grow with the square of the card.
const longest = 8 << 10

// A Value is one side of a finding.
type Value struct {
	Short any            // as the finding repeats it
	Text  jsontext.Value // in the form of RFC 8785
}

// Known knows the lists that several findings share, so that each is written
// once. The keys are the first items' addresses and the lengths.
type Known map[any]Value

type stringsKey struct {
	first *string
	len   int
}

type waysKey struct {
	first *compile.Alternative
	len   int
}

// Of returns v as a finding repeats it; of more than 8 KiB that is the digest.
func (k Known) Of(v any) Value {
	var key any
	switch list := v.(type) {
	case []string:
		if len(list) > 0 {
			key = stringsKey{&list[0], len(list)}
		}
	case []compile.Alternative:
		if len(list) > 0 {
			key = waysKey{&list[0], len(list)}
		}
	}
	if known, ok := k[key]; ok && key != nil {
		return known
	}
	out := Value{v, Canonical(v)}
	if len(out.Text) > longest {
		sum := card.Sum(out.Text)
		out = Value{sum, Canonical(sum)}
	}
	if key != nil {
		k[key] = out
	}
	return out
}

// Canonical returns the RFC 8785 form of what a finding carries: a value that can
// be written as JSON.
func Canonical(v any) jsontext.Value {
	utf8 := jsontext.AllowInvalidUTF8(true) // so that no text can fail
	text, err := json.Marshal(v, json.Deterministic(true), utf8)
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize(utf8)
	}
	if err != nil {
		panic("value: a bug in a2alock: " + err.Error())
	}
	return text
}
