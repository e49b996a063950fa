package card

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// bom is the byte order mark that RFC 8259 8.1 lets a reader skip.
var bom = []byte("\xEF\xBB\xBF")

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
	tree, refusal := jsondoc.Parse(text, o.Depth)
	if refusal != nil {
		return nil, refused(refusal)
	}
	r := &reader{Reader: jsondoc.NewReader(tree, o.Strict), limit: o.Skills}
	if err := r.name(); err != nil {
		return nil, err
	}
	if len(text) < len(data) {
		r.Warn("byte-order-mark", jsondoc.Root, "a byte order mark stands before the JSON (RFC 8259 8.1)")
	}
	c := r.card()
	if refusal := r.Refused(); refusal != nil {
		return nil, refused(refusal)
	}
	return c, nil
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

var cardSchema = jsondoc.NewSchema(
	"name!", "description!", "version!", "provider", "iconUrl", "documentationUrl",
	"supportedInterfaces", "capabilities!", "defaultInputModes!", "defaultOutputModes!",
	"securitySchemes", "securityRequirements", "skills!", "signatures",
	"url", "preferredTransport", "additionalInterfaces", "protocolVersion",
	"supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard", "security", "authentication",
)

// card reads the whole card. What a call depends on is judged as an error,
// what only people read as a gap.
func (r *reader) card() *Card {
	e := &jsondoc.Element{Scope: ScopeDocument}
	m := r.Members(e, jsondoc.Root, cardSchema)
	c := &Card{Sources: make(map[string]Source, 5)}
	c.Name = r.Need(Gap, e, &m, cName)
	c.Description = r.Need(Gap, e, &m, cDescription)
	c.Version = r.Need(Gap, e, &m, cVersion)
	c.Provider = r.provider(e, m.At[cProvider])
	c.IconURL = r.Str(Gap, e, m.At[cIconURL])
	c.DocumentationURL = r.Str(Gap, e, m.At[cDocumentationURL])

	r.interfaces(c, e, &m)
	r.capabilities(c, e, &m)
	c.DefaultInputModes = r.defaultModes(e, &m, cInputModes)
	c.DefaultOutputModes = r.defaultModes(e, &m, cOutputModes)
	r.security(c, &m)
	r.skills(c, e, &m)
	c.Signatures = r.signatures(e, m.At[cSignatures])

	r.hosts(&m)
	r.BigNumbers(e, jsondoc.Root)
	c.Findings = r.findings()
	return c
}

const (
	pOrganization = iota
	pURL
)

var providerSchema = jsondoc.NewSchema("organization!", "url!")

func (r *reader) provider(e *jsondoc.Element, n jsondoc.Ref) *Provider {
	if n == 0 || !r.Is('{', Gap, e, n) {
		return nil
	}
	m := r.Members(e, n, providerSchema)
	return &Provider{
		Organization: r.Need(Gap, e, &m, pOrganization),
		URL:          r.Need(Gap, e, &m, pURL),
	}
}

const (
	sProtected = iota
	sSignature
	sHeader
)

var signatureSchema = jsondoc.NewSchema("protected!", "signature!", "header")

// signatures reads what can be read: a signature decides nothing here, and
// an entry that is none verifies nothing later.
func (r *reader) signatures(e *jsondoc.Element, n jsondoc.Ref) []Signature {
	if n == 0 || !r.Is('[', Gap, e, n) {
		return nil
	}
	var list []Signature
	for _, c := range r.Entries(n, jsondoc.MaxEntries) {
		if !r.Is('{', Gap, e, c) {
			continue
		}
		m := r.Members(e, c, signatureSchema)
		s := Signature{
			Protected: r.Need(Gap, e, &m, sProtected),
			Signature: r.Need(Gap, e, &m, sSignature),
		}
		if h := m.At[sHeader]; h != 0 && r.Is('{', Gap, e, h) {
			s.Header = r.Canonical(h)
		}
		list = append(list, s)
	}
	return list
}

// defaultModes reads a list that skills without one of their own take over.
// It may be left open.
func (r *reader) defaultModes(e *jsondoc.Element, m *jsondoc.Members, i int) []string {
	if m.At[i] == 0 {
		r.Missing(Gap, e, m, i)
		return nil
	}
	if r.At(m.At[i]).Kind == '[' && r.At(m.At[i]).First == 0 {
		r.Gap(e, "empty", m.At[i], "%s: empty", r.Label(m.At[i]))
		return nil
	}
	return r.modes(e, m.At[i])
}
