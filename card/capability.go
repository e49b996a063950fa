package card

import "github.com/a2alock/a2alock/internal/jsondoc"

const (
	fStreaming = iota
	fPush
	fExtended
	fExtensions
	fHistory
)

var capabilitySchema = jsondoc.NewSchema("streaming", "pushNotifications", "extendedAgentCard", "extensions", "stateTransitionHistory")

// capabilities reads the flags. All that is wrong here is an error of the
// document: each flag decides how every call is made.
func (r *reader) capabilities(c *Card, e *jsondoc.Element, m *jsondoc.Members) {
	var extended jsondoc.Ref
	if n := m.At[cCapabilities]; n == 0 {
		r.Missing(Error, e, m, cCapabilities)
	} else if r.Is('{', Error, e, n) {
		f := r.Members(e, n, capabilitySchema)
		c.Capabilities.Streaming = r.Flag(Error, e, f.At[fStreaming])
		c.Capabilities.PushNotifications = r.Flag(Error, e, f.At[fPush])
		extended = f.At[fExtended]
		r.Flag(Gap, e, f.At[fHistory])
		c.Capabilities.Extensions = r.extensions(e, f.At[fExtensions])
		c.Capabilities.Unknown = r.Raw(f.Unknown)
	}
	r.extendedCard(c, e, extended, m)
}

// extendedCard finds the flag in the three places it has had.
func (r *reader) extendedCard(c *Card, e *jsondoc.Element, declared jsondoc.Ref, m *jsondoc.Members) {
	value, from := false, Assumed
	if declared != 0 {
		value, from = r.Flag(Error, e, declared), Declared
	}
	for _, i := range []int{cExtendedLegacy, cExtendedDraft} {
		n := m.At[i]
		if n == 0 {
			continue
		}
		old := r.Flag(Error, e, n)
		if from == Assumed {
			value, from = old, Legacy
		} else if old != value && (r.At(n).Kind == 't' || r.At(n).Kind == 'f') {
			r.Warn("mirror-differs", n, "%s is %t and the flag that counts, before it, is %t", r.Label(n), old, value)
		}
	}
	c.Capabilities.ExtendedAgentCard = value
	c.Sources["extended_card"] = from
}

const (
	xURI = iota
	xDescription
	xRequired
	xParams
)

var extensionSchema = jsondoc.NewSchema("uri!", "description", "required", "params")

func (r *reader) extensions(e *jsondoc.Element, n jsondoc.Ref) []Extension {
	if n == 0 || !r.Is('[', Error, e, n) {
		return nil
	}
	var list []Extension
	for _, c := range r.Entries(n, jsondoc.MaxEntries) {
		if x, ok := r.extension(e, c); ok {
			list = append(list, x)
		}
	}
	return list
}

// extension reads one entry. One that cannot be read is left out, unless it
// may be required: then nobody knows what a call must bring, and the document
// is at fault.
func (r *reader) extension(document *jsondoc.Element, n jsondoc.Ref) (x Extension, ok bool) {
	e := &jsondoc.Element{Scope: ScopeExtension}
	if !r.Is('{', Error, e, n) {
		return x, false
	}
	m := r.Members(e, n, extensionSchema)
	if x.Required = r.Flag(Error, document, m.At[xRequired]); x.Required {
		e = document
	}
	x.URI = r.Need(Error, e, &m, xURI)
	x.Description = r.Str(Gap, e, m.At[xDescription])
	if p := m.At[xParams]; p != 0 {
		r.Is('{', Gap, e, p)
		x.Params = r.Canonical(p)
	}
	x.Unknown = r.Raw(m.Unknown)
	r.BigNumbers(e, n)
	return x, x.URI != "" && (x.Required || e.Disabled == "")
}
