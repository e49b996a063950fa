package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/operation"
)

// A Call is one call of one skill that somebody would like to make.
type Call struct {
	// Client is the one that the profile was compiled for. A nil one sends and
	// accepts nothing.
	Client *Client
	Skill  string
	// Input are the media types that would be sent, Accepts those that can be
	// used, the best first. Empty means the lock's, and without one the client's.
	Input, Accepts []string
	Lock           *Limit // nil when no lock is asked
}

// A Limit is what a lock has to say of a [Call]; diff.Limit makes it. An empty
// member limits nothing, but for Skills and Held.
type Limit struct {
	Skills        []string // that may be called
	Input, Output []string // what the lock requires of the skill
	Extensions    []string
	Origins       []string // to which calls may go, as [Origin] writes them
	// Held are the card's schemes that the lock records, with the scopes that it
	// records. Nil means that it does not record what the skill asks for.
	Held map[string][]string
	// Moved are schemes in Held with an address at another origin than recorded.
	Moved []string
	// Own are the alternatives of the skill, by index, of the schemes that the
	// lock meant to use: for them what it records counts, and nothing else that
	// the client holds.
	Own []int
	// Breaking is why the skill's security breaks the lock; "" when it does not.
	Breaking string
}

// A Route is how a [Call] is made.
type Route struct {
	URL     string `json:"url"`
	Binding string `json:"binding"`
	Version string `json:"version"` // Major.Minor
	Tenant  string `json:"tenant"`  // to be echoed in every request; "" for none
	// Headers go with every request, each value as a line of its own: not every
	// server splits at commas. Over GRPC they are metadata, in lower case.
	Headers map[string][]string `json:"headers"`
	// Credential is the name of the client's credential to use, several that
	// are needed together joined by "+"; "" when none is needed, or none known.
	Credential string `json:"credential"`
	// AcceptedOutputModes are what both sides have, in our order.
	AcceptedOutputModes []string `json:"accepted_output_modes"`
	Delivery            string   `json:"delivery"`   // "stream", "push" or "poll"
	Extensions          []string `json:"extensions"` // active URIs, sorted
	// Operations says of every operation what the card foretells.
	Operations map[string]Outcome `json:"operations"`
	// Notes say, a line each, what had to be taken on trust.
	Notes []string `json:"-"`
}

// An Outcome is the error that an operation would meet; the zero value is none.
type Outcome = operation.Outcome

// A Refusal says at which step of [Plan] a call ends, and why in one sentence.
type Refusal struct {
	Step   string `json:"step"`
	Reason string `json:"reason"`
}

// Plan says how call is made, or the first step at which it would fail, so that
// no request is sent which the card already refuses. Exactly one result is nil.
//
//   - interface: the profile has one; under a lock, at an origin that it allows.
//   - extensions: the client implements what the agent requires; under a lock,
//     what the lock requires is active too.
//   - skill: the card has it, once and readable; so does the lock.
//   - credentials: the first alternative is taken that can be met with those
//     that the client names, as far as they may go to the interface's origin, and
//     with what the lock records. Without either nothing is judged. Under a lock,
//     the schemes that it meant ask for no scope that it does not record, whatever
//     the client holds, secrets go to no other origin than recorded, and what
//     breaks the lock ends the plan.
//   - input: a type that would be sent is accepted; under a lock, all of the
//     lock's are, and no other is sent.
//   - output: a type that can be used is offered.
//
// Media types that the card declares nowhere are unknown, not empty: ours are
// taken for theirs, and a note says so. That a lock requires what this call does
// not need is no step: whether the agent still streams is for a comparison to
// say. Delivery is the first of the client's order that both sides can do.
func Plan(p *Profile, call Call) (*Route, *Refusal) {
	k := planning{profile: p, call: call, client: cmp.Or(call.Client, &Client{}), lock: cmp.Or(call.Lock, &Limit{})}
	k.held = k.client.HeldFor(p.Interface)
	for _, step := range []struct {
		name   string
		refuse func() string
	}{
		{"interface", k.noInterface},
		{"extensions", k.noExtension},
		{"skill", k.noSkill},
		{"credentials", k.noCredential},
		{"input", k.noInput},
		{"output", k.noOutput},
	} {
		if why := step.refuse(); why != "" {
			return nil, &Refusal{step.name, why}
		}
	}
	return k.route(), nil
}

// A planning gathers what the steps settle. Each returns why it ends the plan, or "".
type planning struct {
	profile *Profile
	call    Call
	client  *Client
	lock    *Limit // without a lock, one that limits nothing
	// held are the client's credentials that may go to the profile's interface.
	held []Credential

	skill      Skill
	credential string
	output     []string
	notes      []string
}

// Headers are those that go with every call over the chosen interface, as in
// [Route]. Without an interface there are none.
func (p *Profile) Headers() map[string][]string {
	if p.Interface == nil {
		return nil
	}
	version := p.Interface.Version
	headers := map[string][]string{"A2A-Version": {version}}
	if len(p.Extensions) > 0 {
		name := "A2A-Extensions"
		if strings.HasPrefix(version, "0.") {
			name = "X-" + name // as it was called up to 0.3
		}
		headers[name] = slices.Clone(p.Extensions)
	}
	return headers
}

func (k *planning) route() *Route {
	p, i := k.profile, k.profile.Interface
	return &Route{
		URL: i.URL, Binding: i.Binding, Version: i.Version, Tenant: i.Tenant,
		Headers:             p.Headers(),
		Credential:          k.credential,
		AcceptedOutputModes: k.output,
		Delivery:            k.delivery(),
		Extensions:          slices.Clone(p.Extensions),
		Operations: operation.Foretell(operation.Agent{
			Binding: i.Binding, Version: i.Version,
			Streaming: p.Streaming, Push: p.Push, ExtendedCard: p.ExtendedCard,
		}),
		Notes: k.notes,
	}
}

// delivery compiles docs/design.md, Compiling 8.
func (k *planning) delivery() string {
	able := map[string]bool{
		"stream": k.profile.Streaming && k.client.Streaming,
		"push":   k.profile.Push && k.client.PushEndpoint != "",
		"poll":   true,
	}
	order := append(slices.Clone(k.client.Delivery), "poll") // which always works
	if k.client.Delivery == nil {
		order = []string{"stream", "push", "poll"}
	}
	return order[slices.IndexFunc(order, func(way string) bool { return able[way] })]
}
