package nearest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("ä", 1000)
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"quote", "quote", 0},
		{"quote", "Quote", 0},
		{"quote", "qoute", 2},
		{"quote", "quotes", 1},
		{"kitten", "sitting", 3},
		{"für", "fur", 1},
		{long, long + "x", 0},
		{long, "", 64},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%.20q, %.20q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringN(0, 20, -1)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if Distance(a, a) != 0 || Distance(a, b) != Distance(b, a) || Distance(a, c) > Distance(a, b)+Distance(b, c) {
			t.Fatalf("%q, %q, %q: %d, %d, %d", a, b, c, Distance(a, b), Distance(b, c), Distance(a, c))
		}
	})
}

func TestSort(t *testing.T) {
	names := []string{"quote", "book", "a", "quotes", "b"}
	want := []string{"quotes", "quote", "book", "a", "b"}
	if got := Sort(names, "qoutes"); !slices.Equal(got, want) {
		t.Errorf("Sort(%q, %q) = %q, want %q", names, "qoutes", got, want)
	}
	if names[0] != "quote" {
		t.Error("Sort changed its argument")
	}
	if got := Sort(nil, "x"); len(got) != 0 {
		t.Errorf("Sort(nil) = %q", got)
	}
}
