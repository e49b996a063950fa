package set

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	given := []string{"b", "a", "b", ""}
	if got := Of(given); !slices.Equal(got, []string{"", "a", "b"}) || given[0] != "b" {
		t.Errorf("Of = %q, and of its argument it made %q", got, given)
	}
	if got := Of(nil); got == nil || len(got) != 0 {
		t.Errorf("Of(nil) = %#v, want an empty list", got)
	}
}

func TestWithout(t *testing.T) {
	for _, tt := range []struct{ a, b, want []string }{
		{nil, nil, nil},
		{[]string{"a"}, []string{"a"}, nil},
		{nil, []string{"a"}, nil},
		{[]string{"c", "a", "b", "c"}, []string{"b"}, []string{"c", "a", "c"}},
	} {
		got := Without(tt.a, tt.b)
		if !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("Without(%q, %q) = %#v, want %#v", tt.a, tt.b, got, tt.want)
		}
	}
	a := []string{"a", "b"}
	if Without(a, nil)[0] = "changed"; a[0] != "a" {
		t.Error("Without shares its argument")
	}
}
