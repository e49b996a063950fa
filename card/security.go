package card

import (
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/scheme"
)

// security reads the schemes of the card and its own requirements: those of
// 1.0, else the legacy list, else the authentication object of 0.1.
func (r *reader) security(c *Card, m *jsondoc.Members) {
	r.schemes = &scheme.Reader{Reader: r.Reader, Pure: c.Shape == Shape10}
	r.schemes.Schemes(m.At[cSchemes])
	declared := Assumed
	if n := m.At[cSchemes]; r.At(n).Kind == '{' && r.At(n).First != 0 {
		declared = Declared
	}
	var from Source
	c.Security, from = r.requirements(m.At[cRequirements], m.At[cSecurity])
	if old := m.At[cAuthentication]; from == Assumed && old != 0 {
		c.Security = securityOf(r.schemes.Authentication(old))
		if c.Security.Declared {
			from = Legacy
			if declared == Assumed && len(r.schemes.Declared) > 0 {
				declared = Legacy
			}
		}
	}
	c.Sources["schemes"], c.Sources["security"] = declared, from
	c.SecuritySchemes = make(map[string]SecurityScheme, len(r.schemes.Declared))
	for name, s := range r.schemes.Declared {
		c.SecuritySchemes[name] = schemeOf(s)
	}
}

// requirements reads a list of requirements from its 1.0 member, else from its
// legacy one. An empty list counts as absent.
func (r *reader) requirements(declared, legacy jsondoc.Ref) (Security, Source) {
	switch {
	case !r.IsEmpty(declared):
		return securityOf(r.schemes.Requirements(declared, legacy)), Declared
	case !r.IsEmpty(legacy):
		return securityOf(r.schemes.Requirements(legacy, 0)), Legacy
	}
	return Security{}, Assumed
}

func securityOf(s scheme.Security) Security {
	out := Security{Declared: s.Declared}
	for _, a := range s.Alternatives {
		out.Alternatives = append(out.Alternatives, Alternative(a))
	}
	return out
}

func schemeOf(s scheme.Scheme) SecurityScheme {
	out := SecurityScheme{
		Kind:              Kind(s.Kind),
		Unreadable:        s.Unreadable,
		Location:          s.Location,
		Name:              s.Name,
		Scheme:            s.Scheme,
		BearerFormat:      s.BearerFormat,
		OAuth2MetadataURL: s.OAuth2MetadataURL,
		OpenIDConnectURL:  s.OpenIDConnectURL,
		Unknown:           s.Unknown,
	}
	if s.Flows != nil {
		out.Flows = make(map[string]Flow, len(s.Flows))
	}
	for grant, f := range s.Flows {
		out.Flows[grant] = Flow(f)
	}
	return out
}
