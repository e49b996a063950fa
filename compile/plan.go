package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	// Lock is how far a lock lets the call go; nil when no lock is asked.
	Lock *Limit
}

// A Route is how a [Call] is made.
type Route struct {
	URL     string `json:"url"`
	Binding string `json:"binding"`
	Version string `json:"version"` // Major.Minor
	Tenant  string `json:"tenant"`  // to be echoed in every request; "" for none
	// Headers are what to send with every request, each value as a line of its
	// own: not every server splits at commas. GRPC carries them as metadata,
	// with the names in lower case.
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

// A Refusal says at which step a [Plan] ended, and why in one sentence. Text of
// the card in it is quoted where it could deceive.
type Refusal struct {
	Step   string `json:"step"`
	Reason string `json:"reason"`
}

// The values of [Refusal.Step], in the order in which they are taken.
const (
	StepInterface   = "interface"
	StepExtensions  = "extensions"
	StepSkill       = "skill"
	StepCredentials = "credentials"
	StepInput       = "input"
	StepOutput      = "output"
)

// Plan says how call is made, or at which step it would fail: the first one
// that does, so that no request is sent which the card already refuses.
// Exactly one of the results is nil.
//
//   - interface: the profile has one; under a lock, at an origin that it allows.
//   - extensions: the client implements what the agent requires; under a lock,
//     what the lock requires is active too.
//   - skill: the card has it, once and readable; under a lock, the lock
//     requires it.
//   - credentials: when the client names credentials, they meet one of the
//     skill's alternatives, the first such one is taken. When it names none, it
//     holds what the lock records, and without a record nothing is judged. Under
//     a lock, tokens are asked for at no other origin than recorded.
//   - input: one of the types to be sent is accepted; under a lock, every one
//     of the lock's is, and no other is sent.
//   - output: one of the types that can be used is offered.
//
// Media types that the card declares nowhere are unknown, not empty: ours are
// taken for theirs, and a note says so.
//
// What a lock requires and the call does not need is no step: whether the agent
// still streams is for a comparison to say. [Route].Delivery is the first of the
// client's order that both sides can do. Polling always works.
func Plan(p *Profile, call Call) (*Route, *Refusal) {
	k := planning{profile: p, call: call, client: cmp.Or(call.Client, &Client{}), lock: cmp.Or(call.Lock, &Limit{})}
	for _, step := range []struct {
		name   string
		refuse func() string
	}{
		{StepInterface, k.noInterface},
		{StepExtensions, k.noExtension},
		{StepSkill, k.noSkill},
		{StepCredentials, k.noCredential},
		{StepInput, k.noInput},
		{StepOutput, k.noOutput},
	} {
		if why := step.refuse(); why != "" {
			return nil, &Refusal{step.name, why}
		}
	}
	return k.route(), nil
}

// A planning gathers what the steps settle. Each step returns why it ends the
// plan, or "".
type planning struct {
	profile *Profile
	call    Call
	client  *Client
	lock    *Limit // without a lock, one that limits nothing

	skill      Skill
	credential string
	output     []string
	notes      []string
}

func (k *planning) note(format string, args ...any) {
	k.notes = append(k.notes, fmt.Sprintf(format, args...))
}

func (k *planning) noInterface() string {
	i := k.profile.Interface
	switch {
	case i == nil:
		return cmp.Or(k.profile.Reason, "the profile has no interface")
	case !k.lock.allows(Origin(i.Binding, i.URL)):
		return fmt.Sprintf("calls and credentials would go to %s, and the lock allows %s alone",
			show(i.URL), enumerate(shown(k.lock.Origins)))
	}
	return ""
}

func (k *planning) noExtension() string {
	p := k.profile
	if !p.Usable {
		return cmp.Or(p.Reason, "the profile is not usable")
	}
	for _, uri := range k.lock.Extensions {
		if _, declared := p.DeclaredExtensions[uri]; !declared {
			return fmt.Sprintf("the lock requires the extension %s, which the card does not declare", show(uri))
		}
		if !slices.Contains(p.Extensions, uri) {
			return fmt.Sprintf("the lock requires the extension %s, which the client does not implement", show(uri))
		}
	}
	return ""
}

func (k *planning) noSkill() string {
	p, id := k.profile, k.call.Skill
	if k.call.Lock != nil && !slices.Contains(k.lock.Skills, id) {
		return fmt.Sprintf("the lock does not require the skill %s, but %s", show(id), offered(k.lock.Skills, id))
	}
	if slices.Contains(p.Ambiguous, id) {
		return fmt.Sprintf("the card has the skill %s more than once, and nobody can tell which of them answers", show(id))
	}
	if why, ok := p.Disabled[id]; ok {
		return fmt.Sprintf("the skill %s is disabled by an error in the card: %s", show(id), why)
	}
	skill, ok := p.Skills[id]
	if !ok {
		return fmt.Sprintf("the card has no skill %s, but %s", show(id), offered(keys(p.Skills), id))
	}
	k.skill = skill
	return ""
}

func (k *planning) noCredential() string {
	list, held := k.skill.Security, k.client.Credentials
	if len(list) == 0 {
		return ""
	}
	meets, lacks := k.lock.covers, "what the lock records"
	switch {
	case len(held) > 0:
		meets, lacks = func(a Alternative) bool { return Meets(a, held) }, "what the client holds"
	case k.lock.Held == nil:
		if !slices.ContainsFunc(list, func(a Alternative) bool { return len(a.Schemes) == 0 }) {
			k.note("the skill asks for %s; the client names no credentials, so they are not judged", asked(list))
		}
		return ""
	}
	stays := func(a Alternative) bool { return meets(a) && !k.lock.movedAway(a) }
	way := slices.IndexFunc(list, func(a Alternative) bool { return stays(a) && k.lock.covers(a) })
	if way < 0 { // what the lock records is not what the client uses
		way = slices.IndexFunc(list, stays)
	}
	switch {
	case way >= 0:
		k.credential = names(list[way], held)
		return ""
	case slices.ContainsFunc(list, meets):
		return fmt.Sprintf("credentials would go to another origin than the lock records: the skill asks for %s", asked(list))
	}
	return fmt.Sprintf("the skill asks for %s, which is more than %s", asked(list), lacks)
}

func (k *planning) noInput() string {
	locked, sent := k.modes(k.lock.Input), k.modes(k.call.Input)
	if beyond := without(sent, locked); len(locked) > 0 && len(beyond) > 0 {
		return fmt.Sprintf("the lock does not require %s to be accepted, but %s alone", enumerate(shown(beyond)), enumerate(shown(locked)))
	}
	theirs := k.skill.Input
	if theirs == nil {
		k.note("the card does not say which media types the skill accepts: what is sent is taken for accepted")
		return ""
	}
	if lost := without(locked, theirs); len(lost) > 0 {
		return fmt.Sprintf("the lock requires %s, and the skill accepts %s", enumerate(shown(lost)), enumerate(shown(theirs)))
	}
	ours := firstOf(sent, locked, k.modes(k.client.Sends))
	if len(without(ours, theirs)) == len(ours) {
		return fmt.Sprintf("nothing of what is sent (%s) is accepted: the skill takes %s",
			cmp.Or(enumerate(shown(ours)), "nothing"), enumerate(shown(theirs)))
	}
	return ""
}

func (k *planning) noOutput() string {
	ours := firstOf(k.modes(k.call.Accepts), k.modes(k.lock.Output), k.modes(k.client.Accepts))
	theirs := k.skill.Output
	if theirs == nil {
		k.note("the card does not say which media types the skill answers in: it is asked for all that can be used")
		k.output = ours
		return ""
	}
	k.output = without(ours, without(ours, theirs))
	if len(k.output) == 0 {
		return fmt.Sprintf("nothing of what can be used (%s) is offered: the skill answers in %s",
			cmp.Or(enumerate(shown(ours)), "nothing"), enumerate(shown(theirs)))
	}
	return ""
}

func (k *planning) route() *Route {
	p, i := k.profile, k.profile.Interface
	headers := map[string][]string{"A2A-Version": {i.Version}}
	if len(p.Extensions) > 0 {
		name := "A2A-Extensions"
		if i.before1() {
			name = "X-A2A-Extensions" // as it was called up to 0.3
		}
		headers[name] = slices.Clone(p.Extensions)
	}
	return &Route{
		URL: i.URL, Binding: i.Binding, Version: i.Version, Tenant: i.Tenant,
		Headers:             headers,
		Credential:          k.credential,
		AcceptedOutputModes: k.output,
		Delivery:            k.delivery(),
		Extensions:          slices.Clone(p.Extensions),
		Operations:          foretell(p),
		Notes:               k.notes,
	}
}

// before1 reports whether i speaks a version before 1.0.
func (i *Interface) before1() bool { return strings.HasPrefix(i.Version, "0.") }

// delivery compiles docs/design.md, Compiling 8.
func (k *planning) delivery() string {
	order := k.client.Delivery
	if order == nil {
		order = []string{"stream", "push", "poll"}
	}
	for _, way := range order {
		switch {
		case way == "stream" && k.profile.Streaming && k.client.Streaming,
			way == "push" && k.profile.Push && k.client.PushEndpoint != "",
			way == "poll":
			return way
		}
	}
	return "poll"
}
