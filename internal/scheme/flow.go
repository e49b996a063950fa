package scheme

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

const (
	gCode = iota
	gClient
	gDevice
	gImplicit
	gPassword
	gCase
)

var flowsSchema = jsondoc.NewSchema("authorizationCode", "clientCredentials", "deviceCode", "implicit", "password", "flow")

const (
	wAuthorizationURL = iota
	wTokenURL
	wRefreshURL
	wDeviceURL
	wScopes
	wPKCE
)

var flowSchema = jsondoc.NewSchema("authorizationUrl!", "tokenUrl!", "refreshUrl", "deviceAuthorizationUrl!", "scopes!", "pkceRequired")

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
func (r *Reader) oauth2(e *jsondoc.Element, s *Scheme, m *jsondoc.Members) {
	s.OAuth2MetadataURL = r.Str(jsondoc.Error, e, m.At[hMetadataURL])
	n := m.At[hFlows]
	if n == 0 {
		r.Missing(jsondoc.Error, e, m, hFlows)
		return
	}
	if !r.Is('{', jsondoc.Error, e, n) {
		return
	}
	f := r.Members(e, n, flowsSchema)
	s.Flows = map[string]Flow{}
	if c := f.At[gCase]; c != 0 && r.Is('{', jsondoc.Error, e, c) {
		name, value := r.caseOf(c, "flows/flow/", &s.Unknown)
		if i, ok := flowsSchema.Index(name); ok && i < gCase && value != 0 && f.At[i] == 0 {
			f.At[i] = value
			r.WarnOnce("sdk-form", c, "the $case form of a2a-js's own objects, not the form of the specification")
		} else {
			r.Err(e, "unknown-flow", c, "flow: no grant in $case")
		}
	}
	for i := range gCase {
		if c := f.At[i]; c != 0 && r.Is('{', jsondoc.Error, e, c) {
			s.Flows[flowsSchema.Name(i)] = r.flow(e, s, i, c)
		}
	}
	for _, c := range f.Unknown {
		keep(&s.Unknown, "flows/"+r.At(c).Name, r.Canonical(c))
	}
	if len(s.Flows) == 0 && e.Disabled == "" {
		r.Err(e, "unknown-flow", n, "flows: no known grant")
	}
	if wrapped := r.At(m.Self()).Name == "oauth2SecurityScheme"; wrapped && len(s.Flows) > 1 && e.Disabled == "" {
		r.Warn("several-flows", n, "flows: %d grants, and 1.0 has one (A2A 4.5.6)", len(s.Flows))
	}
}

func (r *Reader) flow(e *jsondoc.Element, s *Scheme, grant int, n jsondoc.Ref) Flow {
	m := r.Members(e, n, flowSchema)
	for _, i := range flowNeeds[grant] {
		if m.At[i] == 0 {
			r.Missing(jsondoc.Gap, e, &m, i)
		}
	}
	f := Flow{
		AuthorizationURL:       r.Str(jsondoc.Error, e, m.At[wAuthorizationURL]),
		TokenURL:               r.Str(jsondoc.Error, e, m.At[wTokenURL]),
		RefreshURL:             r.Str(jsondoc.Error, e, m.At[wRefreshURL]),
		DeviceAuthorizationURL: r.Str(jsondoc.Error, e, m.At[wDeviceURL]),
		PKCERequired:           r.Flag(jsondoc.Error, e, m.At[wPKCE]),
		Scopes:                 []string{},
	}
	if c := m.At[wScopes]; c != 0 && r.Is('{', jsondoc.Error, e, c) {
		names := map[string]bool{}
		for o := range r.Children(c) {
			names[r.At(o).Name] = true
		}
		f.Scopes = append(f.Scopes, slices.Sorted(maps.Keys(names))...)
	}
	for _, c := range m.Unknown {
		keep(&s.Unknown, "flows/"+flowsSchema.Name(grant)+"/"+r.At(c).Name, r.Canonical(c))
	}
	return f
}
