package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/a2alock/a2alock/internal/cachecontrol"
	"github.com/a2alock/a2alock/netguard"
)

const (
	// fieldBytes is the greatest value of a header that is remembered.
	fieldBytes = 1 << 10
	// ignoredTimes is after how many answers in a row a validator that the server
	// took no notice of is called ineffective.
	ignoredTimes = 3
)

// A Memory is what a conditional request goes by: the entries of the URLs that
// answered with the last good body. The zero Memory remembers nothing, and
// leads to an unconditional request. It is stored as JSON, and is kept with the
// body as one: an entry names the digest of the body it is about.
type Memory struct {
	// Entries has what answered last first.
	Entries []Entry `json:"entries,omitzero"`
	// Ignored counts the answers in a row that were 200 with the body and the
	// validator that the request named, as far as it matters.
	Ignored int `json:"ignored,omitzero"`
	// Unreliable counts the answers that gave the old validator to another body.
	// Above 0 no request is conditional. A caller that finds the two bodies to be
	// the same card may take the count back.
	Unreliable int `json:"unreliable,omitzero"`
}

// An Entry is the cache's entry for one exact URL and one identity.
type Entry struct {
	URL      string `json:"url"`
	Identity string `json:"identity,omitzero"`
	// Digest is that of the decoded body: sha256: and 64 hex digits.
	Digest string `json:"digest"`
	// What the answer said, in its own bytes.
	ETag         Field `json:"etag,omitzero"`
	LastModified Field `json:"last_modified,omitzero"`
	Date         Field `json:"date,omitzero"`
	CacheControl Field `json:"cache_control,omitzero"`
	Expires      Field `json:"expires,omitzero"`
	// Vary are the request headers that the answer was chosen by, and Variant is a
	// digest of what they, and A2A-Version, were: some may be secrets.
	Vary    []string `json:"vary,omitzero"`
	Variant string   `json:"variant"`
}

// A Field is the value of a header, byte for byte as it came. As text (in JSON)
// its bytes are Latin-1, so that those beyond ASCII come back as they were.
type Field string

// MarshalText never fails.
func (f Field) MarshalText() ([]byte, error) {
	text := make([]byte, 0, len(f))
	for i := range len(f) {
		text = utf8.AppendRune(text, rune(f[i]))
	}
	return text, nil
}

// UnmarshalText reads what MarshalText wrote; other text is no value, and leads
// to an unconditional request.
func (f *Field) UnmarshalText(text []byte) error {
	value := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r > 0xff {
			*f = ""
			return nil
		}
		value = append(value, byte(r))
	}
	*f = Field(value)
	return nil
}

// IsIgnored is whether the server takes no notice of its own validator: it sends
// the whole card, although it has not changed.
func (m *Memory) IsIgnored() bool { return m.Ignored >= ignoredTimes }

// find is the entry that a request may be conditional by; nil: none. Its body
// is not yet looked at.
func (m *Memory) find(req *http.Request, identity string) *Entry {
	asked := req.URL.String()
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.URL == asked && e.Identity == identity && e.Variant == variant(req.Header, e.Vary) {
			return e
		}
	}
	return nil
}

// put makes e the entry of its URL. Others stay if they are about the same
// body: two that a server alternates between are both worth knowing.
func (m *Memory) put(e Entry) {
	entries := []Entry{e}
	for _, old := range m.Entries {
		same := old.URL == e.URL && old.Identity == e.Identity
		if !same && old.Digest == e.Digest && len(entries) <= netguard.MaxHops {
			entries = append(entries, old)
		}
	}
	m.Entries = entries
}

// newEntry is what a 200 to req leaves.
func newEntry(req *http.Request, identity string, header http.Header, digest string) Entry {
	e := Entry{URL: req.URL.String(), Identity: identity, Digest: digest}
	e.update(req, header)
	return e
}

// update lays the headers of a 304 over e (RFC 9111 3.2); what they leave out
// stays.
func (e *Entry) update(req *http.Request, header http.Header) {
	for _, f := range [...]struct {
		name string
		to   *Field
	}{
		{"Etag", &e.ETag},
		{"Last-Modified", &e.LastModified},
		{"Date", &e.Date},
		{"Cache-Control", &e.CacheControl},
		{"Expires", &e.Expires},
	} {
		if len(header[f.name]) == 0 {
			continue
		}
		*f.to = ""
		switch v := joined(header, f.name); {
		case len(v) <= fieldBytes:
			*f.to = Field(v)
		case f.to == &e.CacheControl && cachecontrol.NoStore(v):
			*f.to = "no-store"
		}
	}
	if header["Vary"] != nil {
		e.Vary = varies(header)
	}
	e.Variant = variant(req.Header, e.Vary)
}

// validate makes req conditional by e, exactly as its server said it; false
// where e has nothing to send.
func (e *Entry) validate(req *http.Request) bool {
	if slices.Contains(e.Vary, "*") {
		return false
	}
	if isETag(string(e.ETag)) {
		req.Header["If-None-Match"] = []string{string(e.ETag)}
	}
	if e.dated() {
		req.Header["If-Modified-Since"] = []string{string(e.LastModified)}
	}
	return req.Header["If-None-Match"] != nil || req.Header["If-Modified-Since"] != nil
}

// dated is whether Last-Modified tells two bodies apart: it is earlier than the
// answer (RFC 9110 8.8.2.2), since another body may come in the same second. Both
// are by the server's clock, of which ours knows nothing.
func (e *Entry) dated() bool {
	modified, date := parseTime(e.LastModified), parseTime(e.Date)
	return !modified.IsZero() && (e.Date == "" || modified.Before(date))
}

// confirmedBy is whether a 304 with this header is about e. One that names
// another validator is about an answer that we never had (RFC 9111 4.3.4). A
// weak tag and its strong form are one: compressing proxies weaken those of a
// 200 alone.
func (e *Entry) confirmedBy(header http.Header) bool {
	tag := joined(header, "Etag")
	switch {
	case tag == "":
		return true
	case e.ETag != "":
		return weak(tag) == weak(string(e.ETag))
	}
	return e.LastModified != "" && joined(header, "Last-Modified") == string(e.LastModified)
}

// sameValidator names the validator that two answers share, "" where there is
// none that says their bodies are equal.
func (e *Entry) sameValidator(other *Entry) string {
	switch {
	case e.ETag != "" && weak(string(e.ETag)) == weak(string(other.ETag)):
		return "ETag"
	case e.ETag == "" && other.ETag == "" && e.dated() && e.LastModified == other.LastModified:
		return "Last-Modified"
	}
	return ""
}

// isETag is RFC 9110's entity-tag. What is none is compared, and never sent.
func isETag(s string) bool {
	s = weak(s)
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

// weak is a tag as the weak comparison sees it.
func weak(tag string) string { return strings.TrimPrefix(tag, "W/") }

// joined is a header that came in one line or in several.
func joined(header http.Header, name string) string {
	return strings.Join(header.Values(name), ", ")
}

// varies are the names in Vary, sorted; "*" is one of them.
func varies(header http.Header) []string {
	var names []string
	for name := range strings.SplitSeq(joined(header, "Vary"), ",") {
		if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(strings.Join(names, "")) > fieldBytes {
		return []string{"*"}
	}
	return names
}

// variant is a digest of what a request said in the headers an answer varies by.
func variant(header http.Header, vary []string) string {
	if len(vary) == 0 && joined(header, "A2a-Version") == protocolVersion { // as it is nearly always
		return plainVariant()
	}
	return digestVariant(header, vary)
}

var plainVariant = sync.OnceValue(func() string {
	return digestVariant(http.Header{"A2a-Version": {protocolVersion}}, nil)
})

func digestVariant(header http.Header, vary []string) string {
	text := make([]byte, 0, 256)
	add := func(name string) {
		text = append(append(append(append(text, name...), ": "...), joined(header, name)...), '\n')
	}
	add("A2a-Version")
	for _, name := range vary {
		add(name)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// digestOf is the digest of a body as an [Entry] names it.
func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}
