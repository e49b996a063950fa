package compile

import (
	"errors"

	"github.com/a2alock/a2alock/card"
)

// A Reading is one answer of an agent, read for one client: the bytes, the
// card in them and the profile it compiles to.
type Reading struct {
	Card    *card.Card // nil when the bytes are none
	Profile *Profile   // nil unless the card is valid
	// Digest is the card_digest; "" when Card is nil.
	Digest string
	// Findings are those of the card and then those of compiling it.
	Findings []card.Finding
	// Err says why there is no profile; nil when there is one.
	Err *card.DocumentError
}

// Read parses and compiles body. Whatever is wrong with it is in the
// [Reading]'s Err.
func Read(body []byte, cl *Client, o card.Options) *Reading {
	r := &Reading{}
	c, err := card.Parse(body, o)
	if err != nil {
		r.Err = documentError(err)
		return r
	}
	r.Card, r.Findings = c, c.Findings
	if r.Digest, err = card.Digest(body); err != nil {
		r.Err = documentError(err)
		return r
	}
	if err := c.Err(); err != nil {
		r.Err = documentError(err)
		return r
	}
	profile, findings := Compile(c, cl)
	r.Profile = profile
	r.Findings = append(r.Findings[:len(r.Findings):len(r.Findings)], findings...)
	return r
}

func documentError(err error) *card.DocumentError {
	if d, ok := errors.AsType[*card.DocumentError](err); ok {
		return d
	}
	return &card.DocumentError{State: card.Invalid, Msg: err.Error()}
}
