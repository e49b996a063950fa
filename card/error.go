package card

import (
	"fmt"
	"strings"
)

// A DocumentError says why bytes did not become a usable [Card].
type DocumentError struct {
	State State  // [NotJSON], [NotACard], [Invalid] or [TooLarge]
	Path  string // RFC 6901 pointer to the place; "" is the document itself
	Msg   string // one line; foreign text is quoted
}

// Error is the state and [DocumentError.Detail].
func (e *DocumentError) Error() string { return fmt.Sprintf("%s: %s", e.State, e.Detail()) }

// Detail is the place and the message without the state, for where the state
// stands beside it.
func (e *DocumentError) Detail() string {
	if e.Path == "" {
		return e.Msg
	}
	// A message stands alone, and so it begins with the name that ends the path.
	member := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
	return fmt.Sprintf("%s: %s", e.Path, strings.TrimPrefix(e.Msg, member+": "))
}

// Err returns nil when the card as a whole can be used, else a
// *[DocumentError] of state [Invalid] about the first error in the document;
// its Msg counts the others. Errors in one skill, scheme or interface are no
// matter here: they disable that one.
func (c *Card) Err() error {
	var first *Finding
	more := 0
	for i := range c.Findings {
		f := &c.Findings[i]
		switch {
		case f.Severity != Error || f.Scope != ScopeDocument:
		case first == nil:
			first = f
		default:
			more++
		}
	}
	if first == nil {
		return nil
	}
	msg := first.Message
	if more > 0 {
		msg = fmt.Sprintf("%s (and %d more in the document)", msg, more)
	}
	return &DocumentError{State: Invalid, Path: first.Path, Msg: msg}
}
