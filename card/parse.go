package card

import (
	"bytes"
	"cmp"
	"fmt"
	"unicode/utf8"
)

// Options bound what [Parse] reads. The zero value means the usual limits.
type Options struct {
	Bytes  int // of the document; 0: 1 MiB
	Depth  int // of nesting; 0: 64
	Skills int // in the list; 0: 10,000
	// Strict makes every gap an error with the scope of the element it stands
	// in. Warnings stay warnings.
	Strict bool
}

// Parse reads an Agent Card of any shape from the bytes as received and keeps
// nothing of data.
//
// Its error is always a *[DocumentError]: [NotJSON] for bytes that are no
// UTF-8 JSON, [NotACard] for JSON that is something else, [TooLarge] over a
// limit, and [Invalid] for what no two readers read alike anywhere in the
// document: a repeated member, a lone surrogate, a number outside double
// range. All other faults are findings of the card; ask [Card.Err] whether
// one of them makes the card as a whole unusable.
func Parse(data []byte, o Options) (*Card, error) {
	o.Bytes = cmp.Or(o.Bytes, 1<<20)
	o.Depth = cmp.Or(o.Depth, 64)
	o.Skills = cmp.Or(o.Skills, 10_000)
	if len(data) > o.Bytes {
		return nil, &DocumentError{State: TooLarge, Msg: fmt.Sprintf("%d bytes, the limit is %d", len(data), o.Bytes)}
	}
	text := bytes.TrimPrefix(data, bom)
	if err := checkText(text); err != nil {
		return nil, err
	}
	t, err := scan(text, o.Depth)
	if err != nil {
		return nil, err
	}
	r := &reader{tree: t, data: text, strict: o.Strict, limit: o.Skills, told: make([]bool, len(t.big))}
	if err := r.name(); err != nil {
		return nil, err
	}
	if len(text) < len(data) {
		r.warn("byte-order-mark", root, "a byte order mark stands before the JSON (RFC 8259 8.1)")
	}
	c := r.card()
	if r.over != nil {
		return nil, r.over
	}
	return c, nil
}

// checkText names what is not JSON by how it begins, without repeating any of
// it.
func checkText(text []byte) *DocumentError {
	refuse := func(msg string) *DocumentError { return &DocumentError{State: NotJSON, Msg: msg} }
	for _, e := range []struct{ prefix, name string }{
		{"\xFF\xFE\x00\x00", "UTF-32"},
		{"\x00\x00\xFE\xFF", "UTF-32"},
		{"\xFF\xFE", "UTF-16"},
		{"\xFE\xFF", "UTF-16"},
	} {
		if bytes.HasPrefix(text, []byte(e.prefix)) {
			return refuse("the encoding is " + e.name + ", want UTF-8 (RFC 8259 8.1)")
		}
	}
	if len(text) > 1 && (text[0] == 0) != (text[1] == 0) {
		return refuse("the encoding is UTF-16, want UTF-8 (RFC 8259 8.1)")
	}
	if bytes.HasPrefix(text, []byte("\x1F\x8B")) {
		return refuse("gzip data, which the answer did not declare")
	}
	head := bytes.TrimLeft(text, " \t\r\n")
	if len(head) == 0 {
		return refuse("empty")
	}
	if head[0] == '<' {
		if isHTML(head) {
			return refuse("an HTML page")
		}
		return refuse("markup (HTML or XML)")
	}
	if !utf8.Valid(text) {
		return refuse(fmt.Sprintf("the encoding is not UTF-8: byte %d", firstInvalid(text)))
	}
	return nil
}

func isHTML(head []byte) bool {
	head = bytes.ToLower(head[:min(len(head), 1024)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.Contains(head, []byte("<html"))
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

// The members of an Agent Card, 1.0 (A2A 4.4.1) and before (A2A A.2.2).
const (
	cName = iota
	cDescription
	cVersion
	cProvider
	cIconURL
	cDocumentationURL
	cInterfaces
	cCapabilities
	cInputModes
	cOutputModes
	cSchemes
	cRequirements
	cSkills
	cSignatures
	cURL
	cTransport
	cAdditional
	cProtocolVersion
	cExtendedLegacy
	cExtendedDraft
	cSecurity
	cAuthentication
)

var cardSchema = newSchema(
	"name!", "description!", "version!", "provider", "iconUrl", "documentationUrl",
	"supportedInterfaces", "capabilities!", "defaultInputModes!", "defaultOutputModes!",
	"securitySchemes", "securityRequirements", "skills!", "signatures",
	"url", "preferredTransport", "additionalInterfaces", "protocolVersion",
	"supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard", "security", "authentication",
)

// card reads the whole card. What a call depends on is judged as an error,
// what only people read as a gap.
func (r *reader) card() *Card {
	e := &element{scope: ScopeDocument}
	m := r.members(e, root, cardSchema)
	c := &Card{Sources: make(map[string]Source, 5)}
	c.Name = r.need(Gap, e, &m, cName)
	c.Description = r.need(Gap, e, &m, cDescription)
	c.Version = r.need(Gap, e, &m, cVersion)
	c.Provider = r.provider(e, m.at[cProvider])
	c.IconURL = r.str(Gap, e, m.at[cIconURL])
	c.DocumentationURL = r.str(Gap, e, m.at[cDocumentationURL])

	r.interfaces(c, e, &m)
	r.capabilities(c, e, &m)
	c.DefaultInputModes = r.defaultModes(e, &m, cInputModes)
	c.DefaultOutputModes = r.defaultModes(e, &m, cOutputModes)
	r.schemes(c, m.at[cSchemes])
	r.cardSecurity(c, &m)
	r.skills(c, e, &m)
	c.Signatures = r.signatures(e, m.at[cSignatures])

	r.bigNumbers(e, root)
	c.Findings = r.findings()
	return c
}

const (
	pOrganization = iota
	pURL
)

var providerSchema = newSchema("organization!", "url!")

func (r *reader) provider(e *element, n ref) *Provider {
	if n == 0 || !r.is('{', Gap, e, n) {
		return nil
	}
	m := r.members(e, n, providerSchema)
	return &Provider{
		Organization: r.need(Gap, e, &m, pOrganization),
		URL:          r.need(Gap, e, &m, pURL),
	}
}

const (
	sProtected = iota
	sSignature
	sHeader
)

var signatureSchema = newSchema("protected!", "signature!", "header")

// signatures reads what can be read: a signature decides nothing here, and
// an entry that is none verifies nothing later.
func (r *reader) signatures(e *element, n ref) []Signature {
	if n == 0 || !r.is('[', Gap, e, n) {
		return nil
	}
	var list []Signature
	for _, c := range r.entries(n, maxEntries) {
		if !r.is('{', Gap, e, c) {
			continue
		}
		m := r.members(e, c, signatureSchema)
		s := Signature{
			Protected: r.need(Gap, e, &m, sProtected),
			Signature: r.need(Gap, e, &m, sSignature),
		}
		if h := m.at[sHeader]; h != 0 && r.is('{', Gap, e, h) {
			s.Header = r.canonical(h)
		}
		list = append(list, s)
	}
	return list
}

// defaultModes reads a list that skills without one of their own take over.
// It may be left open.
func (r *reader) defaultModes(e *element, m *members, i int) []string {
	if m.at[i] == 0 {
		r.missing(Gap, e, m, i)
		return nil
	}
	if r.nodes[m.at[i]].kind == '[' && r.nodes[m.at[i]].first == 0 {
		r.gap(e, "empty", m.at[i], "%s: empty", r.label(m.at[i]))
		return nil
	}
	return r.modes(e, m.at[i])
}
