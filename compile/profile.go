package compile

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/member"
)

// A Profile is a card compiled for one client: the effective, inherited,
// normalised answer to "what may this client call, and how". docs/design.md
// lists its members (The profile); all of them are always written, save where
// a comment says otherwise. Slices are never nil unless a comment says so.
// Parts of a Profile may share slices and maps, so nobody writes to them; it is
// safe for concurrent reading.
type Profile struct {
	// Usable is whether the client can call the agent at all; Reason says in
	// one sentence why not. An unusable profile carries all else it can.
	Usable bool       `json:"usable"`
	Reason string     `json:"reason"`
	Shape  card.Shape `json:"shape"`

	Name         string         `json:"name"`
	Provider     *card.Provider `json:"provider"` // nil when the card has none
	AgentVersion string         `json:"agent_version"`

	// Interface is the chosen one; nil when none is usable.
	Interface *Interface `json:"interface"`
	// Interfaces are all that were read, in order, the chosen one among them.
	Interfaces []Interface `json:"interfaces"`

	Streaming    bool `json:"streaming"`
	Push         bool `json:"push"`
	ExtendedCard bool `json:"extended_card"`

	Extensions         []string             `json:"extensions"`          // both sides know: active, sorted
	RequiredExtensions []string             `json:"required_extensions"` // sorted
	DeclaredExtensions map[string]Extension `json:"declared_extensions"` // by URI

	Schemes map[string]Scheme `json:"schemes"`
	Skills  map[string]Skill  `json:"skills"`
	// OtherSkills is written in a lock alone: for each skill that the lock
	// does not require, its [Profile.SkillDigest].
	OtherSkills map[string]string `json:"other_skills,omitzero"`

	// Disabled are the skills that an error of their own makes unusable, with
	// the reason; they are not in Skills.
	Disabled map[string]string `json:"disabled"`
	// Ambiguous are the ids that occur more than once, sorted; not in Skills.
	Ambiguous []string `json:"ambiguous"`

	// Texts are the free texts by pointer (skill ids instead of indexes), and
	// the ids, addresses, URIs and other short members in which invisible
	// characters stand.
	Texts map[string]Text `json:"texts"`
	// Unknown are the members outside the schema under capabilities, usable
	// interfaces, schemes, requirements and extensions, by pointer; a value
	// over 200 bytes is replaced by the string "sha256:…" of its canonical form.
	Unknown map[string]jsontext.Value `json:"unknown"`
	Sources map[string]card.Source    `json:"sources"`

	// Extra holds members that this version does not know, when the profile
	// was read from a lock.
	Extra jsontext.Value `json:",embed"`
}

// An Interface is one address with the binding, version and tenant that go
// with it. All four come from one entry of the card.
type Interface struct {
	URL     string         `json:"url"`
	Binding string         `json:"binding"`
	Version string         `json:"version"` // Major.Minor; "" when unknown
	Tenant  string         `json:"tenant"`
	Extra   jsontext.Value `json:",embed"`
}

// An Extension is what the card declares of one extension URI.
type Extension struct {
	Required bool `json:"required"`
	// Params are canonical JSON with integers as they were written; of entries
	// for one URI that differ in them the list of all.
	Params jsontext.Value `json:"params,omitzero"`
	Extra  jsontext.Value `json:",embed"`
}

// A Skill is the effective view of one skill.
type Skill struct {
	// Input and Output are sorted sets of normalised media types; nil, and
	// absent when written, where the card declares none anywhere.
	Input  []string `json:"input,omitzero"`
	Output []string `json:"output,omitzero"`
	// Refused are media types that callers found the skill not to take, whatever
	// Input says; only [Profile.Without] tells.
	Refused []string `json:"-"`
	// Security is a list of alternatives in the card's order, equal ones once.
	// Empty means that nothing is needed.
	Security     []Alternative  `json:"security"`
	SecurityFrom string         `json:"security_from"` // "skill", "card" or "none"
	Tags         []string       `json:"tags"`
	Extra        jsontext.Value `json:",embed"`
}

// An Alternative is a set of schemes, all of which a caller must meet. Without
// any, anonymous calls are allowed. A requirement that cannot be read as a
// whole is an alternative with one scheme named "" of kind unknown.
type Alternative struct {
	Schemes map[string]SchemeUse `json:"schemes"`
	Extra   jsontext.Value       `json:",embed"`
}

// A SchemeUse is a scheme's definition beside the scopes asked for.
type SchemeUse struct {
	Scheme          // its members stand beside scopes in JSON
	Scopes []string `json:"scopes"`
}

// A Scheme is the definition behind a scheme's name. Members that do not
// belong to its kind are absent.
type Scheme struct {
	Kind card.Kind `json:"kind"`
	// Reason is why the kind is unknown: unreadable, or not declared.
	Reason string `json:"reason,omitzero"`

	In   string `json:"in,omitzero"`   // apiKey: header, query, cookie
	Name string `json:"name,omitzero"` // apiKey: parameter name

	HTTPScheme   string `json:"scheme,omitzero"` // http: lower case
	BearerFormat string `json:"bearer_format,omitzero"`

	Flows             map[string]Flow `json:"flows,omitzero"` // oauth2, by grant
	OAuth2MetadataURL string          `json:"oauth2_metadata_url,omitzero"`
	OpenIDConnectURL  string          `json:"openid_connect_url,omitzero"`

	Extra jsontext.Value `json:",embed"`
}

// A Flow is one OAuth 2 grant of a scheme.
type Flow struct {
	AuthorizationURL       string   `json:"authorization_url,omitzero"`
	TokenURL               string   `json:"token_url,omitzero"`
	RefreshURL             string   `json:"refresh_url,omitzero"`
	DeviceAuthorizationURL string   `json:"device_authorization_url,omitzero"`
	Scopes                 []string `json:"scopes"` // declared, sorted
	PKCERequired           bool     `json:"pkce_required,omitzero"`

	Extra jsontext.Value `json:",embed"`
}

// A Text stands for a free text of the card without repeating it.
type Text = member.Text
