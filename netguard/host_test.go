package netguard

import (
	"net/url"
	"testing"
)

func TestOrigin(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"https://H.example/a", "https://h.example:443"},
		{"https://h.example.:443/b?c", "https://h.example:443"},
		{"https://h.example:8443", "https://h.example:8443"},
		{"http://h.example", "http://h.example:80"},
		{"https://[::1]:8443/", "https://[::1]:8443"},
		{"https://h.example:0/", ""},
		{"https://h.example:70000/", ""},
		{"ftp://h.example/", ""},
		{"/relative", ""},
		{"https:///", ""},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != tt.want {
			t.Errorf("Origin(%q) = %q, want %q", tt.url, got, tt.want)
		}
	}
}
