// Package compile turns an Agent Card into what one client can use of it.
//
// [Compile] takes a [card.Card] and a [Client] and gives the [Profile]: the
// interface that is chosen, the media types and the security of each skill
// after inheritance, the flags and the extensions, everything normalised so
// that two profiles can be compared member by member. A card that the client
// cannot call still compiles; the profile then says why in Reason.
//
// Maps are keyed by what the card's author named (skill ids, scheme names,
// extension URIs). The pointers in Texts and Unknown use the same names,
// escaped as RFC 6901 has it, and never an index, so that a reordered card
// compiles to the same profile:
//
//	/name                                  the agent's name
//	/skills/ID/tags                        a skill's tags, all of them
//	/interfaces/BINDING+VERSION/url        an address
//	/declared_extensions/URI/uri           an extension's name
//	/schemes/NAME/MEMBER                   an unknown member of a scheme
//	/security/NAME+NAME/MEMBER             … of a card-level requirement
//	/skills/ID/security/NAME+NAME/MEMBER   … of a skill's own requirement
//
// [Profile.Digest] is the profile_digest of a lock.
package compile

import (
	"bytes"
	"maps"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
)

// Compile compiles c for cl (docs/design.md, Compiling 3 to 7). Neither is
// changed. Parts of the profile may share slices and maps with each other and
// with c, so callers do not write to it. The findings are those that depend on
// the client or on what the card is used for, in the order of the card: aliases
// taken, addresses that are open or private. Those of the document itself are
// in c.Findings.
//
// Compile does not judge c.Err: of an invalid card it compiles what is there.
func Compile(c *card.Card, cl *Client) (*Profile, []card.Finding) {
	k := &compiler{card: c, client: cl, texts: newTexts(len(c.Skills)), unknown: unknown{}}
	p := &Profile{
		Shape:        c.Shape,
		Name:         c.Name,
		AgentVersion: c.Version,
		Streaming:    c.Capabilities.Streaming,
		Push:         c.Capabilities.PushNotifications,
		ExtendedCard: c.Capabilities.ExtendedAgentCard,
		Disabled:     map[string]string{},
		Ambiguous:    []string{},
		Sources:      map[string]card.Source{},
	}
	maps.Copy(p.Sources, c.Sources)
	if c.Provider != nil {
		p.Provider = new(*c.Provider)
	}
	k.interfaces(p)
	k.extensions(p)
	k.schemes(p)
	k.skills(p)
	k.identity()
	p.Texts, p.Unknown = k.texts.finish(), k.unknown.finish()
	p.Reason = k.reason(p)
	p.Usable = p.Reason == ""
	return p, k.findings
}

// A compiler holds what is gathered on the way through one card.
type compiler struct {
	card     *card.Card
	client   *Client
	defined  map[string]Scheme // what requirements may name
	texts    texts
	unknown  unknown
	findings []card.Finding
}

func (k *compiler) warn(code, path, message string) {
	k.findings = append(k.findings, card.Finding{Code: code, Severity: card.Warning, Path: path, Message: message})
}

// identity notes the texts about the agent itself.
func (k *compiler) identity() {
	k.texts.add("/name", k.card.Name)
	k.texts.add("/description", k.card.Description)
	k.texts.addHidden("/agent_version", k.card.Version)
	k.texts.addHidden("/icon_url", k.card.IconURL)
	k.texts.addHidden("/documentation_url", k.card.DocumentationURL)
	if p := k.card.Provider; p != nil {
		k.texts.addHidden("/provider/organization", p.Organization)
		k.texts.addHidden("/provider/url", p.URL)
	}
}

// extensions is Compiling 7 of docs/design.md. A URI that is declared twice is
// required if one of its entries says so; which params count then must not
// depend on their order.
func (k *compiler) extensions(p *Profile) {
	p.Extensions, p.RequiredExtensions = []string{}, []string{}
	p.DeclaredExtensions = make(map[string]Extension, len(k.card.Capabilities.Extensions))
	for _, e := range k.card.Capabilities.Extensions {
		at := "/declared_extensions/" + jsondoc.Escape(e.URI)
		k.texts.addHidden(at+"/uri", e.URI)
		k.texts.addHidden(at+"/description", e.Description)
		k.unknown.add(at, e.Unknown)
		now := Extension{Required: e.Required, Params: e.Params}
		if was, repeated := p.DeclaredExtensions[e.URI]; repeated {
			now.Required = now.Required || was.Required
			if bytes.Compare(was.Params, now.Params) > 0 {
				now.Params = was.Params
			}
		}
		p.DeclaredExtensions[e.URI] = now
	}
	k.unknown.add("/capabilities", k.card.Capabilities.Unknown)
	for _, uri := range slices.Sorted(maps.Keys(p.DeclaredExtensions)) {
		if slices.Contains(k.client.Extensions, uri) {
			p.Extensions = append(p.Extensions, uri)
		}
		if p.DeclaredExtensions[uri].Required {
			p.RequiredExtensions = append(p.RequiredExtensions, uri)
		}
	}
}
