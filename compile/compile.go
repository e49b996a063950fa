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
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/member"
	"github.com/a2alock/a2alock/internal/set"
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
	k := &compiler{card: c, client: cl, texts: member.NewTexts(2 + 4*len(c.Skills)), unknown: member.NewUnknown()}
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
	p.Texts, p.Unknown = k.texts.Finish(), k.unknown.Finish()
	p.Reason = k.reason(p)
	p.Usable = p.Reason == ""
	return p, k.findings
}

// A compiler holds what is gathered on the way through one card.
type compiler struct {
	card     *card.Card
	client   *Client
	defined  map[string]Scheme // what requirements may name
	texts    member.Texts
	unknown  member.Unknown
	findings []card.Finding
}

func (k *compiler) warn(code, path, message string) {
	k.findings = append(k.findings, card.Finding{Code: code, Severity: card.Warning, Path: path, Message: message})
}

// identity notes the texts about the agent itself.
func (k *compiler) identity() {
	k.texts.Add("/name", k.card.Name)
	k.texts.Add("/description", k.card.Description)
	k.texts.AddHidden("/agent_version", k.card.Version)
	k.texts.AddHidden("/icon_url", k.card.IconURL)
	k.texts.AddHidden("/documentation_url", k.card.DocumentationURL)
	if p := k.card.Provider; p != nil {
		k.texts.AddHidden("/provider/organization", p.Organization)
		k.texts.AddHidden("/provider/url", p.URL)
	}
}

// extensions is Compiling 7 of docs/design.md. A URI that is declared twice is
// required if one of its entries says so; where their params differ, nobody knows
// which count, so all do, whatever their order.
func (k *compiler) extensions(p *Profile) {
	p.Extensions, p.RequiredExtensions = []string{}, []string{}
	p.DeclaredExtensions = make(map[string]Extension, len(k.card.Capabilities.Extensions))
	params := map[string][]jsontext.Value{}
	for _, e := range k.card.Capabilities.Extensions {
		at := "/declared_extensions/" + jsondoc.Escape(e.URI)
		k.texts.AddHidden(at+"/uri", e.URI)
		k.texts.AddHidden(at+"/description", e.Description)
		k.unknown.Add(at, e.Unknown)
		now := Extension{Required: e.Required}
		if was, repeated := p.DeclaredExtensions[e.URI]; repeated {
			now.Required = now.Required || was.Required
		}
		p.DeclaredExtensions[e.URI] = now
		if len(e.Params) > 0 {
			params[e.URI] = append(params[e.URI], e.Params)
		}
	}
	for uri, list := range params {
		x := p.DeclaredExtensions[uri]
		x.Params = member.Merge(list)
		p.DeclaredExtensions[uri] = x
	}
	k.unknown.Add("/capabilities", k.card.Capabilities.Unknown)
	declared := slices.Sorted(maps.Keys(p.DeclaredExtensions))
	foreign := set.Without(declared, k.client.Extensions)
	p.Extensions = append(p.Extensions, set.Without(declared, foreign)...)
	for _, uri := range declared {
		if p.DeclaredExtensions[uri].Required {
			p.RequiredExtensions = append(p.RequiredExtensions, uri)
		}
	}
}
