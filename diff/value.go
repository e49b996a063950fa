package diff

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

// longestValue is how many bytes of a value a finding repeats; of a longer one
// it has the digest. Thousands of findings may share one long list, and a report
// must not grow with the square of the card.
const longestValue = 8 << 10

// A value is one side of a finding, and its RFC 8785 form.
type value struct {
	short any
	text  jsontext.Value
}

// values knows the lists that several findings share, so that each is written
// once. The keys are the first items' addresses and the lengths.
type values map[any]value

type stringsKey struct {
	first *string
	len   int
}

type waysKey struct {
	first *compile.Alternative
	len   int
}

// of returns v as a finding repeats it.
func (k values) of(v any) value {
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
	out := value{v, canonical(v)}
	if len(out.text) > longestValue {
		sum := card.Sum(out.text)
		out = value{sum, canonical(sum)}
	}
	if key != nil {
		k[key] = out
	}
	return out
}

// canonical returns the RFC 8785 form of what a finding carries.
func canonical(v any) jsontext.Value {
	utf8 := jsontext.AllowInvalidUTF8(true) // so that no text can fail
	text, err := json.Marshal(v, json.Deterministic(true), utf8)
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize(utf8)
	}
	if err != nil {
		panic("diff: a bug in a2alock: " + err.Error())
	}
	return text
}
