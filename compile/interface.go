package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// interfaces is Compiling 3 of docs/design.md: address, binding, version and
// tenant come from one entry and are never mixed (A2A 8.3.2).
func (k *compiler) interfaces(p *Profile) {
	p.Interfaces = make([]Interface, 0, len(k.card.Interfaces))
	count := map[string]int{}
	for _, i := range k.card.Interfaces {
		if i.Disabled != "" {
			continue
		}
		p.Interfaces = append(p.Interfaces, Interface{
			URL: i.URL, Binding: i.ProtocolBinding, Version: i.Version, Tenant: i.Tenant,
		})
		at := "/interfaces/" + jsondoc.Escape(i.ProtocolBinding+"+"+i.Version)
		k.texts.AddHidden(at+"/url", i.URL)
		k.texts.AddHidden(at+"/binding", i.ProtocolBinding)
		k.texts.AddHidden(at+"/tenant", i.Tenant)
		if slices.ContainsFunc(k.client.Interfaces, p.Interfaces[len(p.Interfaces)-1].speaks) {
			k.unknown.AddInOrder(at, count[at], i.Unknown)
		}
		count[at]++
		k.judgeAddress(i)
	}
	if i := choose(p.Interfaces, k.client); i != nil {
		p.Interface = new(*i)
	}
}

// choose returns the first of list, in the order that the client asks for,
// that the client can speak; nil when there is none.
func choose(list []Interface, cl *Client) *Interface {
	if cl.Select == ClientOrder {
		for _, t := range cl.Interfaces {
			if n := slices.IndexFunc(list, func(i Interface) bool { return i.speaks(t) }); n >= 0 {
				return &list[n]
			}
		}
		return nil
	}
	for n, i := range list {
		if slices.ContainsFunc(cl.Interfaces, i.speaks) {
			return &list[n]
		}
	}
	return nil
}

// speaks reports whether t is how i is called: names match exactly (A2A 5.8),
// and an unknown version matches nothing.
func (i Interface) speaks(t Transport) bool {
	return i.Version != "" && i.Binding == t.Binding && i.Version == t.Version
}

// judgeAddress warns of one thing per address. That a private address is not
// encrypted is no second fault.
func (k *compiler) judgeAddress(i card.Interface) {
	path := strings.TrimSuffix(i.Pointer, "/url") + "/url" // a legacy entry may be the card's url itself
	switch host := address.Host(i.ProtocolBinding, i.URL); {
	case address.IsPrivate(host):
		k.warn("unreachable-interface", path,
			fmt.Sprintf("%s names a private or local host, which others cannot reach", say.Show(i.URL)))
	case strings.HasPrefix(NormalizeURL(i.ProtocolBinding, i.URL), "http://"):
		k.warn("insecure-interface", path,
			fmt.Sprintf("%s is not encrypted; agents in production must use TLS (A2A 7.1)", say.Show(i.URL)))
	}
}

// Offered returns the bindings and versions at which the card can be called by
// a client that speaks them: distinct, in the order of Interfaces, without
// entries of unknown version. It is what to add to a client's interfaces when
// the profile has none that the client speaks.
func (p *Profile) Offered() []Transport {
	offered := []Transport{}
	for _, i := range p.Interfaces {
		t := Transport{i.Binding, i.Version}
		if i.Version != "" && !slices.Contains(offered, t) {
			offered = append(offered, t)
		}
	}
	return offered
}

// reason says in one sentence why the profile cannot be used; "" when it can.
func (k *compiler) reason(p *Profile) string {
	var why []string
	if p.Interface == nil {
		why = append(why, k.noInterface(p))
	}
	switch missing := set.Without(p.RequiredExtensions, p.Extensions); len(missing) {
	case 0:
	case 1:
		why = append(why, "the agent requires the extension "+say.Show(missing[0])+", which the client does not implement")
	default:
		why = append(why, "the agent requires extensions that the client does not implement: "+say.Listed(missing))
	}
	return strings.Join(why, "; ")
}

func (k *compiler) noInterface(p *Profile) string {
	if len(p.Interfaces) == 0 {
		var faults []string
		for _, i := range k.card.Interfaces {
			faults = append(faults, i.Pointer+": "+i.Disabled)
		}
		return "no interface can be called: " + cmp.Or(say.Enumerate(faults), "the card lists none")
	}
	offers := make([]string, 0, len(p.Interfaces))
	for _, i := range p.Interfaces {
		version := "of unknown version"
		if i.Version != "" {
			version = say.Show(i.Version)
		}
		offers = append(offers, fmt.Sprintf("%s %s (%s)", say.Show(i.Binding), version, say.Show(i.URL)))
	}
	return "no interface that the client speaks: the card offers " + say.Enumerate(offers)
}
