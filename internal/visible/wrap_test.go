package visible

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"a b", 5, []string{"a b"}},
		{"abc de", 5, []string{"abc", "de"}},
		{"abcdefgh i jklmno", 5, []string{"abcdefgh", "i", "jklmno"}},
		{"ä ö ü", 3, []string{"ä ö", "ü"}},
		{"a  b", 9, []string{"a  b"}},
	} {
		if got := Wrap(c.in, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}
