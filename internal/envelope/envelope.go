// Package envelope takes the outermost object of a foreign JSON document apart, and
// leaves the values in it as they were written.
package envelope

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Documents are read for their envelope alone: what is in a result is for others
// to judge, so its repeated members and odd text pass here.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// What [Parse] and [Check] say of JSON that is not as it should be.
var (
	ErrTrailing = errors.New("data after the JSON value")
	ErrNoObject = errors.New("no JSON object")
	ErrRepeated = errors.New("a repeated member")
)

// An Object is the members of a JSON object, each value as it was written.
type Object map[string]jsontext.Value

// Parse reads one object and nothing behind it. Its values are parts of raw. No
// member is repeated, since no two readers would read the same.
func Parse(raw []byte) (Object, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw[:len(raw):len(raw)]), lenient...)
	if d.PeekKind() != '{' {
		if err := d.SkipValue(); err != nil {
			return nil, err
		}
		return nil, ErrNoObject
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	o := Object{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if _, repeated := o[name]; repeated {
			return nil, ErrRepeated
		}
		end := d.InputOffset()
		o[name] = raw[end-int64(len(value)) : end]
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return o, ended(d)
}

// ended is nil at the end of a document.
func ended(d *jsontext.Decoder) error {
	_, err := d.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return ErrTrailing
}

// Check is nil where raw is one JSON value and nothing behind it.
func Check(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw[:len(raw):len(raw)]), lenient...)
	if err := d.SkipValue(); err != nil {
		return err
	}
	return ended(d)
}

// List is the first elements of a list; nil of anything else.
func List(raw jsontext.Value, most int) []jsontext.Value {
	if raw.Kind() != '[' {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw[:len(raw):len(raw)]), lenient...)
	_, _ = d.ReadToken() // the bracket
	var list []jsontext.Value
	for len(list) < most && d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, value.Clone())
	}
	return list
}

// Has reports whether a member is there and not null.
func (o Object) Has(name string) bool {
	v, ok := o[name]
	return ok && v.Kind() != 'n'
}

// Text is a member that is a string; "" of any other.
func (o Object) Text(name string) string { return Text(o[name]) }

// Text is a string of JSON; "" of any other value. What is no text in it is U+FFFD.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil && b == nil {
		return ""
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// Number is a member that is a whole number; 0 of any other.
func (o Object) Number(name string) int {
	n, err := strconv.Atoi(string(o[name]))
	if err != nil {
		return 0
	}
	return n
}

// Encode is o as JSON, in the order of names.
func (o Object) Encode() jsontext.Value {
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, name) // the error is about what was replaced
		b = append(b, ':')
		b = append(b, o[name]...)
	}
	return append(b, '}')
}
