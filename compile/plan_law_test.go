package compile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
)

// subset draws some of all, in a drawn order; most often all, so that a draw
// comes far.
func subset[T any](t *rapid.T, label string, all ...T) []T {
	n := len(all)
	if rapid.IntRange(0, 3).Draw(t, "spoil "+label) == 0 {
		n = rapid.IntRange(0, n).Draw(t, "how many "+label)
	}
	return rapid.Permutation(all).Draw(t, label)[:n]
}

// rarely is true in a draw of five.
func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 4).Draw(t, label) == 0 }

func drawSketch(t *rapid.T) *sketch {
	s := &sketch{card: plain(), cl: usual(), call: Call{Skill: rapid.SampledFrom([]string{"quote", "quote", "quote", "book", "gone"}).Draw(t, "skill")}}
	s.card.Interfaces = subset(t, "interfaces",
		entry("JSONRPC", "1.0", "https://a.example/rpc"), entry("HTTP+JSON", "1.0", "https://b.example/rest"), entry("GRPC", "1.0", "c.example:443"))
	s.card.DefaultInputModes = subset(t, "input", "text/plain", "application/json", "image/png")
	s.card.DefaultOutputModes = subset(t, "output", "text/plain", "application/json", "image/png")
	s.extensions(false, subset(t, "optional extensions", "urn:w", "urn:x")...)
	s.extensions(true, subset(t, "required extensions", "urn:y", "urn:z")...)
	s.card.Skills = subset(t, "skills", card.Skill{ID: "quote", Pointer: "/skills/0"}, card.Skill{ID: "book", Pointer: "/skills/1"})
	if rarely(t, "ambiguous") {
		s.card.Skills = append(s.card.Skills, card.Skill{ID: "quote", Pointer: "/skills/2"})
	}
	if rarely(t, "disabled") && len(s.card.Skills) > 0 {
		s.card.Skills[0].Disabled = "odd"
	}
	ways := []map[string][]string{{"oauth": {"a"}}, {"key": nil, "oauth": {"b"}}, {"gate": nil}, {"undeclared": nil}, {}}
	ways = rapid.Permutation(ways).Draw(t, "alternatives")[:rapid.IntRange(0, 2).Draw(t, "how many alternatives")]
	if len(ways) > 0 {
		s.secured(ways...)
	}
	s.cl.Extensions = subset(t, "ours", "urn:w", "urn:x", "urn:y", "urn:z")
	s.cl.Sends = subset(t, "sends", "text/plain", "application/json")
	s.cl.Accepts = subset(t, "accepts", "text/plain", "application/json")
	bound := rapid.SampledFrom([][]string{nil, nil, {"https://a.example:443", "https://c.example:443"}, {"https://b.example:443"}, {}})
	s.cl.Credentials = subset(t, "credentials",
		Credential{Name: "o", Kind: OAuth2, Scopes: []string{"a"}, Origins: bound.Draw(t, "origins of o")},
		Credential{Name: "p", Kind: OAuth2, Scopes: []string{"b"}, Origins: bound.Draw(t, "origins of p")},
		Credential{Name: "k", Kind: APIKey})
	if rapid.Bool().Draw(t, "sent") {
		s.call.Input = subset(t, "what is sent", "text/plain", "application/json")
	}
	if rapid.Bool().Draw(t, "locked") {
		s.call.Lock = drawLimit(t)
	}
	return s
}

func drawLimit(t *rapid.T) *Limit {
	l := &Limit{
		Skills:     subset(t, "locked skills", "quote", "book"),
		Input:      subset(t, "locked input", "text/plain", "application/json"),
		Output:     subset(t, "locked output", "text/plain", "application/json"),
		Extensions: subset(t, "locked extensions", "urn:w", "urn:y"),
		Origins:    subset(t, "origins", "https://a.example", "https://b.example", "https://c.example"),
	}
	if rapid.Bool().Draw(t, "recorded") {
		l.Held = map[string][]string{}
		for _, name := range subset(t, "held", "oauth", "key", "gate") {
			l.Held[name] = subset(t, "scopes", "a", "b")
		}
		if rarely(t, "moved") {
			l.Moved = subset(t, "moved schemes", "oauth", "gate")
		}
		l.Own = subset(t, "own", 0, 1)
	}
	if rarely(t, "breaking") {
		l.Breaking = "the security is another"
	}
	return l
}

func within(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// firstOf is the first of lists that is not empty.
func firstOf(lists ...[]string) []string {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

// thatGo are the credentials that may go to i.
func thatGo(held []Credential, i *Interface) []Credential {
	there := map[string]string{"JSONRPC": "https://a.example:443", "HTTP+JSON": "https://b.example:443", "GRPC": "https://c.example:443"}[i.Binding]
	var list []Credential
	for _, c := range held {
		if c.Origins == nil || slices.Contains(c.Origins, there) {
			list = append(list, c)
		}
	}
	return list
}

// canBeMet is whether lock and client have what one of list asks for, with
// secrets that go where they went.
func canBeMet(list []Alternative, lock *Limit, held []Credential) bool {
	for i, a := range list {
		ok := true
		for name, use := range a.Schemes {
			scopes, recorded := lock.Held[name]
			alone := Alternative{Schemes: map[string]SchemeUse{name: use}}
			ours := Meets(alone, held) && !slices.Contains(lock.Own, i)
			ok = ok && (recorded && within(use.Scopes, scopes) || ours) && !slices.Contains(lock.Moved, name)
		}
		if ok {
			return true
		}
	}
	return false
}

// firstFault is the first step of Plan's comment that does not hold, said a
// second time as plainly as can be; "" when all do.
func firstFault(p *Profile, call Call) string {
	lock, cl := call.Lock, call.Client
	if lock == nil {
		lock = &Limit{Skills: []string{call.Skill}}
	}
	if p.Interface == nil || len(lock.Origins) > 0 && !slices.Contains(lock.Origins, Origin(p.Interface.Binding, p.Interface.URL)) {
		return "interface"
	}
	if !within(p.RequiredExtensions, cl.Extensions) || !within(lock.Extensions, p.Extensions) {
		return "extensions"
	}
	skill, ok := p.Skills[call.Skill]
	if !ok || !slices.Contains(lock.Skills, call.Skill) {
		return "skill"
	}
	judged := len(cl.Credentials) > 0 || lock.Held != nil
	if lock.Breaking != "" || judged && len(skill.Security) > 0 && !canBeMet(skill.Security, lock, thatGo(cl.Credentials, p.Interface)) {
		return "credentials"
	}
	if len(lock.Input) > 0 && !within(call.Input, lock.Input) {
		return "input"
	}
	if skill.Input != nil && (!within(lock.Input, skill.Input) || !meet(firstOf(call.Input, lock.Input, cl.Sends), skill.Input)) {
		return "input"
	}
	if skill.Output != nil && !meet(firstOf(lock.Output, cl.Accepts), skill.Output) {
		return "output"
	}
	return ""
}

// A plan exists if and only if every step holds, and it is made of what both
// sides have.
func TestPlanExistsWhenTheStepsHold(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawSketch(t)
		p, _ := Compile(s.card, s.cl)
		s.call.Client = s.cl
		route, refusal := Plan(p, s.call)
		want := firstFault(p, s.call)
		seen[want]++
		if (route == nil) == (refusal == nil) {
			t.Fatalf("Plan = %v, %v: want exactly one", route, refusal)
		}
		if refusal != nil {
			if refusal.Step != want || refusal.Reason == "" {
				t.Fatalf("refused at %q (%s), want %q", refusal.Step, refusal.Reason, want)
			}
			return
		}
		if want != "" {
			t.Fatalf("planned %+v, want a refusal at %q", route, want)
		}
		skill := p.Skills[s.call.Skill]
		if route.URL != p.Interface.URL || !within(route.Extensions, s.cl.Extensions) || !within(p.RequiredExtensions, route.Extensions) ||
			skill.Output != nil && !within(route.AcceptedOutputModes, skill.Output) {
			t.Fatalf("%+v is not what both sides have", route)
		}
		for name, o := range route.Operations {
			if o.Error == "" != o.Allowed() {
				t.Fatalf("%s: %+v", name, o)
			}
		}
	})
	if seen[""] == 0 {
		t.Errorf("no draw came to a plan: %v", seen)
	}
	t.Log(seen)
}

// A lock only ever takes away: what is planned under a lock is planned without
// one too, by a client that holds what the lock records.
func TestPlanUnderALockIsAPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSketch(t)
		p, _ := Compile(s.card, s.cl)
		s.call.Client = s.cl
		route, _ := Plan(p, s.call)
		if route == nil || s.call.Lock == nil {
			return
		}
		if s.call.Lock.Held != nil { // counts beside what the client names
			s.cl.Credentials = nil
		}
		free := s.call
		free.Lock, free.Input, free.Accepts = nil, firstOf(s.call.Input, s.call.Lock.Input), s.call.Lock.Output
		if again, refusal := Plan(p, free); again == nil {
			t.Fatalf("planned under %+v, and without it: %+v", s.call.Lock, refusal)
		}
	})
}
