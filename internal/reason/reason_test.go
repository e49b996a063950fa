package reason

import (
	"fmt"
	"testing"

	"github.com/a2alock/a2alock/internal/envelope"
)

// Each error has every name of its own, and shares none with another.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range names {
		if ofReason(n.reason) != n.reason || ofCode(n.code) != n.reason || Code(n.reason) != n.code {
			t.Errorf("%+v is not found by its names", n)
		}
		if n.class != "" && ofClass(n.class) != n.reason {
			t.Errorf("class %s is %q", n.class, ofClass(n.class))
		}
		for _, word := range []string{n.reason, fmt.Sprint(n.code), n.class} {
			if word != "" && seen[word] {
				t.Errorf("%s names two errors", word)
			}
			seen[word] = true
		}
	}
	for alias, to := range aliases {
		if Code(to) == 0 {
			t.Errorf("%s stands for %s, which is no error", alias, to)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for word, want := range map[string]string{
		"OUT_OF_TEA": "OUT_OF_TEA", "INTERNAL": InternalError, "": "", "out of tea": "", "A\u202eB": "", "see https://x.example": "",
	} {
		if got := ofReason(word); got != want {
			t.Errorf("ofReason(%q) = %q, want %q", word, got, want)
		}
	}
	for uri, want := range map[string]string{
		problems + "version-not-supported": VersionNotSupported, problems + "internal-error": InternalError,
		problems + "task-not-cancelable-error": TaskNotCancelable, problems + "unsupported-content-type": ContentTypeNotSupported,
		problems + "out-of-tea": "", problems: "", "https://x.example/errors/task-not-found": "",
		problems + "unauthenticated": unauthenticated,
	} {
		if got := ofProblem(uri); got != want {
			t.Errorf("ofProblem(%q) = %q, want %q", uri, got, want)
		}
	}
	if ofClass("") != "" || ofClass("Exception") != "" || ofCode(0) != "" || ofCode(-32000) != "" {
		t.Error("what has no name got one")
	}
}

// Whether a 401 or 403 is about who called.
func TestChallenge(t *testing.T) {
	for _, tt := range []struct {
		refusal       Refusal
		status        int
		wants, denied bool
	}{
		{Refusal{}, 401, true, false},
		{Refusal{}, 403, true, true},
		{Refusal{}, 404, false, false},
		{Refusal{Reason: InternalError, Basis: ByCode}, 401, true, false},
		{Refusal{Reason: InternalError, Basis: ByReason}, 401, false, false},
		{Refusal{Reason: ExtendedAgentCardNotConfigured, Basis: ByCode}, 403, false, false},
		{Refusal{Reason: TaskNotFound, Basis: ByStatus}, 403, true, true},
		{Refusal{Reason: TaskNotFound, Basis: ByClass}, 403, false, false},
		{Refusal{Reason: unauthorized, Basis: ByReason}, 200, true, true},
		{Refusal{Reason: unauthenticated, Basis: ByCode}, 200, true, false},
		{Refusal{Status: "UNAUTHENTICATED"}, 0, true, false},
		{Refusal{Status: "PERMISSION_DENIED"}, 0, true, true},
		{Refusal{Status: "PERMISSION_DENIED", Reason: VersionNotSupported, Basis: ByReason}, 0, false, false},
	} {
		if wants, denied := tt.refusal.Challenge(tt.status); wants != tt.wants || denied != tt.denied {
			t.Errorf("%+v with %d: %v, %v; want %v, %v", tt.refusal, tt.status, wants, denied, tt.wants, tt.denied)
		}
	}
}

func TestIsAgents(t *testing.T) {
	for _, tt := range []struct {
		refusal Refusal
		want    bool
	}{
		{Refusal{}, false},
		{Refusal{Message: "Bad Gateway"}, false},
		{Refusal{Framed: true}, true},
		{Refusal{Framed: true, Status: "UNAVAILABLE"}, false},
		{Refusal{Reason: InternalError, Framed: true, Status: "UNAVAILABLE"}, true},
		{Refusal{Framed: true, Status: "FAILED_PRECONDITION"}, true},
	} {
		if got := tt.refusal.IsAgents(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.refusal, got, tt.want)
		}
	}
}

// A name comes from the surest place, whichever are there.
func TestPrecedence(t *testing.T) {
	const info = `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","reason":"VERSION_NOT_SUPPORTED"}]`
	o, err := envelope.Parse([]byte(`{"code":-32001,"status":"INTERNAL","details":` + info + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := ofAIP193(o, About{}); r.Reason != VersionNotSupported || r.Basis != ByReason {
		t.Errorf("with all: %+v", r)
	}
	delete(o, "details")
	if r := ofAIP193(o, About{}); r.Reason != TaskNotFound || r.Basis != ByCode {
		t.Errorf("without details: %+v", r)
	}
	delete(o, "code")
	if r := ofAIP193(o, About{}); r.Reason != InternalError || r.Basis != ByStatus {
		t.Errorf("with a status alone: %+v", r)
	}
}
