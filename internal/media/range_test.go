package media

import "testing"

func TestAccepts(t *testing.T) {
	for _, tt := range []struct {
		list string
		mode string
		want bool
	}{
		{"text/plain", "text/plain", true},
		{"*/*", "text/plain", true},
		{"text/*", "text/plain", true},
		{"text/*", "text/plain; charset=utf-8", true},
		{"text/*", "application/json", false},
		{"text/*", "textual/plain", false},
		{"text/*;level=1", "text/plain", false},
		{"*", "text/plain", false},
		{"text/plain", "text/*", false},
		{"*/*", "pigeon", false},
	} {
		if got := Accepts([]string{"image/png", tt.list}, tt.mode); got != tt.want {
			t.Errorf("Accepts(%q, %q) = %v, want %v", tt.list, tt.mode, got, tt.want)
		}
		if got := len(Refused([]string{tt.mode}, []string{"image/png", tt.list})) == 0; got != tt.want {
			t.Errorf("%q is refused by %q: %v, want %v", tt.mode, tt.list, !got, !tt.want)
		}
	}
}
