package card

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// manySkills is a card of n skills, about 350 bytes each.
func manySkills(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"quote-%d","name":"Quote number %d","description":"Prices a journey of several legs, with taxes and fees, in the currency asked for, and says how long the price holds.","tags":["price","journey"],"examples":["Two adults from Oslo to Rome in May"],"inputModes":["application/json"],"outputModes":["application/json","text/plain"],"securityRequirements":[{"schemes":{"oauth":{"list":["quote.read"]}}}]}`, i, i)
	}
	return card10("skills", "["+b.String()+"]", "securitySchemes",
		`{"oauth":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"quote.read":"Read"}}}}}}`)
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		doc := []byte(manySkills(n))
		b.Run(fmt.Sprintf("%d-skills", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := Parse(doc, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	doc := []byte(manySkills(10))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Digest(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func TestParseAllocations(t *testing.T) {
	doc := []byte(manySkills(10))
	if c := mustParse(t, string(doc)); len(c.Findings) > 0 {
		t.Fatalf("findings = %v", found(c))
	}
	n := testing.AllocsPerRun(20, func() {
		if _, err := Parse(doc, Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 400 {
		t.Errorf("Parse of 10 skills allocates %.0f times, want at most 400", n)
	}
}

// Hostile documents cost neither time nor memory out of measure. The bounds
// are wide, so that a slow machine passes and a quadratic reader does not.
func TestParseHostile(t *testing.T) {
	mega := func(s string) string { return strings.Repeat(s, 1<<20/len(s)-200) }
	long := card10()
	long = long[:len(long)-1] + `,"x":"` + strings.Repeat("x", 50<<20) + `"}`
	tests := []struct {
		name  string
		doc   string
		bytes int
	}{
		{"50 MB string", long, 0},
		{"50 MB string allowed", long, 64 << 20},
		{"deep", strings.Repeat(`{"a":[`, 100_000), 0},
		{"many members", card10("x", "{"+manyMembers(70_000)+"}"), 0},
		{"many top-level members", "{" + manyMembers(60_000) + "," + card10()[1:], 0},
		{"many empty lists", card10("x", "["+mega("[],")+"[]]"), 0},
		{"many capabilities", card10("capabilities", "{"+manyMembers(70_000)+"}"), 0},
		{"many skills", card10("skills", "["+strings.Repeat("{},", 9_999)+"{}]"), 0},
		{"one id", card10("skills", "["+strings.Repeat(`{"id":"a"},`, 9_999)+"{}]"), 0},
		{"many interfaces", card10("supportedInterfaces", "["+strings.Repeat(good+",", 9_999)+good+"]"), 0},
		{"many additional interfaces", card03("additionalInterfaces", "["+strings.Repeat(`{"url":"x"},`, 9_999)+"{}]"), 0},
		{"many big numbers", card10("x", "["+mega("9007199254740993,")+"1]"), 0},
		{"many big numbers in skills", card10("skills", "["+strings.Repeat(`{"a":[9007199254740993,9007199254740993]},`, 9_999)+"{}]"), 0},
		{"many escapes", card10("x", `"`+mega(`\u0041`)+`"`), 0},
		{"many requirements", card10("securityRequirements", "["+strings.Repeat(`{"k":[]},`, 9_999)+"{}]"), 0},
		{"many scopes", card10("securityRequirements", `[{"k":[`+strings.Repeat(`"a",`, 100_000)+`"a"]}]`), 0},
		{"many cases of a name", card10("x", "1", "y", "{"+manyMembers(10)+"}", "NAME", "1", "Name", "1", "nAME", "1"), 0},
	}
	for _, tt := range tests {
		data := []byte(tt.doc)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, _ = Parse(data, Options{Bytes: tt.bytes})
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%-28s %4d MB in %v, %d MB allocated", tt.name, len(data)>>20, took.Round(time.Millisecond), used)
		if took > time.Minute || used > 256+4*uint64(len(data)>>20) {
			t.Errorf("%s: Parse took %v and %d MB", tt.name, took, used)
		}
	}
}
