package card

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Any bytes give a card or a *DocumentError. A card's canonical form is a
// fixed point with the same digest, and it reads as the same card.
func FuzzParse(f *testing.F) {
	f.Add([]byte(card10()))
	f.Add([]byte(card03()))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, Options{})
		if err != nil {
			if _, ok := errors.AsType[*DocumentError](err); !ok || c != nil {
				t.Fatalf("Parse = %v, %T, want a *DocumentError alone", c, err)
			}
			return
		}
		checkLaws(t, "fuzzed", c)
		once, err := Canonical(bytes.TrimPrefix(data, bom))
		if err != nil {
			t.Fatalf("Canonical refuses a card: %v", err)
		}
		twice, err := Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("Canonical(%s) = %s, %v, want the same", once, twice, err)
		}
		a, errA := Digest(data)
		b, errB := Digest(once)
		if errA != nil || errB != nil || a != b {
			t.Fatalf("Digest = %s, %v, and of the canonical form %s, %v", a, errA, b, errB)
		}
		again, err := Parse(once, Options{Bytes: 1 << 30})
		if err != nil {
			t.Fatalf("Parse(%s) = %v, and the original was a card", once, err)
		}
		if x, y := faults(c), faults(again); !slices.Equal(x, y) {
			t.Fatalf("findings %v, and of the canonical form %v", x, y)
		}
		if _, err := Parse(data, Options{Strict: true}); err != nil {
			t.Fatalf("strictly, Parse = %v", err)
		}
	})
}

// faults are the findings without place and order. The canonical form has
// no mark and no number that a double cannot hold.
func faults(c *Card) []string {
	var list []string
	for _, f := range c.Findings {
		if f.Code != "number-precision" && f.Code != "byte-order-mark" {
			list = append(list, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Scope))
		}
	}
	slices.Sort(list)
	return list
}
