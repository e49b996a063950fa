package compile

import (
	"slices"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	cl := &Client{Interfaces: []Transport{{"JSONRPC", "1.0"}, {"HTTP+JSON", "1.0"}}}
	rpc := Interface{URL: "https://agent.example/a2a", Binding: "JSONRPC", Version: "1.0"}
	rest := Interface{URL: "https://agent.example/rest", Binding: "HTTP+JSON", Version: "1.0"}
	p := &Profile{
		Usable: true, Interface: &rpc, Interfaces: []Interface{rpc, rest},
		Streaming: true, Push: true, ExtendedCard: true,
		Skills: map[string]Skill{"quote": {Input: []string{"application/json", "text/plain"}}, "book": {Input: []string{"text/plain"}}},
	}
	same := p.Without(Refuted{}, cl)
	if !same.Streaming || !same.Push || !same.ExtendedCard || same.Interface.URL != rpc.URL {
		t.Errorf("nothing refuted: %+v", same)
	}
	q := p.Without(Refuted{
		Streaming: true, Push: true, ExtendedCard: true,
		Interfaces: []Interface{{URL: "https://AGENT.example:443/a2a", Binding: "JSONRPC", Version: "1.0"}},
		Input:      map[string][]string{"quote": {"text/plain"}, "none": {"text/plain"}},
	}, cl)
	if q.Streaming || q.Push || q.ExtendedCard {
		t.Errorf("flags are still on: %+v", q)
	}
	if q.Interface == nil || q.Interface.URL != rest.URL || !q.Usable {
		t.Errorf("interface = %+v, want the next", q.Interface)
	}
	if got := q.Skills["quote"].Input; !slices.Equal(got, []string{"application/json"}) {
		t.Errorf("quote takes %q", got)
	}
	if len(p.Skills["quote"].Input) != 2 || len(q.Skills["book"].Input) != 1 || !p.Streaming {
		t.Errorf("others were changed: %+v", p)
	}
	if got := q.Skills["quote"].Refused; !slices.Equal(got, []string{"text/plain"}) || p.Skills["quote"].Refused != nil {
		t.Errorf("quote is known to refuse %q", got)
	}
	none := p.Without(Refuted{Interfaces: []Interface{rpc, rest}}, cl)
	if none.Usable || none.Reason == "" || none.Interface != nil {
		t.Errorf("without any interface: %+v", none)
	}
}

// A type that callers were refused is not sent, whatever else the card says of
// what the skill takes.
func TestPlanWithoutInput(t *testing.T) {
	for _, tt := range []struct {
		name    string
		accepts []string // nil: the card does not say
		sends   []string
		lock    []string // nil: no lock is asked
		refuted []string
		want    string // in the refusal; "" for none
	}{
		{name: "named", accepts: []string{"text/plain"}, sends: []string{"text/plain"}, refuted: []string{"text/plain"}, want: "the skill accepts none (callers were refused text/plain), and what would be sent is text/plain"},
		{name: "of a range", accepts: []string{"application/*"}, sends: []string{"application/json"}, refuted: []string{"application/json"}, want: "the skill accepts application/* (callers were refused application/json), and what would be sent is application/json"},
		{name: "of a range and named", accepts: []string{"*/*", "text/plain"}, sends: []string{"text/plain"}, refuted: []string{"text/plain"}, want: "callers were refused text/plain"},
		{name: "of a range, in a lock", accepts: []string{"*/*"}, sends: []string{"text/plain", "application/json"}, lock: []string{"application/json", "text/plain"}, refuted: []string{"text/plain"}, want: "the lock requires text/plain to be accepted, and the skill accepts */* (callers were refused text/plain)"},
		{name: "in another spelling", accepts: []string{"application/*"}, sends: []string{"application/json"}, refuted: []string{"JSON"}, want: "callers were refused application/json"},
		{name: "of what the card does not say", sends: []string{"text/plain"}, refuted: []string{"text/plain"}, want: "the card does not say what the skill accepts (callers were refused text/plain)"},
		{name: "another of the range is left", accepts: []string{"application/*"}, sends: []string{"application/json", "application/pdf"}, refuted: []string{"application/json"}},
		{name: "another that the card does not say", sends: []string{"text/plain", "application/json"}, refuted: []string{"text/plain"}},
		{name: "of no lock's", accepts: []string{"*/*"}, sends: []string{"text/plain"}, lock: []string{"application/json"}, refuted: []string{"text/plain"}},
		{name: "another type", accepts: []string{"text/*"}, sends: []string{"text/plain"}, refuted: []string{"text/csv"}},
		{name: "a parameter makes another type", accepts: []string{"text/*"}, sends: []string{"text/plain"}, refuted: []string{"text/plain;v=2"}},
		{name: "of another skill", accepts: []string{"text/*"}, sends: []string{"text/plain"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cl := &Client{Sends: tt.sends, Accepts: []string{"text/plain"}, Aliases: map[string]string{"json": "application/json"}}
			p := &Profile{
				Usable: true, Interface: &Interface{URL: "https://agent.example/a2a", Binding: "JSONRPC", Version: "1.0"},
				Skills: map[string]Skill{"quote": {Input: tt.accepts, Output: []string{"text/plain"}}, "book": {}},
			}
			call := Call{Client: cl, Skill: "quote"}
			if tt.lock != nil {
				call.Lock = &Limit{Skills: []string{"quote"}, Input: tt.lock}
			}
			if _, refusal := Plan(p, call); refusal != nil {
				t.Fatalf("refused before: %+v", refusal)
			}
			input := map[string][]string{"book": {"text/plain"}}
			if tt.refuted != nil {
				input["quote"] = tt.refuted
			}
			_, refusal := Plan(p.Without(Refuted{Input: input}, cl), call)
			switch {
			case tt.want == "" && refusal != nil:
				t.Errorf("refused: %+v", refusal)
			case tt.want != "" && (refusal == nil || refusal.Step != "input" || !strings.Contains(refusal.Reason, tt.want)):
				t.Errorf("refusal = %+v, want %q", refusal, tt.want)
			}
		})
	}
}
