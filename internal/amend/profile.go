package amend

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
)

// A Gap is a member of a profile that differs, and no finding about the card says
// all of why.
type Gap struct {
	Member   string         // "interfaces"
	At       []string       // what differs in it, by pointer into the profile
	Was, Now jsontext.Value // nil where there is none
}

// Card is what was said of a card: by the pointers of findings into the profile,
// and by the skills whose security they are about.
type Card struct {
	Told    *Told
	Secured map[string]bool
	Texts   bool // whether the policy wants to hear nothing of texts
}

// Untold returns the members of a recorded profile that differ from the one
// before and do not follow from what was said, in the order of their names.
// Profiles of one lock are compared as it records them, with the same skills.
//
// A member is told by a finding at it, around it or in it. What follows from
// others is held against them: a scheme is what skills that ask for it have of it,
// an extension is required or not as it is declared.
func Untold(was, now *compile.Profile, said *Card) []Gap {
	w := walk{containers: profileContainers}
	if err := w.member("", itemised(was), itemised(now)); err != nil { // what was written can be read
		panic("amend: a bug in a2alock: " + err.Error())
	}
	isOfInterface := func(c Change) bool { return strings.HasPrefix(c.Pointer, "/interfaces") }
	if !slices.ContainsFunc(w.changes, isOfInterface) && !slices.EqualFunc(was.Interfaces, now.Interfaces, isSameInterface) {
		w.changes = append(w.changes, Change{Pointer: "/interfaces"}) // their order
	}
	var out []Gap
	for _, c := range w.changes {
		if jsondoc.Same(c.Was, c.Now) && len(c.Was) > 0 || said.explains(c.Pointer, was, now) {
			continue
		}
		name, _, _ := strings.Cut(c.Pointer[1:], "/")
		if len(out) == 0 || out[len(out)-1].Member != name {
			out = append(out, Gap{Member: name, Was: memberOf(was, name), Now: memberOf(now, name)})
		}
		out[len(out)-1].At = append(out[len(out)-1].At, c.Pointer)
	}
	return out
}

// profileContainers are those of a profile, with sets and interfaces by name.
var profileContainers = map[string]bool{
	"":                       false,
	"/provider":              false,
	"/interfaces":            true,
	"/extensions":            true,
	"/required_extensions":   true,
	"/declared_extensions":   true,
	"/declared_extensions/*": false,
	"/schemes":               true,
	"/skills":                true,
	"/skills/*":              false,
	"/other_skills":          true,
	"/disabled":              true,
	"/ambiguous":             true,
	"/texts":                 true,
	"/unknown":               true,
	"/sources":               true,
}

// itemised is a profile with a name for each item of a list whose order does not
// count.
func itemised(p *compile.Profile) jsontext.Value {
	m, err := members(written(p))
	if err != nil {
		panic("amend: a bug in a2alock: " + err.Error())
	}
	for name, list := range map[string][]string{
		"extensions": p.Extensions, "required_extensions": p.RequiredExtensions, "ambiguous": p.Ambiguous,
	} {
		items := make(map[string]bool, len(list))
		for _, item := range list {
			items[item] = true
		}
		m[name] = written(items)
	}
	interfaces := map[string][]compile.Interface{}
	for _, i := range p.Interfaces {
		i.URL = compile.NormalizeURL(i.Binding, i.URL)
		interfaces[nameOf(&i)] = append(interfaces[nameOf(&i)], i)
	}
	m["interfaces"] = written(interfaces)
	if p.Interface != nil {
		chosen := *p.Interface
		chosen.URL = compile.NormalizeURL(chosen.Binding, chosen.URL)
		m["interface"] = written(chosen)
	}
	return written(m)
}

// written is a part of a profile as JSON, with numbers as they were written.
func written(v any) jsontext.Value {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // so that no text can fail
	if err != nil {
		panic("amend: a bug in a2alock: " + err.Error())
	}
	return text
}

// nameOf is what pointers call an interface.
func nameOf(i *compile.Interface) string { return i.Binding + "+" + i.Version }

func memberOf(p *compile.Profile, name string) jsontext.Value {
	m, err := members(written(p))
	if err != nil {
		return nil
	}
	return m[name]
}

func isSameInterface(a, b compile.Interface) bool {
	return nameOf(&a) == nameOf(&b) && compile.NormalizeURL(a.Binding, a.URL) == compile.NormalizeURL(b.Binding, b.URL)
}

// explains reports whether what was said tells why the member at a pointer is
// what it is now.
func (c *Card) explains(at string, was, now *compile.Profile) bool {
	list, name, rest := split(at)
	switch list {
	case "texts", "unknown": // named by what they are of
		return c.Texts && list == "texts" || c.Told.Of(name)
	case "other_skills", "disabled", "ambiguous":
		return c.Told.Of(say.Pointer("skills", name))
	case "skills":
		switch {
		case rest == "security" && was.SkillDigest(name) == now.SkillDigest(name): // spelled otherwise
			return true
		case rest == "security" || rest == "security_from":
			return c.Secured[name] || c.Told.At(at)
		}
		return c.Texts && rest == "tags" || c.Told.Of(at)
	case "schemes":
		return isAsUsed(name, now) || c.Told.Of(at)
	case "extensions":
		return c.Told.Of(say.Pointer("declared_extensions", name))
	case "required_extensions":
		return now.DeclaredExtensions[name].Required == slices.Contains(now.RequiredExtensions, name)
	case "usable", "reason":
		return c.Told.Of("/interface") || c.Told.In("/declared_extensions")
	case "interfaces":
		for _, i := range []*compile.Interface{was.Interface, now.Interface} {
			if i != nil && (name == "" || name == nameOf(i)) && c.Told.Of("/interface") {
				return true
			}
		}
	case "sources":
		return c.Told.Of("/shape") || c.Told.Of("/"+name) || len(c.Secured) > 0 && (name == "schemes" || strings.HasSuffix(name, "security"))
	}
	return c.Told.Of(at)
}

// split takes the pointer of a member of a profile apart.
func split(at string) (list, name, rest string) {
	list, _, _ = strings.Cut(at[1:], "/")
	name, rest, _ = say.Inside(at, "/"+list+"/")
	return list, name, rest
}

// isAsUsed reports whether p has of a scheme what its skills have of it.
func isAsUsed(name string, p *compile.Profile) bool {
	recorded, has := p.Schemes[name]
	used := false
	for _, s := range p.Skills {
		for _, a := range s.Security {
			use, ok := a.Schemes[name]
			switch {
			case !ok:
			case !has && use.Kind != card.KindUnknown, has && !jsondoc.Same(written(use.Scheme), written(recorded)):
				return false
			default:
				used = true
			}
		}
	}
	return used || !has
}
