package jsondoc

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Is reports whether n is of the kind, and reports another kind as sev.
func (r *Reader) Is(kind jsontext.Kind, sev Severity, e *Element, n Ref) bool {
	if r.At(n).Kind == kind {
		return true
	}
	r.Report(sev, e, "wrong-type", n, "%s: want %s, got %s", r.Label(n), KindName(kind), KindName(r.At(n).Kind))
	return false
}

// Str returns the string at n; "" when n is absent or something else, which
// is reported as sev.
func (r *Reader) Str(sev Severity, e *Element, n Ref) string {
	if n == 0 || !r.Is('"', sev, e, n) {
		return ""
	}
	return r.At(n).Str
}

// Need is [Reader.Str] for member i that must be there and not empty.
func (r *Reader) Need(sev Severity, e *Element, m *Members, i int) string {
	n := m.At[i]
	if n == 0 {
		r.Missing(sev, e, m, i)
		return ""
	}
	s := r.Str(sev, e, n)
	if s == "" && r.At(n).Kind == '"' {
		r.Report(sev, e, "empty", n, "%s: empty", r.Label(n))
	}
	return s
}

// Flag reads a boolean; only a literal true is true.
func (r *Reader) Flag(sev Severity, e *Element, n Ref) bool {
	if n == 0 || r.At(n).Kind == 'f' || !r.Is('t', sev, e, n) {
		return false
	}
	return true
}

// Strs reads a list of strings; nil when it is absent, empty or unreadable.
// The first wrong entry is reported as sev. After an error nothing of the list
// is read, after a gap what is readable.
func (r *Reader) Strs(sev Severity, e *Element, n Ref) []string {
	if n == 0 || !r.Is('[', sev, e, n) {
		return nil
	}
	count, bad := 0, Ref(0)
	for c := range r.Children(n) {
		count++
		if r.At(c).Kind != '"' && bad == 0 {
			bad = c
		}
	}
	if bad != 0 {
		r.Is('"', sev, e, bad)
		if sev == Error {
			return nil
		}
	}
	if count == 0 {
		return nil
	}
	list := make([]string, 0, count)
	for c := range r.Children(n) {
		if v := r.At(c); v.Kind == '"' {
			list = append(list, v.Str)
		}
	}
	return list
}

// MaxEntries bounds the lists and maps that have no limit of their own.
const MaxEntries = 10_000

// Entries returns the children of n. More of them than limit refuse the
// document, see [Reader.Refused].
func (r *Reader) Entries(n Ref, limit int) []Ref {
	count := 0
	for range r.Children(n) {
		count++
	}
	if count > limit {
		if r.refused == nil {
			r.refused = &Refusal{Reason: TooLarge, Path: r.Pointer(n), Msg: fmt.Sprintf("%d entries, the limit is %d", count, limit)}
		}
		return nil
	}
	list := make([]Ref, 0, count)
	for c := range r.Children(n) {
		list = append(list, c)
	}
	return list
}

// IsEmpty reports whether n is absent, or an empty string or list.
func (r *Reader) IsEmpty(n Ref) bool {
	v := r.At(n)
	return n == 0 || v.Kind == '"' && v.Str == "" || v.Kind == '[' && v.First == 0
}

// Canonical is the RFC 8785 form of the value at n, save for integers: they
// stay as they are written, since that form merges those beyond 2^53.
func (r *Reader) Canonical(n Ref) jsontext.Value {
	v := jsontext.Value(r.text(n))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		panic("jsondoc: a scanned value is no JSON: " + err.Error())
	}
	return v
}

// Raw collects members by name in canonical form; nil when there are none.
func (r *Reader) Raw(list []Ref) map[string]jsontext.Value {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]jsontext.Value, len(list))
	for _, c := range list {
		m[r.At(c).Name] = r.Canonical(c)
	}
	return m
}

// BigNumbers reports the integers within n that doubles cannot tell apart,
// and which digests therefore merge (RFC 8785), as one finding. One that was
// reported before is left out.
func (r *Reader) BigNumbers(e *Element, n Ref) {
	if len(r.big) == 0 || r.muted {
		return
	}
	before := func(b, n Ref) int { return int(b) - int(n) }
	i, _ := slices.BinarySearchFunc(r.big, n, before)
	first, count := Ref(0), 0
	for ; i < len(r.big) && r.At(r.big[i]).start < r.At(n).end; i++ {
		if r.told[i] {
			continue
		}
		r.told[i] = true
		count++
		if first == 0 {
			first = r.big[i]
		}
	}
	if first == 0 {
		return
	}
	msg := fmt.Sprintf("%s: %s is more than a double holds, so that a digest cannot tell it from its neighbours", r.Label(first), cut(r.text(first)))
	if count > 1 {
		msg += fmt.Sprintf(" (and %d more)", count-1)
	}
	r.report(Gap, e, "number-precision", first, "", msg)
}
