package card

const (
	fStreaming = iota
	fPush
	fExtended
	fExtensions
	fHistory
)

var capabilitySchema = newSchema("streaming", "pushNotifications", "extendedAgentCard", "extensions", "stateTransitionHistory")

// capabilities reads the flags. All that is wrong here is an error of the
// document: each flag decides how every call is made.
func (r *reader) capabilities(c *Card, e *element, m *members) {
	var extended ref
	if n := m.at[cCapabilities]; n == 0 {
		r.missing(Error, e, m, cCapabilities)
	} else if r.is('{', Error, e, n) {
		f := r.members(e, n, capabilitySchema)
		c.Capabilities.Streaming = r.flag(Error, e, f.at[fStreaming])
		c.Capabilities.PushNotifications = r.flag(Error, e, f.at[fPush])
		extended = f.at[fExtended]
		r.flag(Gap, e, f.at[fHistory])
		c.Capabilities.Extensions = r.extensions(e, f.at[fExtensions])
		c.Capabilities.Unknown = r.unknown(f.unknown)
	}
	r.extendedCard(c, e, extended, m)
}

// extendedCard finds the flag in the three places it has had.
func (r *reader) extendedCard(c *Card, e *element, declared ref, m *members) {
	value, from := false, Assumed
	if declared != 0 {
		value, from = r.flag(Error, e, declared), Declared
	}
	for _, i := range []int{cExtendedLegacy, cExtendedDraft} {
		n := m.at[i]
		if n == 0 {
			continue
		}
		old := r.flag(Error, e, n)
		if from == Assumed {
			value, from = old, Legacy
		} else if old != value && (r.nodes[n].kind == 't' || r.nodes[n].kind == 'f') {
			r.warn("mirror-differs", n, "%s is %t and the flag that counts, before it, is %t", r.label(n), old, value)
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

var extensionSchema = newSchema("uri!", "description", "required", "params")

func (r *reader) extensions(e *element, n ref) []Extension {
	if n == 0 || !r.is('[', Error, e, n) {
		return nil
	}
	var list []Extension
	for _, c := range r.entries(n, maxEntries) {
		if x, ok := r.extension(e, c); ok {
			list = append(list, x)
		}
	}
	return list
}

// extension reads one entry. One that cannot be read is left out, unless it
// may be required: then nobody knows what a call must bring, and the document
// is at fault.
func (r *reader) extension(document *element, n ref) (x Extension, ok bool) {
	e := &element{scope: ScopeExtension}
	if !r.is('{', Error, e, n) {
		return x, false
	}
	m := r.members(e, n, extensionSchema)
	if x.Required = r.flag(Error, document, m.at[xRequired]); x.Required {
		e = document
	}
	x.URI = r.need(Error, e, &m, xURI)
	x.Description = r.str(Gap, e, m.at[xDescription])
	if p := m.at[xParams]; p != 0 {
		r.is('{', Gap, e, p)
		x.Params = r.canonical(p)
	}
	x.Unknown = r.unknown(m.unknown)
	r.bigNumbers(e, n)
	return x, x.URI != "" && (x.Required || e.disabled == "")
}
