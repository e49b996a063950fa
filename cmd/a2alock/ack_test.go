package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// An episode that opens after a person looked is not acknowledged: nobody has seen
// it.
func TestAckOfWhatOpensMeanwhile(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s was sent, and no episode was seen", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id": "quote", "class": "compatible", "freshness": "fresh"}`)
	}))
	defer server.Close()
	t.Chdir(t.TempDir())
	if code, _ := typed(t, "ack", "quote", "--reason", "known", "--author", "me", "--daemon", server.URL); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
}
