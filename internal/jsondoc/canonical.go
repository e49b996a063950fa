package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the RFC 8785 form of one JSON value in a new slice. What
// that form cannot carry is an error: a repeated member, a lone surrogate,
// invalid UTF-8, a number outside double range, data after the value, or a
// byte order mark.
func Canonical(raw []byte) ([]byte, error) {
	if mayOverflow(raw) {
		if err := checkNumbers(raw); err != nil {
			return nil, fmt.Errorf("canonical form: %w", err)
		}
	}
	v := jsontext.Value(bytes.Clone(raw)) // Canonicalize works in place
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical form: %w", err)
	}
	return v, nil
}

// CanonicalTexts returns the canonical form of a list of texts. What is not
// UTF-8 in them comes out as U+FFFD.
func CanonicalTexts(list []string) []byte {
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, s) // the error is about what was replaced
	}
	return append(b, ']')
}

// mayOverflow is whether raw holds what a number outside double range has, an
// exponent or more than 300 digits in a row. It also is where a text does.
func mayOverflow(raw []byte) bool {
	digits := 0
	for _, c := range raw {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case digits > 0 && (c == 'e' || c == 'E'):
			return true
		default:
			digits = 0
		}
		if digits > 300 {
			return true
		}
	}
	return false
}

// checkNumbers refuses what jsontext would clamp to the largest double, so
// that different texts never share a canonical form.
func checkNumbers(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if t.Kind() != '0' {
			continue
		}
		if _, err := strconv.ParseFloat(t.String(), 64); err != nil {
			return fmt.Errorf("%s: a number outside double range", Quote(string(d.StackPointer())))
		}
	}
}

// Without takes one top-level member out of b, which is an object in canonical
// form, and may change b. Canonical bytes have no spaces, so that what is left
// is canonical again. Any other value is returned as it is.
func Without(b []byte, name string) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return b, err
	}
	for d.PeekKind() == '"' {
		start := d.InputOffset() // just behind "{" or the value before
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		found := t.String() == name
		if err := d.SkipValue(); err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		end := d.InputOffset()
		if start == 1 && b[end] == ',' {
			end++ // the first member: the comma behind goes with it
		}
		return append(b[:start:start], b[end:]...), nil
	}
	return b, nil
}
