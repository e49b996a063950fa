package pace

import (
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	var l Lines[int]
	const most = 2
	var begun []int
	holds := func(i int) bool { return i != 5 } // which was taken back meanwhile
	for i := range 7 {
		if l.Enter("a.example", i, most) {
			begun = append(begun, i)
		}
	}
	if !l.Enter("b.example", 0, most) {
		t.Error("one host waits for another")
	}
	if want := []int{0, 1, 2, 3}; !slices.Equal(begun, want) {
		t.Fatalf("begun at once: %v, want %v", begun, want)
	}
	for range 6 {
		if next, ok := l.Leave("a.example", holds); ok {
			if !l.Enter("a.example", next, most) {
				t.Fatalf("%d waits for itself", next)
			}
			begun = append(begun, next)
		}
	}
	if want := []int{0, 1, 2, 3, 4, 6}; !slices.Equal(begun, want) {
		t.Errorf("begun: %v, want all in their order", begun)
	}
	if _, ok := l.Leave("b.example", holds); ok || len(l.byHost) != 0 {
		t.Errorf("%d hosts are remembered that have nothing to do", len(l.byHost))
	}
}
