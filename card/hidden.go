package card

import (
	"fmt"
	"slices"
)

// Hidden returns the invisible characters of s, each once and sorted by code
// point, as "U+200B"; nil when there are none. See [IsHidden].
func Hidden(s string) []string {
	var runes []rune
	for _, r := range s {
		if IsHidden(r) {
			runes = append(runes, r)
		}
	}
	slices.Sort(runes)
	var names []string
	for _, r := range slices.Compact(runes) {
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	return names
}

// IsHidden reports whether r cannot be seen and can therefore hide or forge
// text: controls but tab and newline, the soft hyphen, zero-width and invisible
// operators, bidi embeddings, overrides and isolates, and tag characters.
// Joiners, variation selectors and the marks of honest right-to-left text
// (U+200C–200F, U+061C) are not hidden.
func IsHidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n':
		return false
	case r < 0x20, 0x7F <= r && r <= 0x9F: // C0, DEL, C1
		return true
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x200B, r == 0xFEFF,
		0x2060 <= r && r <= 0x2064,
		0x202A <= r && r <= 0x202E, // embeddings and overrides
		0x2066 <= r && r <= 0x2069, // isolates
		0xE0000 <= r && r <= 0xE007F:
		return true
	}
	return false
}
