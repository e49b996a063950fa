package card

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The members of a small card that is right in every way.
var shared = [][2]string{
	{"name", `"Quotes"`},
	{"description", `"Prices journeys."`},
	{"version", `"3.2.0"`},
	{"capabilities", `{"streaming":true}`},
	{"defaultInputModes", `["application/json"]`},
	{"defaultOutputModes", `["application/json"]`},
	{"skills", `[{"id":"quote","name":"Quote","description":"Prices.","tags":["price"]}]`},
}

// card10 is that card in the shape of 1.0, with members replaced, added, or,
// where the value is empty, taken out: name, value, name, value, …
func card10(changes ...string) string {
	return build(append(slices.Clone(shared), [2]string{
		"supportedInterfaces", `[{"url":"https://a.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`,
	}), changes)
}

// card03 is the card in the shape of 0.3.
func card03(changes ...string) string {
	return build(append(slices.Clone(shared),
		[2]string{"url", `"https://a.example/rpc"`},
		[2]string{"preferredTransport", `"JSONRPC"`},
		[2]string{"protocolVersion", `"0.3.0"`},
	), changes)
}

func build(members [][2]string, changes []string) string {
	for i := 0; i < len(changes); i += 2 {
		at := slices.IndexFunc(members, func(m [2]string) bool { return m[0] == changes[i] })
		if at < 0 {
			at = len(members)
			members = append(members, [2]string{changes[i]})
		}
		members[at][1] = changes[i+1]
	}
	var b strings.Builder
	for _, m := range members {
		if m[1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m[0], m[1])
	}
	return "{" + b.String() + "}"
}

func mustParse(t *testing.T, doc string) *Card {
	t.Helper()
	c, err := Parse([]byte(doc), Options{})
	if err != nil {
		t.Fatalf("Parse(%s) = %v", doc, err)
	}
	checkLaws(t, "card", c)
	return c
}

// found writes findings as "severity code path", and an error's scope.
func found(c *Card) []string {
	list := []string{}
	for _, f := range c.Findings {
		s := fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Path)
		if f.Scope != "" {
			s += " " + string(f.Scope)
		}
		list = append(list, s)
	}
	return list
}

// A findingCase holds all findings of a document, so that one fault gives one.
type findingCase struct {
	name string
	doc  string
	want []string
}

func runFindingCases(t *testing.T, tests []findingCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(mustParse(t, tt.doc))
			if tt.want == nil {
				tt.want = []string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", tt.doc, diff)
			}
		})
	}
}

func TestParseFindings(t *testing.T) {
	runFindingCases(t, []findingCase{
		{"1.0", card10(), nil},
		{"0.3", card03(), nil},
		{"0.2", card03("preferredTransport", "", "protocolVersion", ""), nil},
		{"null is absent", card10("provider", "null", "signatures", "null", "iconUrl", "null", "url", "null"), nil},
		{"unknown members", card10("x", `{"a":[1]}`, "$schema", `"x"`), nil},

		// Types before values, and no coercion.
		{"streaming is a string", card10("capabilities", `{"streaming":"yes"}`), []string{"error wrong-type /capabilities/streaming document"}},
		{"streaming is a number", card10("capabilities", `{"streaming":1}`), []string{"error wrong-type /capabilities/streaming document"}},
		{"capabilities is a list", card10("capabilities", `[]`), []string{"error wrong-type /capabilities document"}},
		{"capabilities is missing", card10("capabilities", ""), []string{"error missing /capabilities document"}},
		{"skills is an object", card10("skills", `{}`), []string{"error wrong-type /skills document"}},
		{"skills is missing", card10("skills", ""), []string{"error missing /skills document"}},
		{"skills is empty", card10("skills", `[]`), []string{"error no-skill /skills document"}},
		{"interfaces is a string", card10("supportedInterfaces", `"https://a.example"`), []string{"error wrong-type /supportedInterfaces document"}},
		{"modes is a string", card10("defaultInputModes", `"text/plain"`), []string{"error wrong-type /defaultInputModes document"}},
		{"a mode is a number", card10("defaultInputModes", `["text/plain",1,2]`), []string{"error wrong-type /defaultInputModes/1 document"}},

		// What no call depends on, or may be left open.
		{"no version", card10("version", ""), []string{"gap missing /version"}},
		{"version is a number", card10("version", "3"), []string{"gap wrong-type /version"}},
		{"name is empty", card10("name", `""`), []string{"gap empty /name"}},
		{"no modes", card10("defaultInputModes", "", "defaultOutputModes", "[]"), []string{"gap missing /defaultInputModes", "gap empty /defaultOutputModes"}},
		{"provider is a string", card10("provider", `"Acme"`), []string{"gap wrong-type /provider"}},
		{"provider without url", card10("provider", `{"organization":"Acme"}`), []string{"gap missing /provider/url"}},
		{"a signature is a string", card10("signatures", `["x"]`), []string{"gap wrong-type /signatures/0"}},

		// Spelling.
		{"snake_case", card10("defaultInputModes", "", "default_input_modes", `["text/plain"]`), []string{"warning snake-case /default_input_modes"}},
		{"both spellings, equal", card10("default_input_modes", ` [ "application/json" ] `), []string{"warning snake-case /default_input_modes"}},
		{"both spellings, unequal", card10("default_input_modes", `["text/plain"]`), []string{"error spellings-differ /default_input_modes document"}},
		{"another case, optional", card10("IconURL", `"https://a.example/i"`), []string{"gap case-variant /IconURL"}},
		{"another case beside the right one", card10("Skills", `[]`), []string{"gap case-variant /Skills"}},
		{"another case instead", card10("Skills", `[]`, "skills", ""), []string{"error missing /skills document"}},

		{"big integer", card10("x", "9007199254740993"), []string{"gap number-precision /x"}},
		{"2^53 shares its double", card10("x", "9007199254740992"), []string{"gap number-precision /x"}},
		{"2^53-1 does not", card10("x", "9007199254740991"), nil},
		{"vanishing number", card10("x", "1e-400"), []string{"gap number-precision /x"}},
		{"big numbers are one finding", card10("x", "[12345678901234567890,12345678901234567891]"), []string{"gap number-precision /x/0"}},
		{
			"document order", card10("version", "", "skills", `[{"id":"a","name":"A","description":"D"}]`, "url", `"/x"`),
			[]string{"gap missing /version", "gap missing /skills/0/tags", "warning mirror-differs /url", "error relative-interface-url /url interface"},
		},
	})
}

func TestParseMessage(t *testing.T) {
	c := mustParse(t, card10("capabilities", `{"streaming":"yes"}`, "Skills", `[]`))
	want := []string{
		"streaming: want a boolean, got a string",
		`"Skills" is not read: names match exactly, and it is spelled skills`,
	}
	var got []string
	for _, f := range c.Findings {
		got = append(got, f.Message)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	err := c.Err()
	if want := "card-invalid: /capabilities/streaming: want a boolean, got a string"; err == nil || err.Error() != want {
		t.Errorf("Err() = %v, want %s", err, want)
	}
}

// Foreign names are quoted and cut wherever a message repeats them.
func TestParseMessageQuotes(t *testing.T) {
	evil := `x\u001b]52;c\u0007\u202e` + strings.Repeat("é", 500)
	c := mustParse(t, card10(
		"securitySchemes", `{"`+evil+`":1}`,
		"securityRequirements", `[{"schemes":{"`+evil+`y":{}}}]`,
		"supportedInterfaces", `[{"url":"`+evil+`","protocolBinding":"`+evil+`","protocolVersion":"`+evil+`"}]`,
		"skills", `[{"id":"`+evil+`"},{"id":"`+evil+`","inputModes":["*`+evil+`"]}]`,
	))
	if len(c.Findings) < 8 {
		t.Fatalf("findings = %v, want at least 8", found(c))
	}
	for _, f := range c.Findings {
		if names := Hidden(f.Message); names != nil {
			t.Errorf("message %q holds %v", f.Message, names)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name string
		doc  string
		want DocumentError
	}{
		{"nothing", "", DocumentError{NotJSON, "", "empty"}},
		{"space", " \n", DocumentError{NotJSON, "", "empty"}},
		{"HTML", "\n<!DOCTYPE html><title>Sign in</title>", DocumentError{NotJSON, "", "an HTML page"}},
		{"XML", "<?xml version='1.0'?><a/>", DocumentError{NotJSON, "", "markup (HTML or XML)"}},
		{"text", "Not found: secret", DocumentError{NotJSON, "", "no JSON at line 1, column 1"}},
		{"cut short", `{"name":"x`, DocumentError{NotJSON, "", "the JSON ends early"}},
		{"comma", "{\"a\":1,\n }", DocumentError{NotJSON, "", "no JSON at line 1, column 7"}},
		{"trailing data", card10() + "\n{}", DocumentError{NotJSON, "", "data after the JSON value, at line 2, column 1"}},
		{"gzip", "\x1f\x8b\x08\x00", DocumentError{NotJSON, "", "gzip data, which the answer did not declare"}},
		{"UTF-16 with mark", "\xff\xfe{\x00}\x00", DocumentError{NotJSON, "", "the encoding is UTF-16, want UTF-8 (RFC 8259 8.1)"}},
		{"UTF-16 without", "\x00{\x00}", DocumentError{NotJSON, "", "the encoding is UTF-16, want UTF-8 (RFC 8259 8.1)"}},
		{"UTF-32", "\xff\xfe\x00\x00{\x00\x00\x00", DocumentError{NotJSON, "", "the encoding is UTF-32, want UTF-8 (RFC 8259 8.1)"}},
		{"Latin-1", "{\"name\":\"Ren\xe9\"}", DocumentError{NotJSON, "", "the encoding is not UTF-8: byte 12"}},
		{"encoded surrogate", "{\"name\":\"\xed\xa0\x80\"}", DocumentError{NotJSON, "", "the encoding is not UTF-8: byte 9"}},

		{"repeated", card10("x", `{"a":1,"b":2,"a":1}`), DocumentError{Invalid, "/x/a", "a repeated member"}},
		{"repeated through an escape", card10("x", `[{"é":1,"\u00e9":2}]`), DocumentError{Invalid, "/x/0/é", "a repeated member"}},
		{"repeated far apart", card10("x", "{"+manyMembers(40)+`,"m3":1}`), DocumentError{Invalid, "/x/m3", "a repeated member"}},
		{"repeated at the top", `{"name":"a","name":"b"}`, DocumentError{Invalid, "/name", "a repeated member"}},
		{"repeated and no JSON", `{"name":"a","name":"b",}`, DocumentError{NotJSON, "", "no JSON at line 1, column 23"}},
		{"lone surrogate", card10("x", `["\ud83d"]`), DocumentError{Invalid, "/x/0", "a lone surrogate in a string"}},
		{"swapped surrogates", card10("name", `"\ude00\ud83d"`), DocumentError{Invalid, "/name", "a lone surrogate in a string"}},
		{"lone surrogate in a name", `{"a\ud800":1}`, DocumentError{Invalid, "/a\uFFFD", "a lone surrogate in a member's name"}},
		{"overflow", card10("x", "1e400"), DocumentError{Invalid, "/x", "a number outside double range"}},
		{"overflow in digits", card10("x", "-"+strings.Repeat("9", 310)), DocumentError{Invalid, "/x", "a number outside double range"}},

		{"list", "[]", DocumentError{NotACard, "", "a JSON list, and no object"}},
		{"string", `"x"`, DocumentError{NotACard, "", "a JSON string, and no object"}},
		{"null", "null", DocumentError{NotACard, "", "a JSON null, and no object"}},
		{"deep", `{"a":` + deep(64) + "}", DocumentError{TooLarge, "", "nested more than 64 deep"}},
		{"a bomb", strings.Repeat("[", 200_000), DocumentError{TooLarge, "", "nested more than 64 deep"}},
		{"objects all the way", strings.Repeat(`{"a":`, 200_000), DocumentError{TooLarge, "", "nested more than 64 deep"}},
		{"too many interfaces", card10("supportedInterfaces", "["+strings.Repeat("{},", 10_000)+"{}]"), DocumentError{TooLarge, "/supportedInterfaces", "10001 entries, the limit is 10000"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.doc), Options{})
			got, ok := errors.AsType[*DocumentError](err)
			if c != nil || !ok {
				t.Fatalf("Parse = %v, %v, want a *DocumentError", c, err)
			}
			if *got != tt.want {
				t.Errorf("Parse = %+v, want %+v", *got, tt.want)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"m%d":%d`, i, i)
	}
	return b.String()
}

func TestParseLimits(t *testing.T) {
	doc := card10("skills", `[{"id":"a"},{"id":"b"},{"id":"c"}]`)
	tests := []struct {
		name string
		o    Options
		want State
	}{
		{"bytes at the limit", Options{Bytes: len(doc)}, ""},
		{"bytes over it", Options{Bytes: len(doc) - 1}, TooLarge},
		{"depth at the limit", Options{Depth: 3}, ""}, // {"skills": [ {
		{"depth over it", Options{Depth: 2}, TooLarge},
		{"skills at the limit", Options{Skills: 3}, ""},
		{"skills over it", Options{Skills: 2}, TooLarge},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(doc), tt.o)
		var got State
		if de, ok := errors.AsType[*DocumentError](err); ok {
			got = de.State
		}
		if got != tt.want {
			t.Errorf("%s: Parse = %v, want state %q", tt.name, err, tt.want)
		}
	}
}

// A mark before the JSON is no content: it warns and changes nothing else.
func TestParseSkipsByteOrderMark(t *testing.T) {
	c := mustParse(t, "\xEF\xBB\xBF"+card10())
	if diff := cmp.Diff([]string{"warning byte-order-mark "}, found(c)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if c.Name != "Quotes" {
		t.Errorf("Name = %q", c.Name)
	}
}

func TestParseStrict(t *testing.T) {
	doc := card10(
		"version", "",
		"supportedInterfaces", `[{"url":"https://a.example/a","protocolBinding":"JSONRPC"},{"url":"https://a.example/b","protocolBinding":"JSONRPC","protocolVersion":"1.0.1"}]`,
		"skills", `[{"id":"a","name":"A","description":"D"},{"id":"b","name":"B","description":"D","tags":["t"]}]`,
		"securitySchemes", `{"k":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"scopes":{}}}}}}`,
	)
	lax := mustParse(t, doc)
	if err := lax.Err(); err != nil {
		t.Errorf("Err() = %v without Strict", err)
	}
	c, err := Parse([]byte(doc), Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"error missing /version document",
		"error missing /skills/0/tags skill",
		"error missing /supportedInterfaces/0/protocolVersion interface",
		"warning version-patch /supportedInterfaces/1/protocolVersion",
		"error missing /securitySchemes/k/oauth2SecurityScheme/flows/clientCredentials/tokenUrl scheme",
	}
	if diff := cmp.Diff(want, found(c)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if c.Err() == nil || c.Skills[0].Disabled != "tags: missing" || c.Skills[1].Disabled != "" || c.Interfaces[0].Disabled == "" || c.SecuritySchemes["k"].Kind != KindUnknown {
		t.Errorf("Strict disables too little or too much: %+v", c)
	}
	if lax.Skills[0].Disabled != "" || lax.Interfaces[0].Disabled != "" || lax.SecuritySchemes["k"].Kind != KindOAuth2 {
		t.Errorf("a gap disabled something: %+v", lax)
	}
}

func TestErrCounts(t *testing.T) {
	c := mustParse(t, card10("capabilities", "", "defaultInputModes", "1", "skills", `[{"id":1},{"id":"a"}]`))
	err, ok := errors.AsType[*DocumentError](c.Err())
	if !ok || err.State != Invalid || err.Path != "/capabilities" || err.Msg != "capabilities: missing (and 1 more in the document)" {
		t.Errorf("Err() = %+v", err)
	}
}

// Parse keeps nothing of the bytes it was given.
func TestParseCopies(t *testing.T) {
	data := []byte(card10("capabilities", `{"x":{"b":1,"a":2},"extensions":[{"uri":"urn:e","params":{"b":1}}]}`))
	c, err := Parse(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := mustParse(t, string(data))
	clear(data)
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("the card changed with the bytes (-want +got):\n%s", diff)
	}
}
