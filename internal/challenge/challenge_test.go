package challenge

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  string // what they ask for
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"Basic"}, "basic"},
		{[]string{`Bearer realm="x"`}, "bearer"},
		{[]string{`Bearer realm="a, b=c", scope="cards.read  cards.all", error="insufficient_scope"`}, `bearer with "cards.read", "cards.all" ("insufficient_scope")`},
		{[]string{`Bearer scope=one,error=invalid_token, Basic realm="x"`}, `bearer with "one" ("invalid_token"); basic`},
		{[]string{`Negotiate YII/abc==, Bearer`, `Digest qop="auth", nonce=7`}, "negotiate; bearer; digest"},
		{[]string{`Basic , , Bearer`}, "basic; bearer"},
		{[]string{`Bearer Scope = "a"`}, `bearer with "a"`},
		{[]string{`Bearer scope="a \"b\\ c`}, `bearer with "a", "\"b\\", "c"`},
		{[]string{`Bearer scope="a`, `Basic`}, `bearer with "a"; basic`},
		{[]string{`scope="a"`}, ""},
		{[]string{"\x1b]52;", "Bearer"}, "bearer"},
		{[]string{"Bearer scope=\"\x1b[2J\""}, `bearer with "\x1b[2J"`},
		{[]string{strings.Repeat("x", 100)}, strings.Repeat("x", 40)},
		{[]string{strings.Repeat("Basic, ", 50)}, "basic; basic; basic; basic; basic; basic; basic; basic"},
		{[]string{`Bearer scope="1 2 3 4 5 6 7"`}, `bearer with "1", "2", "3", "4", "5"`},
	} {
		var asked []string
		for _, c := range Parse(tt.lines) {
			asked = append(asked, fmt.Sprint(c))
		}
		if got := strings.Join(asked, "; "); got != tt.want {
			t.Errorf("Parse(%q) asks for %s, want %s", tt.lines, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`Bearer realm="a, b=c", scope=x, Basic YII=`)
	f.Fuzz(func(t *testing.T, line string) {
		if list := Parse([]string{line}); len(list) > maxChallenges || len(list) > len(line) {
			t.Errorf("Parse(%q) = %v", line, list)
		}
	})
}
