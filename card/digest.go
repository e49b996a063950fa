package card

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// Canonical returns the RFC 8785 form of one JSON value in a new slice. What
// that form cannot carry is an error: a repeated member, a lone surrogate,
// invalid UTF-8, a number outside double range, data after the value, or a
// byte order mark.
func Canonical(raw []byte) ([]byte, error) { return jsondoc.Canonical(raw) }

// Digest returns the card_digest of a card as received: [Sum] over the
// canonical form without the top-level member "signatures", so that signing
// again changes nothing. A leading byte order mark is skipped.
func Digest(raw []byte) (string, error) {
	b, err := jsondoc.Canonical(bytes.TrimPrefix(raw, bom))
	if err != nil {
		return "", err
	}
	b, err = jsondoc.Without(b, "signatures")
	if err != nil {
		return "", err
	}
	return Sum(b), nil
}

// Sum returns "sha256:" and the hex digits of the SHA-256 of b.
func Sum(b []byte) string {
	h := sha256.Sum256(b)
	const name = "sha256:"
	var text [len(name) + 2*len(h)]byte
	hex.Encode(text[copy(text[:], name):], h[:])
	return string(text[:])
}
