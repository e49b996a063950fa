package card

import "slices"

const (
	iURL = iota
	iBinding
	iVersion
	iTenant
	iTransport
)

// One schema serves both generations, so that entries that mix them are seen.
var interfaceSchema = newSchema("url!", "protocolBinding!", "protocolVersion", "tenant", "transport!")

// An interfaceReader gathers the addresses of both generations.
type interfaceReader struct {
	*reader
	c    *Card
	m    *members
	card version         // protocolVersion of the card
	used bool            // an entry asked for it
	ids  map[string]bool // identities of the usable entries
	urls map[string]bool // and their addresses
}

// interfaces reads the addresses: those of supportedInterfaces first, then
// the legacy endpoints that no earlier entry names.
func (r *reader) interfaces(c *Card, e *element, m *members) {
	listed, added, version := m.at[cInterfaces], m.at[cAdditional], m.at[cProtocolVersion]
	if version != 0 && r.nodes[version].kind == '"' {
		c.ProtocolVersion = r.nodes[version].str
	}
	ir := interfaceReader{reader: r, c: c, m: m, ids: map[string]bool{}, urls: map[string]bool{}}
	ir.card = parseVersion(c.ProtocolVersion)
	c.Shape = ir.shape()
	r.pure = c.Shape == Shape10
	c.Sources["interfaces"] = Legacy
	if c.Shape == Shape10 || c.Shape == ShapeHybrid {
		c.Sources["interfaces"] = Declared
	}

	if listed != 0 && r.is('[', Error, e, listed) {
		for _, n := range r.entries(listed, maxEntries) {
			ir.entry(n, false)
		}
	}
	ir.mirror()
	var more []ref
	if added != 0 && r.is('[', Error, e, added) {
		more = r.entries(added, maxEntries)
	}
	ir.main(more)
	for _, n := range more {
		ir.entry(n, true)
	}
	ir.checkVersion(e)
	if listed == 0 || r.nodes[listed].kind == '[' {
		ir.checkAny(e)
	}
}

// shape names the generation of the document by the members that hold its
// addresses.
func (ir *interfaceReader) shape() Shape {
	at := &ir.m.at
	listed := !ir.empty(at[cInterfaces])
	added := !ir.empty(at[cAdditional])
	legacy := !ir.empty(at[cURL]) || added
	switch {
	case listed && legacy:
		return ShapeHybrid
	case listed, !legacy && at[cInterfaces] != 0:
		return Shape10
	case ir.card.major == "0" && (ir.card.minor == "2" || ir.card.minor == "1"):
		return Shape02
	case at[cProtocolVersion] == 0 && !added && ir.empty(at[cTransport]):
		return Shape02
	}
	return Shape03
}

// A spot says where an interface's members stand, for findings.
type spot struct{ entry, url, binding, version ref }

// entry reads one object of supportedInterfaces or additionalInterfaces.
func (ir *interfaceReader) entry(n ref, legacy bool) {
	e := &element{scope: ScopeInterface}
	if !ir.is('{', Error, e, n) {
		return
	}
	m := ir.members(e, n, interfaceSchema)
	x := Interface{Legacy: legacy, Pointer: ir.pointer(n)}
	x.URL = ir.need(Error, e, &m, iURL)
	binding, other := iBinding, iTransport
	if legacy {
		binding, other = other, binding
	}
	at := spot{entry: n, url: m.at[iURL], version: m.at[iVersion]}
	switch {
	case m.at[binding] == 0 && m.at[other] != 0:
		ir.warn("other-generation", m.at[other], "%s is spelled %s here", interfaceSchema.names[other], interfaceSchema.names[binding])
		at.binding = m.at[other]
		x.ProtocolBinding = ir.need(Error, e, &m, other)
	default:
		at.binding = m.at[binding]
		x.ProtocolBinding = ir.need(Error, e, &m, binding)
		if m.at[other] != 0 {
			m.unknown = append(m.unknown, m.at[other])
		}
	}
	x.Tenant = ir.str(Error, e, m.at[iTenant])
	x.ProtocolVersion = ir.str(Error, e, m.at[iVersion])
	if x.ProtocolVersion == "" && !legacy && ir.card.text == "" && e.disabled == "" {
		ir.missing(Gap, e, &m, iVersion)
	}
	x.Unknown = ir.unknown(m.unknown)
	ir.bigNumbers(e, n)
	ir.finish(e, x, at)
}

// main reads url and preferredTransport. Without the latter, an interface
// that is listed with this address is meant, else JSONRPC.
func (ir *interfaceReader) main(added []ref) {
	n, transport := ir.m.at[cURL], ir.m.at[cTransport]
	if ir.empty(n) {
		return
	}
	e := &element{scope: ScopeInterface}
	x := Interface{Legacy: true, Pointer: ir.pointer(n)}
	x.URL = ir.str(Error, e, n)
	x.ProtocolBinding = ir.str(Error, e, transport)
	if x.ProtocolBinding == "" && e.disabled == "" {
		if ir.isListed(x.URL, added) {
			return
		}
		x.ProtocolBinding = "JSONRPC"
	}
	ir.finish(e, x, spot{entry: n, url: n, binding: transport})
}

// isListed reports whether a usable 1.0 entry, or one of added, has the
// address.
func (ir *interfaceReader) isListed(u string, added []ref) bool {
	if ir.urls[urlKey("", u)] {
		return true
	}
	return slices.ContainsFunc(added, func(n ref) bool {
		for c := ir.nodes[n].first; c != 0; c = ir.nodes[c].next {
			if v := &ir.nodes[c]; v.name == "url" && v.kind == '"' {
				return urlKey("", v.str) == urlKey("", u)
			}
		}
		return false
	})
}

// finish settles the version, judges binding and address, and keeps the
// entry unless an earlier one is the same interface.
func (ir *interfaceReader) finish(e *element, x Interface, at spot) {
	v := parseVersion(x.ProtocolVersion)
	switch {
	case v.text != "":
		ir.checkOwnVersion(e, v, at.version)
	case e.disabled != "": // nothing will be asked of it
	case x.Legacy:
		ir.used = true
		if v = ir.card; v.major != "0" {
			v = parseVersion("0.3")
		}
	default:
		ir.used = true
		v = ir.card
	}
	x.ProtocolVersion, x.Version = v.text, v.majorMinor()
	ir.checkBinding(e, x.ProtocolBinding, at.binding)
	if e.disabled == "" {
		ir.checkAddress(e, x, at.url)
	}
	if x.Disabled = e.disabled; x.Disabled == "" {
		key := urlKey(x.ProtocolBinding, x.URL)
		id := x.ProtocolBinding + "\n" + x.Version + "\n" + key
		if ir.ids[id] {
			if !x.Legacy {
				ir.warn("repeated-interface", at.entry, "an earlier entry has the same binding, version and url")
			}
			return
		}
		ir.ids[id], ir.urls[key] = true, true
	}
	ir.c.Interfaces = append(ir.c.Interfaces, x)
}

// mirror compares url with the 1.0 entries that it should repeat.
func (ir *interfaceReader) mirror() {
	n := ir.m.at[cURL]
	if ir.c.Shape != ShapeHybrid || n == 0 || ir.nodes[n].kind != '"' || ir.nodes[n].str == "" {
		return
	}
	u := ir.nodes[n].str
	i := slices.IndexFunc(ir.c.Interfaces, func(x Interface) bool { return x.Disabled == "" })
	if i < 0 || ir.urls[urlKey("", u)] {
		return
	}
	ir.warn("mirror-differs", n, "url is %s, and no entry of supportedInterfaces has that address; the first has %s", quote(u), quote(ir.c.Interfaces[i].URL))
}

// checkAny reports a card without any address to call.
func (ir *interfaceReader) checkAny(e *element) {
	if slices.ContainsFunc(ir.c.Interfaces, func(x Interface) bool { return x.Disabled == "" }) {
		return
	}
	n := ir.m.at[cInterfaces]
	if n == 0 {
		n = ir.m.at[cURL]
	}
	switch {
	case n == 0:
		ir.err(e, "no-interface", root, "neither supportedInterfaces nor url is there")
	case ir.empty(n):
		ir.err(e, "no-interface", n, "%s: empty", ir.label(n))
	default:
		reason := "no entry is an object"
		if len(ir.c.Interfaces) > 0 {
			reason = ir.c.Interfaces[0].Disabled
		}
		ir.err(e, "no-interface", n, "no interface can be called: %s", reason)
	}
}
