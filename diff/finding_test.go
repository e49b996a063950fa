package diff

import (
	stdjson "encoding/json"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/compile"
)

// Both encoders of JSON that the project's packages use write a finding alike,
// and it reads back to the last digit.
func TestFindingJSON(t *testing.T) {
	f := Finding{
		Rule: "extension-gained", Class: Review, Path: "/declared_extensions/x", Fingerprint: "0123456789abcdef",
		Was: "a text", Now: compile.Extension{Required: true, Params: []byte(`{"n":9007199254740993}`)}, Skills: []string{},
	}
	const want = `{"rule":"extension-gained","class":"review","path":"/declared_extensions/x","was":"a text",` +
		`"now":{"required":true,"params":{"n":9007199254740993}},"skills":[],"message":"","fingerprint":"0123456789abcdef"}`
	std, err := stdjson.Marshal(f)
	if err != nil || string(std) != want {
		t.Errorf("encoding/json: %s, %v, want %s", std, err, want)
	}
	exp, err := json.Marshal([]Finding{f})
	if err != nil || string(exp) != "["+want+"]" {
		t.Errorf("jsontext: %s, %v, want %s", exp, err, want)
	}
	var back Finding
	if err := stdjson.Unmarshal(std, &back); err != nil {
		t.Fatal(err)
	}
	if back.Was != "a text" || back.Class != Review {
		t.Errorf("read back: %+v", back)
	}
	if again, err := stdjson.Marshal(back); err != nil || string(again) != want {
		t.Errorf("written again: %s, %v, want %s", again, err, want)
	}
	var empty Finding
	if err := json.Unmarshal([]byte(`{"was":null}`), &empty); err != nil || empty.Was != nil || empty.Now != nil {
		t.Errorf("nothing: %+v, %v", empty, err)
	}
}
