package diff

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

var extensionRules = []Rule{
	{
		ID:    "extension-missing",
		Class: Breaking,
		Title: "an extension that the lock requires is no longer declared",
		Why:   "The agent ignores or refuses what the workflow sends by it.",
		Do:    "Ask the agent's owner what took its place, or take it out of requires in the lock.",
		Spec:  "4.4.4",
		Example: Example{
			Was:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1"}]}}`,
			Lock: `{"requires":{"extensions":["https://ext.example/citations/v1"]}}`,
		},
		Check: extensionMissing,
	},
	{
		ID:    "extension-version-moved",
		Class: Breaking,
		Title: "an extension that the lock requires is there in another version only",
		Why:   "Another version segment makes another extension: the client implements the pinned one.",
		Do:    "Teach the client the new version, then require it in the lock.",
		Spec:  "4.4.4",
		Example: Example{
			Was:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1"}]}}`,
			Now:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v2"}]}}`,
			Lock: `{"requires":{"extensions":["https://ext.example/citations/v1"]}}`,
		},
		Check: extensionVersionMoved,
	},
	{
		ID:    "extension-required-unknown",
		Class: Breaking,
		Title: "the agent requires an extension that the client does not implement",
		Why:   "Every call is refused with ExtensionSupportRequiredError.",
		Do:    "Implement the extension and name it in a2alock.yaml, or ask the agent's owner to make it optional.",
		Spec:  "4.4.4",
		Example: Example{
			Now: `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1","required":true}]}}`,
		},
		Check: extensionRequiredUnknown,
	},
	{
		ID:    "extension-required-known",
		Class: Review,
		Title: "an extension became required, and the client implements it",
		Why:   "Callers that do not activate it are refused, and what was a choice is now part of every call.",
		Do:    "Make sure that calls activate it, then pin again.",
		Spec:  "4.4.4",
		Example: Example{
			Was: `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1"}]}}`,
			Now: `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1","required":true}]}}`,
		},
		Check: extensionRequiredKnown,
	},
	{
		ID:    "extension-params-changed",
		Class: Review,
		Title: "the parameters of an extension differ",
		Why:   "They tell the client how to speak it. Compatible where neither the lock nor the agent requires the extension.",
		Do:    "Read what the parameters mean, then pin again.",
		Spec:  "4.4.4",
		Example: Example{
			Was:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1","params":{"style":"short"}}]}}`,
			Now:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1","params":{"style":"long"}}]}}`,
			Lock: `{"requires":{"extensions":["https://ext.example/citations/v1"]}}`,
		},
		Check: extensionParamsChanged,
	},
	{
		ID:    "extension-no-longer-required",
		Class: Compatible,
		Title: "an extension is no longer required",
		Why:   "Calls may go on using it.",
		Do:    "Nothing.",
		Spec:  "4.4.4",
		Example: Example{
			Was: `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1","required":true}]}}`,
			Now: `{"capabilities":{"extensions":[{"uri":"https://ext.example/citations/v1"}]}}`,
		},
		Check: extensionNoLongerRequired,
	},
	{
		ID:    "extension-gained",
		Class: Compatible,
		Title: "the agent declares an optional extension that it did not before",
		Why:   "Calls that do not activate it are answered as before.",
		Do:    "Nothing.",
		Spec:  "4.4.4",
		Example: Example{
			Now: `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1"}]}}`,
		},
		Check: extensionGained,
	},
	{
		ID:    "extension-lost-unused",
		Class: Compatible,
		Title: "an optional extension that the lock does not require is gone",
		Why:   "This workflow does not count on it.",
		Do:    "Nothing.",
		Spec:  "4.4.4",
		Example: Example{
			Was: `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1"}]}}`,
		},
		Check: extensionLostUnused,
	},
}

func requiresExtension(c *Comparison, uri string) bool { return c.known().extensions[uri] }

func extensionPath(uri string, member ...string) string {
	return say.Pointer(append([]string{"declared_extensions", uri}, member...)...)
}

func extensionMissing(c *Comparison) []Finding {
	var out []Finding
	for _, uri := range c.Lock.Requires.Extensions {
		if _, ok := c.Now.DeclaredExtensions[uri]; !ok {
			out = append(out, found(extensionPath(uri), c.Lock.Requires.Extensions, nil,
				"the extension %s, which the lock requires, is no longer declared", say.Quote(uri)))
		}
	}
	return out
}

func extensionVersionMoved(c *Comparison) []Finding {
	var out []Finding
	for _, uri := range c.Lock.Requires.Extensions {
		if to := versionsOf(c, uri); len(to) > 0 {
			out = append(out, found(extensionPath(uri), c.Lock.Requires.Extensions, to,
				"the extension %s, which the lock requires, is there as %s only", say.Quote(uri), say.List(to)))
		}
	}
	return out
}

// mostVersions is how many other versions of one extension are looked at.
const mostVersions = 50

// versionsOf returns the other versions in which an extension is declared that
// is itself gone, the first few of them.
func versionsOf(c *Comparison, uri string) []string {
	if _, ok := c.Now.DeclaredExtensions[uri]; ok {
		return nil
	}
	f := c.known()
	if f.versions == nil {
		f.versions = map[string][]string{}
		for _, other := range slices.Sorted(maps.Keys(c.Now.DeclaredExtensions)) {
			if key := versionless(other); len(f.versions[key]) < mostVersions {
				f.versions[key] = append(f.versions[key], other)
			}
		}
	}
	var to []string
	for _, other := range f.versions[versionless(uri)] {
		if !slices.Equal(segments(uri), segments(other)) { // a slash more is no version
			to = append(to, other)
		}
	}
	return to
}

// versionless is equal for URIs that differ in version segments alone.
func versionless(uri string) string {
	list := segments(uri)
	for i, s := range list {
		if versionSegment().MatchString(s) {
			list[i] = "\x00"
		}
	}
	return strings.Join(list, "\n")
}

// v1, 1.2.0, v2-beta, 2025-06-01
var versionSegment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:v?\d+(\.\d+)*([-.]?(alpha|beta|rc|pre|preview|draft)[-.]?\d*)?|\d{4}-\d{2}(-\d{2})?)$`)
})

// segments keeps scheme and authority in one piece, since a port is no version.
func segments(uri string) []string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return strings.FieldsFunc(uri, func(r rune) bool { return r == ':' || r == '/' || r == '#' })
	}
	authority, path, _ := strings.Cut(rest, "/")
	return append([]string{scheme + "://" + authority}, strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '#' })...)
}

func extensionRequiredUnknown(c *Comparison) []Finding {
	var out []Finding
	for _, uri := range set.Without(c.Now.RequiredExtensions, c.Now.Extensions) {
		out = append(out, found(extensionPath(uri, "required"), wasRequired(c, uri), true,
			"the agent requires the extension %s, which the client does not implement", say.Quote(uri)))
	}
	return out
}

// wasRequired is nil for an extension that was not declared, or of which the
// lock says nothing.
func wasRequired(c *Comparison, uri string) any {
	if was := c.Lock.Profile; was != nil {
		if e, ok := was.DeclaredExtensions[uri]; ok {
			return e.Required
		}
	}
	return nil
}

func extensionRequiredKnown(c *Comparison) []Finding {
	if c.Lock.Profile == nil {
		return nil
	}
	var out []Finding
	unknown := set.Without(c.Now.RequiredExtensions, c.Now.Extensions)
	for _, uri := range set.Without(c.Now.RequiredExtensions, unknown) {
		was := wasRequired(c, uri)
		if was == true {
			continue
		}
		out = append(out, found(extensionPath(uri, "required"), was, true,
			"the extension %s became required; the client implements it", say.Quote(uri)))
	}
	return out
}

func extensionParamsChanged(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	changed := set.Keys(p.DeclaredExtensions, func(uri string, was compile.Extension) bool {
		now, ok := c.Now.DeclaredExtensions[uri]
		return ok && !jsondoc.Same(was.Params, now.Params)
	})
	var out []Finding
	for _, uri := range changed {
		was, now := p.DeclaredExtensions[uri], c.Now.DeclaredExtensions[uri]
		f := found(extensionPath(uri, "params"), raw(was.Params), raw(now.Params),
			"the parameters of the extension %s changed", say.Quote(uri))
		if !requiresExtension(c, uri) && !was.Required && !now.Required {
			f.Class = Compatible
		}
		out = append(out, f)
	}
	return out
}

func extensionNoLongerRequired(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	freed := set.Keys(p.DeclaredExtensions, func(uri string, was compile.Extension) bool {
		now, declared := c.Now.DeclaredExtensions[uri]
		// One that is gone and that the lock needs is extension-missing.
		return was.Required && !now.Required && (declared || !requiresExtension(c, uri))
	})
	var out []Finding
	for _, uri := range freed {
		if _, declared := c.Now.DeclaredExtensions[uri]; declared {
			out = append(out, found(extensionPath(uri, "required"), true, false,
				"the extension %s is no longer required", say.Quote(uri)))
			continue
		}
		out = append(out, found(extensionPath(uri, "required"), true, nil,
			"the extension %s is no longer required: it is gone", say.Quote(uri)))
	}
	return out
}

func extensionGained(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	spoken := map[string]bool{} // of these extension-version-moved speaks
	for _, uri := range c.Lock.Requires.Extensions {
		for _, other := range versionsOf(c, uri) {
			spoken[other] = true
		}
	}
	came := set.Keys(c.Now.DeclaredExtensions, func(uri string, now compile.Extension) bool {
		_, had := p.DeclaredExtensions[uri]
		return !had && !now.Required && !requiresExtension(c, uri) && !spoken[uri]
	})
	var out []Finding
	for _, uri := range came {
		out = append(out, found(extensionPath(uri), nil, c.Now.DeclaredExtensions[uri],
			"the optional extension %s is new", say.Quote(uri)))
	}
	return out
}

func extensionLostUnused(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	gone := set.Keys(p.DeclaredExtensions, func(uri string, was compile.Extension) bool {
		_, has := c.Now.DeclaredExtensions[uri]
		return !has && !was.Required && !requiresExtension(c, uri)
	})
	var out []Finding
	for _, uri := range gone {
		out = append(out, found(extensionPath(uri), p.DeclaredExtensions[uri], nil,
			"the optional extension %s is gone; the lock does not require it", say.Quote(uri)))
	}
	return out
}
