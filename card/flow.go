package card

import (
	"maps"
	"slices"
)

const (
	gCode = iota
	gClient
	gDevice
	gImplicit
	gPassword
	gCase
)

var flowsSchema = newSchema("authorizationCode", "clientCredentials", "deviceCode", "implicit", "password", "flow")

const (
	wAuthorizationURL = iota
	wTokenURL
	wRefreshURL
	wDeviceURL
	wScopes
	wPKCE
)

var flowSchema = newSchema("authorizationUrl!", "tokenUrl!", "refreshUrl", "deviceAuthorizationUrl!", "scopes!", "pkceRequired")

// flowNeeds are the members that each grant requires (A2A 4.5.7 and on); what
// is absent is a gap, since the address may be agreed on elsewhere.
var flowNeeds = [...][]int{
	gCode:     {wAuthorizationURL, wTokenURL, wScopes},
	gClient:   {wTokenURL, wScopes},
	gDevice:   {wDeviceURL, wTokenURL, wScopes},
	gImplicit: {wAuthorizationURL, wScopes},
	gPassword: {wTokenURL, wScopes},
}

// oauth2 reads the flows. A 1.0 card has one of them, older cards may have
// several, and all are kept.
func (r *reader) oauth2(e *element, s *SecurityScheme, m *members) {
	s.OAuth2MetadataURL = r.str(Error, e, m.at[hMetadataURL])
	n := m.at[hFlows]
	if n == 0 {
		r.missing(Error, e, m, hFlows)
		return
	}
	if !r.is('{', Error, e, n) {
		return
	}
	f := r.members(e, n, flowsSchema)
	s.Flows = map[string]Flow{}
	if c := f.at[gCase]; c != 0 && r.is('{', Error, e, c) {
		name, value := r.caseOf(c)
		if i, ok := flowsSchema.exact[name]; ok && i < gCase && value != 0 && f.at[i] == 0 {
			f.at[i] = value
			r.warnOnce("sdk-form", c, "the $case form of a2a-js's own objects, not the form of the specification")
		} else {
			r.err(e, "unknown-flow", c, "flow: no grant in $case")
		}
	}
	for i := range gCase {
		if c := f.at[i]; c != 0 && r.is('{', Error, e, c) {
			s.Flows[flowsSchema.names[i]] = r.flow(e, s, i, c)
		}
	}
	for _, c := range f.unknown {
		keep(&s.Unknown, "flows/"+r.nodes[c].name, r.canonical(c))
	}
	if len(s.Flows) == 0 && e.disabled == "" {
		r.err(e, "unknown-flow", n, "flows: no known grant")
	}
	if wrapped := r.nodes[m.self].name == "oauth2SecurityScheme"; wrapped && len(s.Flows) > 1 && e.disabled == "" {
		r.warn("several-flows", n, "flows: %d grants, and 1.0 has one (A2A 4.5.6)", len(s.Flows))
	}
}

func (r *reader) flow(e *element, s *SecurityScheme, grant int, n ref) Flow {
	m := r.members(e, n, flowSchema)
	for _, i := range flowNeeds[grant] {
		if m.at[i] == 0 {
			r.missing(Gap, e, &m, i)
		}
	}
	f := Flow{
		AuthorizationURL:       r.str(Error, e, m.at[wAuthorizationURL]),
		TokenURL:               r.str(Error, e, m.at[wTokenURL]),
		RefreshURL:             r.str(Error, e, m.at[wRefreshURL]),
		DeviceAuthorizationURL: r.str(Error, e, m.at[wDeviceURL]),
		PKCERequired:           r.flag(Error, e, m.at[wPKCE]),
		Scopes:                 []string{},
	}
	if c := m.at[wScopes]; c != 0 && r.is('{', Error, e, c) {
		names := map[string]bool{}
		for o := r.nodes[c].first; o != 0; o = r.nodes[o].next {
			names[r.nodes[o].name] = true
		}
		f.Scopes = append(f.Scopes, slices.Sorted(maps.Keys(names))...)
	}
	for _, c := range m.unknown {
		keep(&s.Unknown, "flows/"+flowsSchema.names[grant]+"/"+r.nodes[c].name, r.canonical(c))
	}
	return f
}
