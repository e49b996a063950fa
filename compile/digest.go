package compile

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/set"
)

// Digest returns the profile_digest over the named skills; nil means all that
// p holds in full. A skill that is named and not in p is left out. A profile
// and its [Profile.ForLock] give the same digest over the required skills.
//
// To recompute it from a profile in JSON: take the object of usable, interface,
// streaming, push, extended_card, extensions, required_extensions, and skills
// with no more than input, output and security of each skill counted (input
// and output absent where the profile has none). In it
//
//   - reduce interface to url, binding, version and tenant, or null;
//   - drop what this version does not know, and every scheme's reason: it is
//     a2alock's wording;
//   - put interface.url and every address in a scheme into the form of
//     [NormalizeURL];
//   - sort extensions, required_extensions, input, output and scopes, and each
//     security list by the canonical bytes of its alternatives; equal ones
//     count once.
//
// The digest is "sha256:" and the hex SHA-256 of its RFC 8785 form.
func (p *Profile) Digest(skills []string) string {
	form := digestForm{
		Usable:             p.Usable,
		Streaming:          p.Streaming,
		Push:               p.Push,
		ExtendedCard:       p.ExtendedCard,
		Extensions:         set.Of(p.Extensions),
		RequiredExtensions: set.Of(p.RequiredExtensions),
		Skills:             make(map[string]skillForm, len(p.Skills)),
	}
	if i := p.Interface; i != nil {
		form.Interface = &Interface{
			URL: NormalizeURL(i.Binding, i.URL), Binding: i.Binding, Version: i.Version, Tenant: i.Tenant,
		}
	}
	for id, s := range p.Skills {
		if skills == nil || slices.Contains(skills, id) {
			form.Skills[id] = s.form()
		}
	}
	return card.Sum(canonical(form))
}

// SkillDigest returns the digest of a skill's input, output and security, in
// the form that they have in [Profile.Digest]. For a skill that the profile of
// a lock holds as a digest only it returns that one, for any other "".
func (p *Profile) SkillDigest(id string) string {
	if s, ok := p.Skills[id]; ok {
		return card.Sum(canonical(s.form()))
	}
	return p.OtherSkills[id]
}

type digestForm struct {
	Usable             bool                 `json:"usable"`
	Interface          *Interface           `json:"interface"`
	Streaming          bool                 `json:"streaming"`
	Push               bool                 `json:"push"`
	ExtendedCard       bool                 `json:"extended_card"`
	Extensions         []string             `json:"extensions"`
	RequiredExtensions []string             `json:"required_extensions"`
	Skills             map[string]skillForm `json:"skills"`
}

type skillForm struct {
	Input    []string         `json:"input,omitzero"`
	Output   []string         `json:"output,omitzero"`
	Security []jsontext.Value `json:"security"`
}

func (s Skill) form() skillForm {
	form := skillForm{Security: make([]jsontext.Value, 0, len(s.Security))}
	if s.Input != nil {
		form.Input = set.Of(s.Input)
	}
	if s.Output != nil {
		form.Output = set.Of(s.Output)
	}
	for _, a := range s.Security {
		uses := make(map[string]SchemeUse, len(a.Schemes))
		for name, use := range a.Schemes {
			uses[name] = SchemeUse{Scheme: use.form(), Scopes: set.Of(use.Scopes)}
		}
		form.Security = append(form.Security, canonical(Alternative{Schemes: uses}))
	}
	slices.SortFunc(form.Security, func(a, b jsontext.Value) int { return bytes.Compare(a, b) })
	form.Security = slices.CompactFunc(form.Security, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) })
	return form
}

// form returns the definition as digests have it.
func (s Scheme) form() Scheme {
	s.Reason, s.Extra = "", nil
	s.OAuth2MetadataURL = NormalizeURL("", s.OAuth2MetadataURL)
	s.OpenIDConnectURL = NormalizeURL("", s.OpenIDConnectURL)
	if len(s.Flows) == 0 {
		s.Flows = nil
		return s
	}
	flows := make(map[string]Flow, len(s.Flows))
	for grant, f := range s.Flows {
		flows[grant] = Flow{
			AuthorizationURL:       NormalizeURL("", f.AuthorizationURL),
			TokenURL:               NormalizeURL("", f.TokenURL),
			RefreshURL:             NormalizeURL("", f.RefreshURL),
			DeviceAuthorizationURL: NormalizeURL("", f.DeviceAuthorizationURL),
			Scopes:                 set.Of(f.Scopes),
			PKCERequired:           f.PKCERequired,
		}
	}
	s.Flows = flows
	return s
}

// canonical returns the RFC 8785 form of v, which is one of this package's own
// types without foreign raw JSON, or made of strings and canonical values.
func canonical(v any) jsontext.Value {
	utf8 := jsontext.AllowInvalidUTF8(true) // so that no text can fail
	raw, err := json.Marshal(v, utf8, json.Deterministic(true))
	if err == nil {
		err = (*jsontext.Value)(&raw).Canonicalize(utf8)
	}
	if err != nil {
		panic("compile: a bug in a2alock: " + err.Error())
	}
	return raw
}
