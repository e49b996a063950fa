package card

import (
	"slices"

	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/jsondoc"
)

const (
	iURL = iota
	iBinding
	iVersion
	iTenant
	iTransport
)

// One schema serves both generations, so that entries that mix them are seen.
var interfaceSchema = jsondoc.NewSchema("url!", "protocolBinding!", "protocolVersion", "tenant", "transport!")

// An interfaceReader gathers the addresses of both generations.
type interfaceReader struct {
	*reader
	c    *Card
	m    *jsondoc.Members
	card version         // protocolVersion of the card
	used bool            // an entry asked for it
	ids  map[string]bool // identities of the usable entries
	urls map[string]bool // and their addresses
}

// interfaces reads the addresses: those of supportedInterfaces first, then
// the legacy endpoints that no earlier entry names.
func (r *reader) interfaces(c *Card, e *jsondoc.Element, m *jsondoc.Members) {
	listed, added, version := m.At[cInterfaces], m.At[cAdditional], m.At[cProtocolVersion]
	if version != 0 && r.At(version).Kind == '"' {
		c.ProtocolVersion = r.At(version).Str
	}
	ir := interfaceReader{reader: r, c: c, m: m, ids: map[string]bool{}, urls: map[string]bool{}}
	ir.card = parseVersion(c.ProtocolVersion)
	c.Shape = ir.shape()
	c.Sources["interfaces"] = Legacy
	if c.Shape == Shape10 || c.Shape == ShapeHybrid {
		c.Sources["interfaces"] = Declared
	}

	if listed != 0 && r.Is('[', Error, e, listed) {
		for _, n := range r.Entries(listed, jsondoc.MaxEntries) {
			ir.entry(n, false)
		}
	}
	ir.mirror()
	var more []jsondoc.Ref
	if added != 0 && r.Is('[', Error, e, added) {
		more = r.Entries(added, jsondoc.MaxEntries)
	}
	ir.legacy(more)
	ir.checkVersion(e)
	if listed == 0 || r.At(listed).Kind == '[' {
		ir.checkAny(e)
	}
}

// shape names the generation of the document by the members that hold its
// addresses.
func (ir *interfaceReader) shape() Shape {
	at := &ir.m.At
	listed := !ir.IsEmpty(at[cInterfaces])
	added := !ir.IsEmpty(at[cAdditional])
	legacy := !ir.IsEmpty(at[cURL]) || added
	switch {
	case listed && legacy:
		return ShapeHybrid
	case listed, !legacy && at[cInterfaces] != 0:
		return Shape10
	case ir.card.major == "0" && (ir.card.minor == "2" || ir.card.minor == "1"):
		return Shape02
	case at[cProtocolVersion] == 0 && !added && ir.IsEmpty(at[cTransport]):
		return Shape02
	}
	return Shape03
}

// A spot says where an interface's members stand, for findings.
type spot struct{ entry, url, binding, version jsondoc.Ref }

// entry reads one object of supportedInterfaces or additionalInterfaces.
func (ir *interfaceReader) entry(n jsondoc.Ref, legacy bool) {
	e := &jsondoc.Element{Scope: ScopeInterface}
	if !ir.Is('{', Error, e, n) {
		return
	}
	m := ir.Members(e, n, interfaceSchema)
	x := Interface{Legacy: legacy, Pointer: ir.Pointer(n)}
	x.URL = ir.Need(Error, e, &m, iURL)
	binding, other := iBinding, iTransport
	if legacy {
		binding, other = other, binding
	}
	at := spot{entry: n, url: m.At[iURL], version: m.At[iVersion]}
	switch {
	case m.At[binding] == 0 && m.At[other] != 0:
		ir.Warn("other-generation", m.At[other], "%s is spelled %s here", interfaceSchema.Name(other), interfaceSchema.Name(binding))
		at.binding = m.At[other]
		x.ProtocolBinding = ir.Need(Error, e, &m, other)
	default:
		at.binding = m.At[binding]
		x.ProtocolBinding = ir.Need(Error, e, &m, binding)
		if m.At[other] != 0 {
			m.Unknown = append(m.Unknown, m.At[other])
		}
	}
	x.Tenant = ir.Str(Error, e, m.At[iTenant])
	x.ProtocolVersion = ir.Str(Error, e, m.At[iVersion])
	if x.ProtocolVersion == "" && !legacy && ir.card.text == "" && e.Disabled == "" {
		ir.Missing(Gap, e, &m, iVersion)
	}
	x.Unknown = ir.Raw(m.Unknown)
	ir.BigNumbers(e, n)
	ir.finish(e, x, at)
}

// legacy reads url, and what stands beside it. A url without preferredTransport
// is the interface that is listed with this address, else JSONRPC: which, the
// other entries have to tell first. It stands before them all the same.
func (ir *interfaceReader) legacy(added []jsondoc.Ref) {
	first, named := len(ir.c.Interfaces), !ir.IsEmpty(ir.m.At[cTransport])
	if named {
		ir.main()
	}
	for _, n := range added {
		ir.entry(n, true)
	}
	if !named {
		last := len(ir.c.Interfaces)
		ir.main()
		main := slices.Clone(ir.c.Interfaces[last:])
		ir.c.Interfaces = slices.Insert(ir.c.Interfaces[:last], first, main...)
	}
}

// main reads url and preferredTransport.
func (ir *interfaceReader) main() {
	n, transport := ir.m.At[cURL], ir.m.At[cTransport]
	if ir.IsEmpty(n) {
		return
	}
	e := &jsondoc.Element{Scope: ScopeInterface}
	x := Interface{Legacy: true, Pointer: ir.Pointer(n)}
	x.URL = ir.Str(Error, e, n)
	x.ProtocolBinding = ir.Str(Error, e, transport)
	if x.ProtocolBinding == "" && e.Disabled == "" {
		if ir.isListed(x.URL) {
			return
		}
		x.ProtocolBinding = "JSONRPC"
	}
	ir.finish(e, x, spot{entry: n, url: n, binding: transport})
}

// isListed reports whether a usable entry has the address, which may be the
// host:port of GRPC. One that cannot be called stands for no other.
func (ir *interfaceReader) isListed(u string) bool {
	return ir.urls[address.Normalize("", u)] || ir.urls[address.Normalize("GRPC", u)]
}

// finish settles the version, judges binding and address, and keeps the
// entry unless an earlier one is the same interface.
func (ir *interfaceReader) finish(e *jsondoc.Element, x Interface, at spot) {
	v := parseVersion(x.ProtocolVersion)
	switch {
	case v.text != "":
		ir.checkOwnVersion(e, v, at.version)
	case e.Disabled != "": // nothing will be asked of it
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
	if e.Disabled == "" {
		ir.checkAddress(e, x, at.url)
	}
	if x.Disabled = e.Disabled; x.Disabled == "" {
		key := address.Normalize(x.ProtocolBinding, x.URL)
		id := x.ProtocolBinding + "\n" + x.Version + "\n" + key
		if ir.ids[id] {
			if !x.Legacy {
				ir.Warn("repeated-interface", at.entry, "an earlier entry has the same binding, version and url")
			}
			return
		}
		ir.ids[id], ir.urls[key] = true, true
	}
	ir.c.Interfaces = append(ir.c.Interfaces, x)
}

// mirror compares url with the 1.0 entries that it should repeat.
func (ir *interfaceReader) mirror() {
	n := ir.m.At[cURL]
	if ir.c.Shape != ShapeHybrid || n == 0 || ir.At(n).Kind != '"' || ir.At(n).Str == "" {
		return
	}
	u := ir.At(n).Str
	i := slices.IndexFunc(ir.c.Interfaces, func(x Interface) bool { return x.Disabled == "" })
	if i < 0 || ir.isListed(u) {
		return
	}
	ir.Warn("mirror-differs", n, "url is %s, and no entry of supportedInterfaces has that address; the first has %s", jsondoc.Quote(u), jsondoc.Quote(ir.c.Interfaces[i].URL))
}

// checkAny reports a card without any address to call.
func (ir *interfaceReader) checkAny(e *jsondoc.Element) {
	if slices.ContainsFunc(ir.c.Interfaces, func(x Interface) bool { return x.Disabled == "" }) {
		return
	}
	n := ir.m.At[cInterfaces]
	if n == 0 {
		n = ir.m.At[cURL]
	}
	switch {
	case n == 0:
		ir.Err(e, "no-interface", jsondoc.Root, "neither supportedInterfaces nor url is there")
	case ir.IsEmpty(n):
		ir.Err(e, "no-interface", n, "%s: empty", ir.Label(n))
	default:
		reason := "no entry is an object"
		if len(ir.c.Interfaces) > 0 {
			reason = ir.c.Interfaces[0].Disabled
		}
		ir.Err(e, "no-interface", n, "no interface can be called: %s", reason)
	}
}
