package a2alock_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// usualCard is a card of 4.4 KB: ten skills with media types of their own, and
// OAuth 2.
func usualCard() []byte { return cardOf(10) }

// cardOf is the usual card with n skills.
func cardOf(n int) []byte {
	skills := make([]string, n)
	for i := range skills {
		skills[i] = fmt.Sprintf(`{"id":"quote-%d","name":"Quote number %d","description":"Prices a journey of several legs, with taxes and fees, in the currency asked for, and says how long the price holds.",`+
			`"tags":["price","journey"],"examples":["Two adults from Oslo to Rome in May"],"inputModes":["application/json"],`+
			`"outputModes":["application/json","text/plain"],"securityRequirements":[{"schemes":{"oauth":{"list":["quote.read"]}}}]}`, i, i)
	}
	return []byte(`{"name":"Pricing","description":"Prices journeys.","version":"3.2.0",` +
		`"provider":{"organization":"Partner","url":"https://partner.example"},` +
		`"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],` +
		`"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],` +
		`"securitySchemes":{"oauth":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"quote.read":"Read"}}}}}},` +
		`"skills":[` + strings.Join(skills, ",") + `]}`)
}

func usualClient() *compile.Client {
	return &compile.Client{
		Interfaces: []compile.Transport{{Binding: "JSONRPC", Version: "1.0"}},
		Sends:      []string{"application/json"},
		Accepts:    []string{"application/json"},
		Aliases:    compile.DefaultAliases(),
		Streaming:  true,
	}
}

// pinnedUsual is a lock of three of the skills, as it is read back from its file.
func pinnedUsual(tb testing.TB, body []byte, cl *compile.Client) *lockfile.Lock {
	tb.Helper()
	r := compile.Read(body, cl, card.Options{})
	if r.Err != nil {
		tb.Fatal(r.Err)
	}
	l, _, err := lockfile.Pin(r.Profile, cl, lockfile.PinOptions{
		Skills: []string{"quote-1", "quote-2", "quote-3"}, Streaming: true,
		Agent: "https://agent.example/.well-known/agent-card.json", CardDigest: r.Digest,
		At: time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC),
	})
	if err != nil {
		tb.Fatal(err)
	}
	data, err := lockfile.Format(l)
	if err != nil {
		tb.Fatal(err)
	}
	l, err = lockfile.Parse(data, "pricing.a2a.lock.json")
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// wholeWay is the way from bytes to a verdict, without the digest of the card.
func wholeWay(tb testing.TB, body []byte, l *lockfile.Lock, cl *compile.Client) *diff.Result {
	c, err := card.Parse(body, card.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	p, _ := compile.Compile(c, cl)
	return diff.Compare(diff.Comparison{Lock: l, Now: p, Client: cl})
}

func BenchmarkJudge(b *testing.B) {
	body, cl := usualCard(), usualClient()
	l := pinnedUsual(b, body, cl)
	narrowed := []byte(strings.Replace(string(body), `"outputModes":["application/json","text/plain"]`, `"outputModes":["text/plain"]`, 3))
	for _, bm := range []struct {
		name     string
		body     []byte
		findings int
	}{{"same", body, 0}, {"narrowed", narrowed, 2}} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.body)))
			b.ReportAllocs()
			for b.Loop() {
				if r := wholeWay(b, bm.body, l, cl); len(r.Findings) != bm.findings {
					b.Fatalf("findings = %+v, want %d", r.Findings, bm.findings)
				}
			}
		})
	}
}

// What a card costs grows with its skills, and no faster: compare ns/skill.
func BenchmarkJudgeSkills(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		body, cl := cardOf(n), usualClient()
		options := card.Options{Bytes: len(body)}
		c, err := card.Parse(body, options)
		if err != nil {
			b.Fatal(err)
		}
		l := pinnedUsual(b, usualCard(), cl)
		p, _ := compile.Compile(c, cl)
		l.Profile = p.ForLock(l.RequiredSkills())
		b.Run(fmt.Sprintf("%d-skills", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := card.Parse(body, options)
				if err != nil {
					b.Fatal(err)
				}
				p, _ := compile.Compile(c, cl)
				if r := diff.Compare(diff.Comparison{Lock: l, Now: p, Client: cl}); len(r.Findings) != 0 {
					b.Fatalf("findings = %+v, want none", r.Findings)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/skill")
		})
	}
}

// An operator's fleet is judged in one go, and a reviewer waits for it.
func TestJudgeAllocations(t *testing.T) {
	body, cl := usualCard(), usualClient()
	l := pinnedUsual(t, body, cl)
	if n := testing.AllocsPerRun(20, func() { wholeWay(t, body, l, cl) }); n > 1500 {
		t.Errorf("judging a card of %d bytes allocates %.0f times, want at most 1500", len(body), n)
	}
}
