package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// People paste reports, so an address keeps its secrets out of all text.
func TestTextHoldsNoSecret(t *testing.T) {
	const u = "https://me:s3cret@a.example/rpc?api_key=s3cret"
	r := New([]*diff.Result{{
		Lock: &lockfile.Lock{Path: "a.a2a.lock.json", Agent: u}, State: diff.Checked, Decided: true, Class: diff.Breaking,
		Findings: []diff.Finding{
			{Rule: "interface-url-changed", Class: diff.Review, Path: "/interface/url", Was: u, Now: compile.Interface{URL: u}, Message: `it was "` + u + `"`},
			{Rule: "interface-origin-changed", Class: diff.Breaking, Path: "/interface/url", Was: []string{u}, Now: u, Message: u + " is another origin"},
			{Rule: "interface-insecure", Class: diff.Breaking, Path: "/interface/url", Was: u, Now: u, Message: u, Waived: &diff.Waived{}},
		},
	}}, diff.Breaking, nil)
	var text, markdown bytes.Buffer
	if err := r.Text(&text, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{text.String(), markdown.String()} {
		if strings.Contains(got, "s3cret") || !strings.Contains(got, "https://REDACTED@a.example/rpc?api_key=REDACTED") {
			t.Errorf("a secret, or no address at all, in\n%s", got)
		}
	}
}
