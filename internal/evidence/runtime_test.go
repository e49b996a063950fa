package evidence

import (
	"slices"
	"strings"
	"testing"
)

func TestRuntime(t *testing.T) {
	long := strings.Repeat("x", MaxText+1)
	for _, tt := range []struct {
		r     Runtime
		fault string
		kind  string
	}{
		{Runtime{Error: "UnsupportedOperationError"}, "", "UnsupportedOperationError"},
		{Runtime{Error: "MyError", Detail: long[1:]}, "", "other"},
		{Runtime{}, `error: want the name of an A2A error, such as "UnsupportedOperationError"`, "other"},
		{Runtime{Error: long}, "error: over 1000 bytes", "other"},
		{Runtime{Error: "x", Method: long}, "method: over 1000 bytes", "other"},
		{Runtime{Error: "x", Skill: long}, "skill: over 1000 bytes", "other"},
		{Runtime{Error: "x", Detail: long}, "detail: over 1000 bytes", "other"},
	} {
		fault := ""
		if err := tt.r.Check(); err != nil {
			fault = err.Error()
		}
		if fault != tt.fault || tt.r.Kind() != tt.kind {
			t.Errorf("%.50v: %q of kind %s, want %q, %s", tt.r, fault, tt.r.Kind(), tt.fault, tt.kind)
		}
	}
}

func TestReports(t *testing.T) {
	const typ, version = "ContentTypeNotSupportedError", "VersionNotSupportedError"
	sends := []string{"application/json", "text/plain"}
	for _, tt := range []struct {
		r    Runtime
		want []string
	}{
		{Runtime{Error: "UnsupportedOperationError", Method: "SendStreamingMessage"}, []string{""}},
		{Runtime{Error: version}, []string{"JSONRPC 1.0 u"}},
		{Runtime{Error: typ, Skill: "s"}, sends},
		{Runtime{Error: typ, Skill: "s", Detail: "no text/plain here"}, []string{"text/plain"}},
		{Runtime{Error: typ, Skill: "s", Detail: "no image/png here"}, sends},
	} {
		var got []string
		for _, r := range tt.r.Reports("JSONRPC 1.0 u", sends) {
			got = append(got, r.Value)
			if r.Error != tt.r.Error || r.Method != tt.r.Method || r.Skill != tt.r.Skill || r.Detail != tt.r.Detail {
				t.Errorf("%v became %v", tt.r, r)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v is about %q, want %q", tt.r, got, tt.want)
		}
	}
	if got := (&Runtime{Error: typ, Skill: "s"}).Reports("", nil); len(got) != 1 || got[0].Value != "" {
		t.Errorf("a lock that sends nothing to the skill: %v", got)
	}
}
