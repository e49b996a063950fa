package security

import (
	"fmt"
	"slices"
	"testing"

	"github.com/a2alock/a2alock/compile"
)

// A credential counts where it may be sent to the interface that is called.
func TestCredentialsCountByOrigin(t *testing.T) {
	here, there := &compile.Interface{Binding: "JSONRPC", URL: "https://agent.example/a2a"}, &compile.Interface{Binding: "GRPC", URL: "grpc.example:8443"}
	gone, added := way("k", key("X")), way("o", oauth("https://id.example/t"), "read")
	list := func(a ...compile.Alternative) []compile.Alternative { return a }
	credential := func(origins ...string) *compile.Client {
		return &compile.Client{Credentials: []compile.Credential{{Name: "o", Kind: compile.OAuth2, Scopes: []string{"read"}, Origins: origins}}}
	}
	const agent, grpc = "https://agent.example:443", "https://grpc.example:8443"
	word := Skill{ID: "s", Now: list(added), Scopes: []string{}} // that the lock does not record
	for _, tt := range []struct {
		name  string
		skill Skill
		who   Holder
		want  []Rule
		held  string
	}{
		{"anywhere", Skill{}, Holder{Client: credential(), Now: here}, []Rule{AlternativeSwitched}, "map[]"},
		{"here", Skill{}, Holder{Client: credential(agent), Now: here}, []Rule{AlternativeSwitched}, "map[]"},
		{"here, over gRPC", Skill{}, Holder{Client: credential(agent, grpc), Now: there}, []Rule{AlternativeSwitched}, "map[]"},
		{"elsewhere", Skill{}, Holder{Client: credential("https://other.example:443"), Now: here}, []Rule{Unsatisfiable}, "map[]"},
		{"where calls went", Skill{}, Holder{Client: credential(agent), Was: here, Now: there}, []Rule{Unsatisfiable}, "map[]"},
		{"another port", Skill{}, Holder{Client: credential("https://agent.example:8443"), Now: here}, []Rule{Unsatisfiable}, "map[]"},
		{"plain http", Skill{}, Holder{Client: credential("http://agent.example:443"), Now: here}, []Rule{Unsatisfiable}, "map[]"},
		{"without an interface", Skill{}, Holder{Client: credential("https://other.example:443")}, []Rule{AlternativeSwitched}, "map[]"},
		{"in words alone, here", word, Holder{Client: credential(agent), Now: here}, nil, "map[o:[read]]"},
		{"in words alone, elsewhere", word, Holder{Client: credential(grpc), Now: here}, []Rule{Unsatisfiable}, "map[]"},
		{"in words alone, of nobody", word, Holder{Now: here}, []Rule{ScopeRequired}, "map[o:[]]"},
	} {
		s := tt.skill
		if s.ID == "" {
			s = Skill{ID: "s", Recorded: true, Was: list(gone), Now: list(added)}
		}
		r := New([]Skill{s}, tt.who)
		var got []Rule
		for _, c := range r.Changes() {
			got = append(got, c.Rule)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		scopes, _ := r.Held("s", map[string]compile.Scheme{"o": oauth("https://id.example/t")})
		if held := fmt.Sprint(scopes); held != tt.held {
			t.Errorf("%s: Held = %s, want %s", tt.name, held, tt.held)
		}
	}
}

// What the lock records counts wherever the credential may go: where calls go is
// for the rules about interfaces.
func TestRecordCountsAnywhere(t *testing.T) {
	same := []compile.Alternative{way("k", key("X"))}
	cl := &compile.Client{Credentials: []compile.Credential{{Name: "k", Kind: compile.APIKey, Origins: []string{"https://other.example:443"}}}}
	r := New([]Skill{{ID: "s", Recorded: true, Was: same, Now: same}}, Holder{Client: cl, Now: &compile.Interface{Binding: "JSONRPC", URL: "https://agent.example"}})
	if c := r.Changes(); len(c) != 0 {
		t.Errorf("changes = %+v, want none", c)
	}
}

// The way that a lock meant is found by what its credentials were for, and stays
// that where calls go elsewhere now.
func TestMeantByWhereCallsWent(t *testing.T) {
	ways := []compile.Alternative{way("k", key("X")), way("o", oauth("https://id.example/t"))}
	cl := &compile.Client{Credentials: []compile.Credential{
		{Name: "o", Kind: compile.OAuth2, Origins: []string{"https://old.example:443"}},
		{Name: "k", Kind: compile.APIKey, Origins: []string{"https://new.example:443"}},
	}}
	was, now := &compile.Interface{Binding: "JSONRPC", URL: "https://old.example/"}, &compile.Interface{Binding: "JSONRPC", URL: "https://new.example/"}
	r := New([]Skill{{ID: "s", Recorded: true, Was: ways, Now: ways}}, Holder{Client: cl, Was: was, Now: now})
	if own := r.Own("s"); !slices.Equal(own, []int{1}) {
		t.Errorf("Own = %v, want the way that was met before", own)
	}
}
