package jsondoc

import (
	"fmt"
	"slices"
)

// Severity grades a finding by its consequence.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // what is built on the value would be a guess
	Gap     Severity = "gap"     // missing or odd, and nothing depends on it
	Warning Severity = "warning" // read, although it is not as it should be
)

// Scope names what an error disables.
type Scope string

// A Finding is one thing that is not as a specification has it.
type Finding struct {
	Code     string
	Severity Severity
	Path     string // RFC 6901; of a missing member, where it would stand
	Scope    Scope  // what an [Error] disables; else empty
	Message  string // one line; foreign text is quoted
}

// An Element is a part of the document that an error of its own disables.
type Element struct {
	Scope    Scope
	Disabled string // the first error's message; "" while it is fine
}

// A Reader takes values from a tree, and keeps what it finds on the way.
type Reader struct {
	*Tree
	strict  bool
	muted   bool // a second look at something: nothing is reported
	refused *Refusal
	found   []located
	said    map[string]bool // what is said once for the whole document
	told    []bool          // which of Tree.big have been reported
}

// A located finding remembers its place, for document order.
type located struct {
	Finding
	at int32
}

// NewReader returns a reader of t. A strict one makes every gap an error.
func NewReader(t *Tree, strict bool) *Reader {
	return &Reader{Tree: t, strict: strict, told: make([]bool, len(t.big))}
}

// report notes a finding about the value at n, or about a member of it that
// is not there (suffix, a pointer relative to n).
func (r *Reader) report(sev Severity, e *Element, code string, n Ref, suffix, msg string) {
	if sev == Gap && r.strict {
		sev = Error
	}
	f := Finding{Code: code, Severity: sev, Message: msg}
	if sev == Error {
		f.Scope = e.Scope
		if e.Disabled == "" {
			e.Disabled = msg
		}
	}
	if r.muted {
		return
	}
	f.Path = r.Pointer(n) + suffix
	r.found = append(r.found, located{f, r.At(n).start})
}

// Report notes a finding about the value at n. An error disables e; only a
// warning needs none.
func (r *Reader) Report(sev Severity, e *Element, code string, n Ref, format string, args ...any) {
	r.report(sev, e, code, n, "", fmt.Sprintf(format, args...))
}

// Err reports an [Error].
func (r *Reader) Err(e *Element, code string, n Ref, format string, args ...any) {
	r.Report(Error, e, code, n, format, args...)
}

// Gap reports a [Gap].
func (r *Reader) Gap(e *Element, code string, n Ref, format string, args ...any) {
	r.Report(Gap, e, code, n, format, args...)
}

// Warn reports a [Warning].
func (r *Reader) Warn(code string, n Ref, format string, args ...any) {
	r.Report(Warning, nil, code, n, format, args...)
}

// WarnOnce warns of a habit of the whole document at the first place it shows.
func (r *Reader) WarnOnce(code string, n Ref, format string, args ...any) {
	if r.First(code) {
		r.Warn(code, n, format, args...)
	}
}

// First reports whether it is asked about the key for the first time, and not
// quietly: what is to be said once is said then.
func (r *Reader) First(key string) bool {
	if r.muted || r.said[key] {
		return false
	}
	if r.said == nil {
		r.said = map[string]bool{}
	}
	r.said[key] = true
	return true
}

// Quietly runs a second look at something, which reports nothing.
func (r *Reader) Quietly(look func()) {
	muted := r.muted
	r.muted = true
	defer func() { r.muted = muted }()
	look()
}

// Findings returns what was found in document order.
func (r *Reader) Findings() []Finding {
	slices.SortStableFunc(r.found, func(a, b located) int { return int(a.at) - int(b.at) })
	fs := make([]Finding, len(r.found))
	for i, f := range r.found {
		fs[i] = f.Finding
	}
	return fs
}

// Refused is why the document cannot be read at all after all (see
// [Reader.Entries]); nil when it can.
func (r *Reader) Refused() *Refusal { return r.refused }
