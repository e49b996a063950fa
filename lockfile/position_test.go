package lockfile

import (
	"slices"
	"testing"
)

func TestPosition(t *testing.T) {
	text := []byte("{\n  \"agent\": \"https://agent.example/card.json\",\n  \"requires\": {\n    \"skills\": {}\n  }\n}\n")
	for pointer, want := range map[string][2]int{
		"/agent": {2, 3}, "/requires/skills": {4, 5}, "/requires/streaming": {3, 3}, "/trust/keys": {1, 1},
	} {
		if line, column, ok := Position(text, pointer); !ok || line != want[0] || column != want[1] {
			t.Errorf("Position(%s) = %d:%d %v, want %v", pointer, line, column, ok, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	l, err := Parse([]byte(`{
		"agent": "https://agent.example/card.json", "x": 1, "a/b": 2,
		"interface": {"binding": "GRPC", "version": "1.0", "i": 1},
		"requires": {"r": 1, "skills": {"q/1": {"input": ["a/b"], "output": ["a/b"], "n": 1}}},
		"verified": {"push": {"result": "ok", "v": 1}}, "trust": {"t": 1}, "policy": {"p": 1},
		"waivers": [{"rule": "a"}, {"rule": "b", "w": 1}]}`), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/a~1b", "/x", "/interface/i", "/requires/r", "/requires/skills/q~11/n", "/verified/push/v", "/trust/t", "/policy/p", "/waivers/1/w",
	}
	if got := l.Unknown(); !slices.Equal(got, want) {
		t.Errorf("Unknown = %q, want %q", got, want)
	}
}
