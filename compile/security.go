package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// schemes takes over the card's definitions.
func (k *compiler) schemes(p *Profile) {
	p.Schemes = make(map[string]Scheme, len(k.card.SecuritySchemes))
	k.defined = p.Schemes
	for name, s := range k.card.SecuritySchemes {
		p.Schemes[name] = scheme(s)
		at := "/schemes/" + jsondoc.Escape(name)
		k.texts.AddHidden(at+"/id", name)
		k.texts.AddHidden(at+"/name", s.Name)
		k.unknown.Add(at, s.Unknown)
		for member, u := range schemeURLs(p.Schemes[name]) {
			k.texts.AddHidden(at+"/"+member, u)
		}
	}
}

func scheme(s card.SecurityScheme) Scheme {
	out := Scheme{
		Kind:              s.Kind,
		In:                s.Location,
		Name:              s.Name,
		HTTPScheme:        s.Scheme,
		BearerFormat:      s.BearerFormat,
		OAuth2MetadataURL: s.OAuth2MetadataURL,
		OpenIDConnectURL:  s.OpenIDConnectURL,
	}
	if s.Unreadable != "" || s.Kind == "" {
		out = Scheme{Kind: card.KindUnknown}
	}
	if out.Kind == card.KindUnknown {
		out.Reason = s.Unreadable
		if out.Reason == "" {
			out.Reason = "the scheme cannot be read"
		}
		return out
	}
	if len(s.Flows) > 0 {
		out.Flows = make(map[string]Flow, len(s.Flows))
	}
	for grant, f := range s.Flows {
		out.Flows[grant] = Flow{
			AuthorizationURL:       f.AuthorizationURL,
			TokenURL:               f.TokenURL,
			RefreshURL:             f.RefreshURL,
			DeviceAuthorizationURL: f.DeviceAuthorizationURL,
			Scopes:                 set.Of(f.Scopes),
			PKCERequired:           f.PKCERequired,
		}
	}
	return out
}

// schemeURLs returns the addresses in s by their place in the profile.
func schemeURLs(s Scheme) map[string]string {
	urls := map[string]string{
		"oauth2_metadata_url": s.OAuth2MetadataURL,
		"openid_connect_url":  s.OpenIDConnectURL,
	}
	for grant, f := range s.Flows {
		at := "flows/" + jsondoc.Escape(grant) + "/"
		urls[at+"authorization_url"] = f.AuthorizationURL
		urls[at+"token_url"] = f.TokenURL
		urls[at+"refresh_url"] = f.RefreshURL
		urls[at+"device_authorization_url"] = f.DeviceAuthorizationURL
	}
	return urls
}

// security resolves the names in a list of requirements to definitions. What
// cannot be resolved is unknown and never left out: a shorter alternative
// would be a weaker one, and an empty one would mean anonymous.
func (k *compiler) security(s card.Security, at string) []Alternative {
	list := make([]Alternative, 0, len(s.Alternatives))
	for _, a := range s.Alternatives {
		names := slices.Sorted(maps.Keys(a.Schemes))
		k.unknown.Add(at+"/"+jsondoc.Escape(strings.Join(names, "+")), a.Unknown)
		if a.Unreadable != "" {
			list = append(list, unreadable(a.Unreadable))
			continue
		}
		uses := make(map[string]SchemeUse, len(names))
		for _, name := range names {
			definition, ok := k.defined[name]
			if !ok {
				definition = undeclared(name)
			}
			uses[name] = SchemeUse{Scheme: definition, Scopes: set.Of(a.Schemes[name])}
		}
		list = append(list, Alternative{Schemes: uses})
	}
	if len(list) == 0 {
		list = append(list, unreadable("no requirement in the list can be read"))
	}
	return distinct(list)
}

func unreadable(why string) Alternative {
	use := SchemeUse{Scheme: Scheme{Kind: card.KindUnknown, Reason: why}, Scopes: []string{}}
	return Alternative{Schemes: map[string]SchemeUse{"": use}}
}

func undeclared(name string) Scheme {
	return Scheme{Kind: card.KindUnknown, Reason: fmt.Sprintf("the card declares no scheme %s", say.Show(name))}
}

// distinct keeps the first of equal alternatives. Within one card the names
// stand for the definitions, so names, scopes and reasons tell all.
func distinct(list []Alternative) []Alternative {
	if len(list) < 2 {
		return list
	}
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(a Alternative) bool {
		var key strings.Builder
		for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
			use := a.Schemes[name]
			fmt.Fprintf(&key, "%q %q %q;", name, use.Scopes, use.Reason)
		}
		repeated := seen[key.String()]
		seen[key.String()] = true
		return repeated
	})
}
