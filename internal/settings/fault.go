package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A fault is one error with its place.
type fault struct {
	line, column int
	text         string
}

// joined is an error of the faults, each with its place, in the file's order;
// nil for none.
func joined(path string, faults []fault) error {
	more := max(len(faults)-MaxFaults, 0) // the last that were found, whatever their place
	faults = slices.Clone(faults[:len(faults)-more])
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	for _, f := range faults {
		where := fmt.Sprintf("%s:%d:%d", path, f.line, f.column)
		if f.line == 0 {
			where = path
		}
		errs = append(errs, fmt.Errorf("%s: %s", where, f.text))
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more faults", path, more))
	}
	return errors.Join(errs...)
}

// Fail reports a fault of the file's shape, at v.
func (d *Decoder) Fail(v Value, format string, args ...any) {
	d.add(v.fault(fmt.Sprintf(format, args...)))
}

func (d *Decoder) add(f fault) { d.faults = append(d.faults, f) }

// Doubt reports a fault of what the value at v means: as a doubt in a section
// that is apart, and else as Fail does.
func (d *Decoder) Doubt(v Value, format string, args ...any) {
	if !isUnder(v.Pointer, d.Apart) {
		d.Fail(v, format, args...)
		return
	}
	d.file.doubts = append(d.file.doubts, doubt{pointer: v.Pointer, fault: v.fault(fmt.Sprintf(format, args...))})
}

// IsSet reports whether no variable is missing in the values at or below the
// pointer, of those that were read by now.
func (d *Decoder) IsSet(pointer string) bool {
	return !slices.ContainsFunc(d.file.doubts, func(x doubt) bool { return x.unset && isUnder(x.pointer, []string{pointer}) })
}

// fault is one of the value at v.
func (v Value) fault(text string) fault {
	if v.name != "" {
		text = v.name + ": " + text
	}
	return fault{v.Line, v.column, text}
}

// describe names what v is, for errors.
func (v Value) describe() string {
	switch n := v.node; {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		return "nothing"
	case n.Kind == yaml.ScalarNode:
		return v.Text()
	}
	return "an alias"
}

// Text is the text of a scalar for errors, as it stands in the file. A secret
// is shown only where it is one whole ${NAME}.
func (v Value) Text() string {
	s := v.content().Value
	if v.secret && (!strings.HasPrefix(s, "${") || strings.IndexByte(s, '}') != len(s)-1) {
		return Hidden
	}
	return Short(s)
}

// Hidden stands for a text that errors do not show.
const Hidden = "a text that may be secret"

// IsMapping reports whether v is a mapping, or an alias for one.
func (v Value) IsMapping() bool { return v.content().Kind == yaml.MappingNode }

// HasVariable reports whether the text of a scalar holds ${.
func (v Value) HasVariable() bool { return strings.Contains(v.content().Value, "${") }

// Short quotes the beginning of s.
func Short(s string) string {
	if r := []rune(s); len(r) > 80 {
		return fmt.Sprintf("%q…", string(r[:80]))
	}
	return strconv.Quote(s)
}

// Plain is a key as it is, or quoted where it is not a plain word.
func Plain(s string) string {
	ordinary := func(r rune) bool {
		return r == '_' || r == '-' || r == '!' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !ordinary(r) }) {
		return Short(s)
	}
	return s
}
