package laws_test

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
)

// A sketch is the content of a card, apart from the form it is written in:
// what generators draw and mutations change. render makes a document of it.
type sketch struct {
	shape card.Shape // Shape10, Shape03 or ShapeHybrid
	form  sketchForm

	name, description, version string
	organization, site         string // of the provider
	icon, docs                 string
	cardVersion                string // protocolVersion of the card

	endpoints             []endpoint
	legacy                []endpoint // of a hybrid: the endpoints of its 0.3 half
	streaming, push, more tristate   // more: the extended card
	extensions            []extension
	input, output         []string // nil: not there
	schemes               []scheme
	security              *[]alternative // nil: not there
	skills                []skill

	extra, capabilityExtra []jsonMember
}

// A tristate is true, false or not there ("").
type tristate string

// A sketchForm is how things are spelled that have several spellings.
type sketchForm struct {
	flat   bool // schemes with a type, as 0.3 has them
	both   bool // wrapper and flat members side by side, as a2a-python writes them
	bare   bool // scopes as a bare list, as a2a-go writes them
	empty  bool // {} for a scheme without scopes
	legacy bool // requirements as 0.3 has them, under the name of 1.0
	nulls  bool // what is not there is null
}

type endpoint struct {
	url, binding, version, tenant string
	extra                         []jsonMember
}

type extension struct {
	uri, description string
	required         tristate
	params           *jsonTree
	extra            []jsonMember
}

type scheme struct {
	name         string
	kind         card.Kind // KindUnknown is one that nobody can read
	place, param string    // apiKey
	http, format string    // http
	flows        []flow    // oauth2
	metadata     string
	oidc         string
	description  string
	extra        []jsonMember
}

type flow struct {
	grant                         string
	authorize, token, renew, code string
	scopes                        []string
	pkce                          bool
}

// An alternative is one entry of a requirement list; without asks anonymous
// calls are allowed.
type alternative struct {
	asks  []ask
	extra []jsonMember
}

type ask struct {
	scheme string
	scopes []string
}

type skill struct {
	id, name, description string
	tags, examples        []string
	input, output         []string
	security              *[]alternative
}

// clone copies a sketch for a mutation to change.
func (s *sketch) clone() *sketch {
	c := *s
	c.endpoints, c.legacy = slices.Clone(s.endpoints), slices.Clone(s.legacy)
	c.extensions = slices.Clone(s.extensions)
	c.input, c.output = slices.Clone(s.input), slices.Clone(s.output)
	c.schemes = slices.Clone(s.schemes)
	for i := range c.schemes {
		c.schemes[i].flows = slices.Clone(c.schemes[i].flows)
	}
	c.security = cloneSecurity(s.security)
	c.skills = slices.Clone(s.skills)
	for i := range c.skills {
		k := &c.skills[i]
		k.tags, k.examples = slices.Clone(k.tags), slices.Clone(k.examples)
		k.input, k.output = slices.Clone(k.input), slices.Clone(k.output)
		k.security = cloneSecurity(k.security)
	}
	c.extra, c.capabilityExtra = slices.Clone(s.extra), slices.Clone(s.capabilityExtra)
	return &c
}

func cloneSecurity(s *[]alternative) *[]alternative {
	if s == nil {
		return nil
	}
	c := slices.Clone(*s)
	for i := range c {
		c[i].asks = slices.Clone(c[i].asks)
		for j := range c[i].asks {
			c[i].asks[j].scopes = slices.Clone(c[i].asks[j].scopes)
		}
	}
	return &c
}

// render writes the sketch as the document of its shape. What a shape has no
// member for (the tenants of 0.3) is left out.
func (s *sketch) render() *jsonTree {
	doc := object()
	doc.addText("name", s.name)
	doc.addText("description", s.description)
	doc.addText("version", s.version)
	if s.organization != "" || s.site != "" {
		p := object()
		p.addText("organization", s.organization)
		p.addText("url", s.site)
		doc.add("provider", p)
	}
	s.absent(doc, "iconUrl", s.icon == "")
	doc.addText("iconUrl", s.icon)
	doc.addText("documentationUrl", s.docs)
	s.renderEndpoints(doc)
	s.renderCapabilities(doc)
	if s.input != nil {
		doc.add("defaultInputModes", texts(s.input))
	}
	if s.output != nil {
		doc.add("defaultOutputModes", texts(s.output))
	}
	if len(s.schemes) > 0 {
		m := object()
		for _, d := range s.schemes {
			m.add(d.name, s.renderScheme(d))
		}
		doc.add("securitySchemes", m)
	}
	s.renderSecurity(doc, s.security)
	skills := &jsonTree{kind: '[', isSet: true}
	for _, k := range s.skills {
		skills.items = append(skills.items, s.renderSkill(k))
	}
	doc.add("skills", skills)
	doc.members = append(doc.members, s.extra...)
	return doc
}

// absent writes null for a member that is not there, where the form does so.
func (s *sketch) absent(n *jsonTree, name string, is bool) {
	if is && s.form.nulls {
		n.add(name, &jsonTree{kind: 'n'})
	}
}

func (s *sketch) renderEndpoints(doc *jsonTree) {
	old := s.legacy
	if s.shape == card.Shape03 {
		old = s.endpoints
	} else {
		all := list()
		for _, e := range s.endpoints {
			n := object(jsonMember{"url", text(e.url)}, jsonMember{"protocolBinding", text(e.binding)})
			n.addText("protocolVersion", e.version)
			s.absent(n, "tenant", e.tenant == "")
			n.addText("tenant", e.tenant)
			n.members = append(n.members, e.extra...)
			all.items = append(all.items, n)
		}
		doc.add("supportedInterfaces", all)
	}
	if s.shape != card.Shape10 && len(old) > 0 {
		doc.add("url", text(old[0].url))
		doc.addText("preferredTransport", old[0].binding)
		if len(old) > 1 {
			more := list()
			for _, e := range old[1:] {
				more.items = append(more.items, object(append([]jsonMember{{"url", text(e.url)}, {"transport", text(e.binding)}}, e.extra...)...))
			}
			doc.add("additionalInterfaces", more)
		}
	}
	doc.addText("protocolVersion", s.cardVersion)
}

func (s *sketch) renderCapabilities(doc *jsonTree) {
	c := object()
	s.renderFlag(c, "streaming", s.streaming)
	s.renderFlag(c, "pushNotifications", s.push)
	if s.shape == card.Shape03 {
		s.renderFlag(doc, "supportsAuthenticatedExtendedCard", s.more)
	} else {
		s.renderFlag(c, "extendedAgentCard", s.more)
	}
	if len(s.extensions) > 0 {
		all := &jsonTree{kind: '[', isSet: true}
		for _, x := range s.extensions {
			n := object(jsonMember{"uri", text(x.uri)})
			n.addText("description", x.description)
			s.renderFlag(n, "required", x.required)
			if x.params != nil {
				n.add("params", x.params)
			}
			n.members = append(n.members, x.extra...)
			all.items = append(all.items, n)
		}
		c.add("extensions", all)
	}
	c.members = append(c.members, s.capabilityExtra...)
	doc.add("capabilities", c)
}

func (s *sketch) renderFlag(n *jsonTree, name string, f tristate) {
	s.absent(n, name, f == "")
	if f != "" {
		n.add(name, boolean(f == "true"))
	}
}

// wrappers are the members of 1.0 that hold a scheme.
var sketchWrappers = map[card.Kind]string{
	card.KindAPIKey: "apiKeySecurityScheme", card.KindHTTP: "httpAuthSecurityScheme", card.KindOAuth2: "oauth2SecurityScheme",
	card.KindOpenIDConnect: "openIdConnectSecurityScheme", card.KindMutualTLS: "mtlsSecurityScheme",
}

func (s *sketch) renderScheme(d scheme) *jsonTree {
	if d.kind == card.KindUnknown {
		return object(jsonMember{"carrierPigeonSecurityScheme", object()})
	}
	flat := s.shape == card.Shape03 || s.form.flat
	n := object()
	n.addText("description", d.description)
	switch d.kind {
	case card.KindAPIKey:
		n.add(map[bool]string{true: "in", false: "location"}[flat], text(d.place))
		n.add("name", text(d.param))
	case card.KindHTTP:
		n.add("scheme", text(d.http))
		n.addText("bearerFormat", d.format)
	case card.KindOAuth2:
		flows := object()
		for _, f := range d.flows {
			flows.add(f.grant, renderFlow(f))
		}
		n.add("flows", flows)
		n.addText("oauth2MetadataUrl", d.metadata)
	case card.KindOpenIDConnect:
		n.add("openIdConnectUrl", text(d.oidc))
	}
	n.members = append(n.members, d.extra...)
	if flat {
		n.add("type", text(string(d.kind)))
		return n
	}
	out := object(jsonMember{sketchWrappers[d.kind], n})
	if s.form.both && len(d.extra) == 0 {
		out.members = append(out.members, n.clone().members...)
		out.add("type", text(string(d.kind)))
	}
	return out
}

func renderFlow(f flow) *jsonTree {
	scopes := object()
	for _, name := range f.scopes {
		scopes.add(name, text("to "+name))
	}
	n := object(jsonMember{"scopes", scopes})
	n.addText("authorizationUrl", f.authorize)
	n.addText("tokenUrl", f.token)
	n.addText("refreshUrl", f.renew)
	n.addText("deviceAuthorizationUrl", f.code)
	if f.pkce {
		n.add("pkceRequired", boolean(true))
	}
	return n
}

func (s *sketch) renderSecurity(n *jsonTree, security *[]alternative) {
	if security == nil {
		return
	}
	name, old := "securityRequirements", s.form.legacy
	if s.shape == card.Shape03 {
		name, old = "security", true
	}
	all := list()
	for _, a := range *security {
		all.items = append(all.items, s.renderAlternative(a, old))
	}
	n.add(name, all)
}

func (s *sketch) renderAlternative(a alternative, old bool) *jsonTree {
	schemes := object()
	for _, k := range a.asks {
		scopes := texts(k.scopes)
		switch {
		case old || s.form.bare:
			schemes.add(k.scheme, scopes)
		case s.form.empty && len(k.scopes) == 0:
			schemes.add(k.scheme, object())
		default:
			schemes.add(k.scheme, object(jsonMember{"list", scopes}))
		}
	}
	if old {
		return schemes
	}
	return object(append([]jsonMember{{"schemes", schemes}}, a.extra...)...)
}

func (s *sketch) renderSkill(k skill) *jsonTree {
	n := object(jsonMember{"id", text(k.id)})
	n.addText("name", k.name)
	n.addText("description", k.description)
	n.add("tags", texts(k.tags))
	if len(k.examples) > 0 {
		n.add("examples", texts(k.examples))
	}
	for _, m := range []struct {
		name  string
		modes []string
	}{{"inputModes", k.input}, {"outputModes", k.output}} {
		s.absent(n, m.name, m.modes == nil)
		if m.modes != nil {
			n.add(m.name, texts(m.modes))
		}
	}
	s.renderSecurity(n, k.security)
	return n
}

// majorMinor cuts the patch number off.
func majorMinor(version string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}
