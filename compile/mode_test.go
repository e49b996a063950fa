package compile

import "testing"

func TestDefaultAliasesIsANewMap(t *testing.T) {
	DefaultAliases()["text"] = "changed"
	if got := DefaultAliases()["text"]; got != "text/plain" {
		t.Errorf("DefaultAliases()[%q] = %q, want %q", "text", got, "text/plain")
	}
}
