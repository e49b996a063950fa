package compile

// A Client is our side: what it implements, sends, accepts and holds
// (docs/design.md, Words: client profile). The zero value speaks nothing;
// package config fills it from a2alock.yaml.
type Client struct {
	// Interfaces are the bindings and Major.Minor versions that the client
	// implements, in its order of preference.
	Interfaces []Transport
	// Select is whose order decides: [CardOrder] (also "") or [ClientOrder].
	Select string
	// Accepts and Sends are media types in order of preference.
	Accepts, Sends []string
	// Aliases rewrite a mode to a media type; keys compare without case.
	Aliases map[string]string
	// Extensions are the URIs that the client implements.
	Extensions []string
	Streaming  bool
	// PushEndpoint is where the client receives push notifications; "" when it
	// cannot.
	PushEndpoint string
	// Credentials are what the client is known to hold. Without any, it holds
	// what a lock records.
	Credentials []Credential
	// Delivery is the client's order of "stream", "push" and "poll"; nil means
	// just that order.
	Delivery []string
}

// The values of [Client.Select].
const (
	CardOrder   = "card-order"
	ClientOrder = "client-order"
)

// A Transport is a binding and the Major.Minor version spoken over it.
type Transport struct {
	Binding string `json:"binding"`
	Version string `json:"version"`
}

// A Credential is something the client holds. Without Scopes it carries none:
// it is no answer to a requirement that asks for one.
type Credential struct {
	Name   string
	Kind   Strength
	Scopes []string
	// Origins are where it may be sent, each with its port and in the spelling of
	// netguard.Origin ("https://agent.example:443"); nil is anywhere. It counts for
	// calls of an interface at one of them alone ([Client.HeldFor]).
	Origins []string
}
