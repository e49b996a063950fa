// Package card reads Agent Cards: the JSON documents in which A2A agents say
// what they are and how to call them.
//
// [Parse] takes the bytes as received and reads every shape seen in the wild:
// 1.0 (supportedInterfaces), 0.3 and 0.2 (url), and hybrids of both. It reads
// strictly and judges by consequence (see [Finding]): what a call depends on
// must be right, what only a reader looks at may be missing. Nothing is
// coerced: "streaming": "true" is an error, never a true.
//
// Package card looks at one document and knows nothing of a client; package
// compile turns a [Card] into what one client can use.
package card

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// Shape names the generation of the protocol whose members a card uses.
type Shape string

// The shapes that are cards. For the rules, 0.2 and 0.3 are one shape.
const (
	Shape10     Shape = "1.0"    // supportedInterfaces only
	Shape03     Shape = "0.3"    // url, transports or protocolVersion 0.3
	Shape02     Shape = "0.2"    // url; version 0.2, or none and no transport members
	ShapeHybrid Shape = "hybrid" // both
)

// State says why a refresh ended without a card to judge (docs/design.md,
// States). The states that depend on the bytes alone are here; package fetch
// adds those of the transport.
type State string

// The states that bytes alone can lead to.
const (
	NotJSON  State = "not-json"       // HTML, another encoding, trailing data, no JSON
	NotACard State = "not-a-card"     // JSON that is something else
	Invalid  State = "card-invalid"   // a card with an error in the document
	TooLarge State = "card-too-large" // over a limit
)

// Severity grades a finding by its consequence.
type Severity = jsondoc.Severity

// The severities.
const (
	// Error: a profile built on the member would be a guess. It disables the
	// skill, scheme or interface it is in, or the card (see [Finding.Scope]).
	Error Severity = "error"
	// Gap: a required member is missing or odd, and no call depends on it.
	Gap Severity = "gap"
	// Warning: the member was read although it is not as the specification
	// has it (a snake_case name, a BOM, an SDK's own form).
	Warning Severity = "warning"
)

// Scope names what an error disables.
type Scope = jsondoc.Scope

// The scopes of an error. Document makes the card [Invalid].
const (
	ScopeDocument  Scope = "document"
	ScopeInterface Scope = "interface"
	ScopeSkill     Scope = "skill"
	ScopeScheme    Scope = "scheme"   // the scheme is unknown, never none
	ScopeSecurity  Scope = "security" // a requirement is unknown, never none
	ScopeExtension Scope = "extension"
)

// A Finding is one thing in a card that is not as the specification has it.
type Finding struct {
	// Code names the kind of fault in kebab-case. Any member: wrong-type,
	// missing, empty, snake-case, spellings-differ, case-variant,
	// number-precision, byte-order-mark, look-alike-host. Interfaces:
	// no-interface, relative-interface-url, bad-url, grpc-url, mcp-endpoint,
	// unknown-binding, bad-version, version-patch, version-shape,
	// other-generation, repeated-interface. Skills: no-skill, repeated-id,
	// wildcard-mode. Schemes: several-kinds, unknown-scheme, unknown-wrapper,
	// unknown-flow, several-flows, forms-differ, bad-location, type-word,
	// scheme-form, sdk-form. Requirements: undeclared-scheme, mixed-forms,
	// requirement-form. Members that repeat others: mirror-differs.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Path is an RFC 6901 pointer into the document as received; "" is the
	// document itself. For a missing member it says where it would stand.
	Path string `json:"path"`
	// Scope is what an [Error] disables; empty for a gap or a warning.
	Scope   Scope  `json:"scope,omitzero"`
	Message string `json:"message"` // one line; foreign text is quoted
}

// Source says where a concept (interfaces, schemes, security, …) was read.
type Source string

const (
	Declared Source = "declared" // in its 1.0 member
	Legacy   Source = "legacy"   // in its 0.x member
	Assumed  Source = "assumed"  // nowhere; a default or the caller's word
)

// A Card is one Agent Card as read: every concept in one form whatever shape
// it came in. Its slices and maps are the card's own; callers do not change
// them. A Card is safe for concurrent reading.
type Card struct {
	Shape Shape

	Name             string
	Description      string
	Version          string // of the agent, not of the protocol
	ProtocolVersion  string // the card-level member as written, "" when absent
	Provider         *Provider
	IconURL          string
	DocumentationURL string

	// Interfaces are the entries in the order of docs/design.md, Compiling 2:
	// those of 1.0 first, then the legacy endpoints that no earlier entry
	// names. Entries that cannot be used are among them (Disabled).
	Interfaces   []Interface
	Capabilities Capabilities

	// DefaultInputModes and DefaultOutputModes are as written; nil when
	// declared nowhere (an empty list counts as that).
	DefaultInputModes  []string
	DefaultOutputModes []string

	SecuritySchemes map[string]SecurityScheme
	// Security holds the card-level requirements.
	Security Security

	// Skills are in the card's order, disabled and repeated ones among them.
	Skills []Skill

	Signatures []Signature

	// Sources says for "interfaces", "schemes", "security", "skill_security"
	// and "extended_card" where each was read.
	Sources map[string]Source

	// Findings are in document order.
	Findings []Finding
}

// Provider is who runs the agent.
type Provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

// An Interface is one address at which the agent can be called (A2A 4.4.6).
type Interface struct {
	URL             string // as written
	ProtocolBinding string // as written: "JSONRPC", "GRPC", "HTTP+JSON" or a URI
	// ProtocolVersion is the text that applied to this entry: its own, else
	// the card's, else "0.3" for a 0.2/0.3 card, else "" (unknown).
	ProtocolVersion string
	// Version is Major.Minor of ProtocolVersion; "" when unknown or malformed:
	// such an interface is never chosen.
	Version string
	Tenant  string
	Legacy  bool   // from url, preferredTransport or additionalInterfaces
	Pointer string // where it stands in the document

	// Disabled is why the entry cannot be used (no absolute http(s) URL, a
	// wrong type, …); "" when it can.
	Disabled string
	// Unknown are the entry's members outside the schema, canonical JSON.
	Unknown map[string]jsontext.Value
}

// Capabilities are the card's flags (A2A 4.4.3). Only a literal true is true.
type Capabilities struct {
	Streaming         bool
	PushNotifications bool
	ExtendedAgentCard bool
	Extensions        []Extension
	// Unknown are members outside the schema, canonical JSON;
	// stateTransitionHistory is known and left out.
	Unknown map[string]jsontext.Value
}

// An Extension is one entry of capabilities.extensions (A2A 4.4.4).
type Extension struct {
	URI         string
	Description string
	Required    bool
	Params      jsontext.Value // canonical JSON; nil when absent
	Unknown     map[string]jsontext.Value
}

// A Skill is one thing the agent can do (A2A 4.4.5).
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
	// InputModes and OutputModes are as written; nil when the skill has none
	// of its own (an empty list counts as that).
	InputModes  []string
	OutputModes []string
	Security    Security
	Pointer     string
	// Disabled is the error that makes the skill unusable; "" when it is fine.
	// A skill whose id cannot be read has an empty ID and a reason here.
	Disabled string
}

// Security is a list of alternatives, one of which a caller must meet.
type Security struct {
	// Declared is whether a non-empty list was there. Without one a skill
	// inherits, and a card needs nothing.
	Declared bool
	// Alternatives are in the card's order. An alternative without schemes
	// means that anonymous calls are allowed.
	Alternatives []Alternative
}

// An Alternative names the schemes that must all be met together.
type Alternative struct {
	Schemes map[string][]string // scheme name: scopes, sorted; never nil
	// Unreadable is why this entry could not be read; "" when it could. Such
	// an entry can never be met, and never means anonymous.
	Unreadable string
	Unknown    map[string]jsontext.Value
}

// Kind is the kind of a security scheme, in the words of A2A 4.5.
type Kind string

// The kinds.
const (
	KindAPIKey        Kind = "apiKey"
	KindHTTP          Kind = "http"
	KindOAuth2        Kind = "oauth2"
	KindOpenIDConnect Kind = "openIdConnect"
	KindMutualTLS     Kind = "mutualTLS"
	KindUnknown       Kind = "unknown" // there, and cannot be read
)

// A SecurityScheme is one definition of the card's map (A2A 4.5.1), whatever
// form it was written in.
type SecurityScheme struct {
	Kind Kind
	// Unreadable is why the scheme is of [KindUnknown]; else "".
	Unreadable string

	Location string // apiKey: "header", "query" or "cookie"
	Name     string // apiKey: the parameter's name as written

	Scheme       string // http: lower case, "bearer", "basic", …
	BearerFormat string

	// Flows are those of oauth2 by grant: "authorizationCode",
	// "clientCredentials", "deviceCode", "implicit", "password". 0.x cards may
	// have several.
	Flows             map[string]Flow
	OAuth2MetadataURL string
	OpenIDConnectURL  string

	Unknown map[string]jsontext.Value
}

// A Flow is one OAuth 2 grant of a scheme (A2A 4.5.7).
type Flow struct {
	AuthorizationURL       string
	TokenURL               string
	RefreshURL             string
	DeviceAuthorizationURL string
	Scopes                 []string // the declared names, sorted
	PKCERequired           bool
}

// A Signature is one entry of signatures (A2A 8.4), undecoded.
type Signature struct {
	Protected string
	Signature string
	Header    jsontext.Value
}
