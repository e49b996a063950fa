package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/a2alock/a2alock/internal/say"
)

// A Refuted is what callers found not to hold although the card says it.
type Refuted struct {
	Streaming, Push, ExtendedCard bool
	// Interfaces are the addresses whose version was refused.
	Interfaces []Interface
	// Input are media types that a skill did not take, by its id, in any
	// spelling.
	Input map[string][]string
}

// Without is the profile for cl without what was refuted: with the flags off,
// the next interface that cl speaks, and fewer media types: also one that is
// of a range that stays is refused by a plan. p is not changed.
func (p *Profile) Without(r Refuted, cl *Client) *Profile {
	q := *p
	q.Streaming = p.Streaming && !r.Streaming
	q.Push = p.Push && !r.Push
	q.ExtendedCard = p.ExtendedCard && !r.ExtendedCard
	for id, types := range r.Input {
		s, ok := q.Skills[id]
		if !ok {
			continue
		}
		s.Refused, _ = modes(types, cl.Aliases)
		s.Input = slices.DeleteFunc(slices.Clone(s.Input), func(t string) bool { return slices.Contains(s.Refused, t) })
		q.Skills = maps.Clone(q.Skills)
		q.Skills[id] = s
	}
	if p.Interface == nil || len(r.Interfaces) == 0 {
		return &q
	}
	refused := func(i Interface) bool {
		return slices.ContainsFunc(r.Interfaces, func(o Interface) bool { return o.at(i) })
	}
	q.Interfaces = slices.DeleteFunc(slices.Clone(p.Interfaces), refused)
	q.Interface = choose(q.Interfaces, cl)
	if q.Interface == nil && q.Usable {
		q.Usable = false
		q.Reason = fmt.Sprintf("callers were refused at %s with its version, and the client speaks no other interface", say.Show(p.Interface.URL))
	}
	return &q
}

// at reports whether i and o are one interface: binding, version and URL.
func (i Interface) at(o Interface) bool {
	return i.Binding == o.Binding && i.Version == o.Version && NormalizeURL(i.Binding, i.URL) == NormalizeURL(o.Binding, o.URL)
}
