package card

import (
	"slices"
	"testing"
)

func TestHidden(t *testing.T) {
	tests := []struct {
		name string
		s    string
		want []string
	}{
		{"plain", "Prices journeys.\n\tAll of them.", nil},
		{"Arabic", "\u0645\u0631\u062d\u0628\u0627\u200f (2)\u200e \u061c", nil},
		{"Persian with a joiner", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", nil},
		{"emoji with joiner and selector", "👩\u200d💻❤\ufe0f", nil},
		{"no-break space", "a\u00a0b", nil},
		{"escape and return", "\x1b[2J\r", []string{"U+000D", "U+001B"}},
		{"each once, sorted", "\u202eb\u200ba\u200b", []string{"U+200B", "U+202E"}},
		{"DEL and C1", "\x7f\u0080\u009f", []string{"U+007F", "U+0080", "U+009F"}},
		{"soft hyphen and mark", "a\u00adb\ufeff", []string{"U+00AD", "U+FEFF"}},
		{"invisible operators", "\u2060\u2061\u2062\u2063\u2064", []string{"U+2060", "U+2061", "U+2062", "U+2063", "U+2064"}},
		{"tags", "\U000E0041\U000E007F\U000E0080", []string{"U+E0041", "U+E007F"}},
	}
	for _, tt := range tests {
		if got := Hidden(tt.s); !slices.Equal(got, tt.want) {
			t.Errorf("%s: Hidden(%+q) = %v, want %v", tt.name, tt.s, got, tt.want)
		}
	}
}

// The ranges, at their edges.
func TestIsHidden(t *testing.T) {
	for _, r := range []rune{0, 0x08, 0x0B, 0x1F, 0x7F, 0x9F, 0xAD, 0x200B, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0xFEFF, 0xE0000, 0xE007F} {
		if !IsHidden(r) {
			t.Errorf("IsHidden(%U) = false", r)
		}
	}
	for _, r := range []rune{'\t', '\n', ' ', '~', 0xA0, 0xAC, 0xAE, 0x61C, 0x200A, 0x200C, 0x200D, 0x200E, 0x200F, 0x2029, 0x202F, 0x205F, 0x2065, 0x206A, 0xFE0F, 0xDFFFF, 0xE0080, 0xE0100} {
		if IsHidden(r) {
			t.Errorf("IsHidden(%U) = true", r)
		}
	}
}
