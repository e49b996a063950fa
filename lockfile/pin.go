package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/shape"
)

// PinOptions say what to pin. Skills, Input, Output, Extensions, Streaming and
// Push add to what Old requires.
type PinOptions struct {
	// Old is the lock to renew; nil makes a new one. It is not changed.
	Old *Lock

	Skills []string
	// Input and Output name media types for Skills, or for all required skills
	// where Skills is empty. Without them a new skill gets what both sides have.
	Input, Output   []string
	Extensions      []string
	Streaming, Push bool

	// Workflow, Owner, Fallback, Agent and Identity replace those of Old where they
	// are not "".
	Workflow, Owner, Fallback, Agent, Identity string

	CardDigest string    // of the card that was compiled
	At         time.Time // when; the zero time is not recorded
	// Refresh renews pinned_at although nothing else changed.
	Refresh bool
}

// Pin makes the lock that requires what o says of the agent whose card
// compiled to p for the client cl. With [PinOptions.Old] it renews that lock:
// what was required stays required, also where the agent no longer offers it.
// The notes say, one line each, what a person should know of the outcome. The
// new lock shares with Old what it keeps, so neither is changed afterwards.
//
// The error joins all refusals: [*UnusableError], [*NoSkillError],
// [*SkillError], [*EmptyError], [*UndeclaredError], [*ModeError],
// [*NotOfferedError], or a [*Fault] for an address that no lock may hold.
func Pin(p *compile.Profile, cl *compile.Client, o PinOptions) (*Lock, []string, error) {
	pin := pinning{profile: p, client: cl, opts: o, old: cmp.Or(o.Old, &Lock{})}
	pin.input = normalised(o.Input, cl.Aliases)
	pin.output = normalised(o.Output, cl.Aliases)
	if err := pin.refuse(); err != nil {
		return nil, nil, err
	}
	l := pin.lock()
	pin.skills(l)
	pin.extras(l)
	if err := errors.Join(pin.errs...); err != nil {
		return nil, nil, err
	}
	pin.notes = append(pin.notes, l.Beyond(cl)...)
	ids := l.RequiredSkills()
	l.ProfileDigest = p.Digest(ids)
	l.Profile = p.ForLock(ids)
	if err := pin.secrets(l); err != nil {
		return nil, nil, err
	}
	if o.Old != nil {
		if err := pin.renew(l); err != nil {
			return nil, nil, err
		}
	}
	return l, pin.notes, nil
}

// A pinning is one run of [Pin].
type pinning struct {
	profile       *compile.Profile
	client        *compile.Client
	opts          PinOptions
	old           *Lock // an empty lock for a new one
	input, output []string
	notes         []string
	errs          []error
}

func (pin *pinning) note(format string, args ...any) {
	pin.notes = append(pin.notes, fmt.Sprintf(format, args...))
}

func (pin *pinning) fail(err error) { pin.errs = append(pin.errs, err) }

// refuse returns why nothing can be pinned, whatever the skills.
func (pin *pinning) refuse() error {
	p := pin.profile
	if !p.Usable || p.Interface == nil {
		return &UnusableError{cmp.Or(p.Reason, "it has no interface that the client speaks")}
	}
	if len(pin.opts.Skills) == 0 && len(pin.old.Requires.Skills) == 0 {
		return &NoSkillError{slices.Sorted(maps.Keys(p.Skills))}
	}
	if msg := agentURL(pin.agent()); msg != "" {
		return &Fault{Pointer: "/agent", Msg: msg}
	}
	return nil
}

func (pin *pinning) agent() string { return cmp.Or(pin.opts.Agent, pin.old.Agent) }

// lock returns the new lock without its skills, profile and evidence.
func (pin *pinning) lock() *Lock {
	p, o, l := pin.profile, pin.opts, *pin.old
	l.LockVersion = 1
	l.Workflow = cmp.Or(o.Workflow, l.Workflow)
	l.Owner = cmp.Or(o.Owner, l.Owner)
	l.Fallback = cmp.Or(o.Fallback, l.Fallback)
	l.Agent = pin.agent()
	l.Identity = cmp.Or(o.Identity, l.Identity)
	if !o.At.IsZero() {
		l.PinnedAt = o.At.UTC().Format(time.RFC3339)
	}
	l.CardDigest = o.CardDigest
	l.AgentVersion = p.AgentVersion
	l.Interface = &Interface{
		Binding: p.Interface.Binding, Version: p.Interface.Version,
		URL: p.Interface.URL, Tenant: p.Interface.Tenant,
	}
	if pin.old.Interface != nil {
		l.Interface.Extra = pin.old.Interface.Extra
	}
	l.Requires.Skills = maps.Clone(l.Requires.Skills)
	if l.Requires.Skills == nil {
		l.Requires.Skills = make(map[string]Need)
	}
	l.Verified = maps.Clone(l.Verified)
	return &l
}

// skills fills in what is required of each skill.
func (pin *pinning) skills(l *Lock) {
	named := set.Of(pin.opts.Skills)
	for _, id := range named {
		if _, kept := l.Requires.Skills[id]; !kept {
			if n, ok := pin.newNeed(id); ok {
				l.Requires.Skills[id] = n
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(pin.old.Requires.Skills)) {
		add := len(named) == 0 || slices.Contains(named, id)
		l.Requires.Skills[id] = pin.keptNeed(id, pin.old.Requires.Skills[id], add)
	}
}

// skill returns a skill of the profile, or fails with the reason why there is
// none.
func (pin *pinning) skill(id string) (compile.Skill, bool) {
	s, ok := pin.profile.Skills[id]
	if !ok {
		ids := nearest.Sort(slices.Collect(maps.Keys(pin.profile.Skills)), id)
		pin.fail(&SkillError{Skill: id, Reason: pin.absence(id), IDs: ids})
	}
	return s, ok
}

// absence says why the profile lacks a skill that the card may have; "" where
// the card has none of that id.
func (pin *pinning) absence(id string) string {
	if slices.Contains(pin.profile.Ambiguous, id) {
		return "ambiguous: the card has it more than once"
	}
	if reason, ok := pin.profile.Disabled[id]; ok {
		return "disabled: " + reason
	}
	return ""
}

// newNeed returns what to require of a skill that was not required before.
func (pin *pinning) newNeed(id string) (Need, bool) {
	s, ok := pin.skill(id)
	if !ok {
		return Need{}, false
	}
	before := len(pin.errs)
	var n Need
	var open []string
	n.Input = pin.modes(id, "input", pin.input, s.Input, normalised(pin.client.Sends, pin.client.Aliases))
	n.Output = pin.modes(id, "output", pin.output, s.Output, normalised(pin.client.Accepts, pin.client.Aliases))
	if s.Input == nil && n.Input == nil {
		open = append(open, "input")
	}
	if s.Output == nil && n.Output == nil {
		open = append(open, "output")
	}
	if len(open) > 0 {
		pin.fail(&UndeclaredError{id, open})
	}
	n.Input = set.Of(n.Input)
	n.Assumed = s.Input == nil || s.Output == nil
	n.Schemes, n.Scopes = pin.security(id, s, Need{})
	return n, len(pin.errs) == before
}

// modes returns what to require of one direction: the types asked for, which
// the skill must offer unless it declares none at all, else what both sides
// have in the client's order. Nil means that it cannot be known. A range such as
// text/* takes what is of it, and promises nothing.
func (pin *pinning) modes(id, direction string, asked, theirs, ours []string) []string {
	if theirs == nil {
		pin.judge(direction, asked)
		return asked
	}
	lacks := set.Without
	if direction == "input" {
		lacks = media.Refused
	}
	if len(asked) > 0 {
		if missing := lacks(asked, theirs); len(missing) > 0 {
			pin.fail(&EmptyError{Skill: id, Direction: direction, Ours: missing, Theirs: theirs, Asked: true})
		}
		return asked
	}
	both := set.Without(ours, lacks(ours, theirs))
	if len(both) == 0 {
		pin.fail(&EmptyError{Skill: id, Direction: direction, Ours: ours, Theirs: theirs})
	}
	return both
}

// judge wants media types of what is to be assumed: no card speaks for it. Each
// is refused once, however many skills it is for.
func (pin *pinning) judge(direction string, asked []string) {
	for _, m := range asked {
		fault := &ModeError{Direction: direction, Mode: m}
		said := func(e error) bool { return e.Error() == fault.Error() }
		if !media.Is(m) && !slices.ContainsFunc(pin.errs, said) {
			pin.fail(fault)
		}
	}
}

// secrets refuses addresses of the card that no lock may hold, and notes a
// query of the one that calls go to.
func (pin *pinning) secrets(l *Lock) error {
	root, err := tree(l)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(lockShape().Faults(root), func(f shape.Fault) bool { return f.Msg != secretFault })
	if u := redact.URL(l.Interface.URL); len(list) == 0 && u != l.Interface.URL {
		pin.note("the interface's URL has what looks like a secret in it, and the lock holds it as it is: %s", u)
	}
	return faults("", list)
}

// extras adds the capabilities and extensions that were asked for.
func (pin *pinning) extras(l *Lock) {
	p, o := pin.profile, pin.opts
	for _, flag := range []struct {
		name  string
		asked bool
		has   bool
		into  *bool
	}{
		{"streaming", o.Streaming, p.Streaming, &l.Requires.Streaming},
		{"push", o.Push, p.Push, &l.Requires.Push},
	} {
		switch {
		case flag.has:
			*flag.into = *flag.into || flag.asked
		case flag.asked && !*flag.into:
			pin.fail(&NotOfferedError{What: flag.name})
		case *flag.into:
			pin.note("the lock still requires %s, which the card no longer declares", flag.name)
		}
	}
	declared := slices.Sorted(maps.Keys(p.DeclaredExtensions))
	for _, uri := range set.Of(o.Extensions) {
		if !slices.Contains(declared, uri) && !slices.Contains(l.Requires.Extensions, uri) {
			pin.fail(&NotOfferedError{What: "extension", URI: uri, Theirs: declared})
		}
	}
	for _, uri := range set.Without(l.Requires.Extensions, declared) {
		pin.note("the lock still requires extension %s, which the card no longer declares", quote(uri))
	}
	l.Requires.Extensions = set.Of(slices.Concat(l.Requires.Extensions, o.Extensions))
}

// normalised returns modes in their normal form, each once, in order; nil for
// none.
func normalised(modes []string, aliases map[string]string) []string {
	var out []string
	for _, m := range modes {
		m, _ = compile.NormalizeMode(m, aliases)
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// sameBytes reports whether two locks are written alike.
func sameBytes(a, b *Lock) (bool, error) {
	x, err := Format(a)
	if err != nil {
		return false, err
	}
	y, err := Format(b)
	return bytes.Equal(x, y), err
}
