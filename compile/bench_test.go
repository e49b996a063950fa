package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
)

// tenSkills is a card of the usual size with more skills than most have.
func tenSkills() []byte {
	var skills []string
	for i := range 10 {
		skills = append(skills, fmt.Sprintf(`{"id":"skill-%d","name":"Skill %d","description":%q,"tags":["travel","pricing"],`+
			`"examples":["Price a trip from LHR to JFK"],"inputModes":["application/json","text/plain"]}`, i, i, strings.Repeat("It prices trips. ", 9)))
	}
	return fmt.Appendf(nil, `{"name":"Pricing","description":"Prices trips.","version":"3.2.0",`+
		`"supportedInterfaces":[{"url":"https://a.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],`+
		`"capabilities":{"streaming":true},"securitySchemes":{"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}},`+
		`"securityRequirements":[{"schemes":{"key":{"list":[]}}}],"defaultInputModes":["text/plain"],`+
		`"defaultOutputModes":["application/json"],"skills":[%s]}`, strings.Join(skills, ","))
}

func BenchmarkParseAndCompile(b *testing.B) {
	data, cl := tenSkills(), usual()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		c, err := card.Parse(data, card.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if p, _ := Compile(c, cl); !p.Usable {
			b.Fatal(p.Reason)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	c, err := card.Parse(tenSkills(), card.Options{})
	if err != nil {
		b.Fatal(err)
	}
	cl := usual()
	b.ReportAllocs()
	for b.Loop() {
		Compile(c, cl)
	}
}

func BenchmarkDigest(b *testing.B) {
	c, err := card.Parse(tenSkills(), card.Options{})
	if err != nil {
		b.Fatal(err)
	}
	p, _ := Compile(c, usual())
	b.ReportAllocs()
	for b.Loop() {
		p.Digest(nil)
	}
}
