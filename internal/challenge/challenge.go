// Package challenge reads what an answer asks for in WWW-Authenticate.
package challenge

import (
	"fmt"
	"strings"
)

// A Challenge is one way to authenticate that an answer asks for.
type Challenge struct {
	Scheme string   // "bearer", in lower case
	Scopes []string // that it names, in its order
	Error  string   // "invalid_token", "insufficient_scope" (RFC 6750 3.1)
}

// String is the scheme with the scopes and the error that it names.
func (c Challenge) String() string {
	s := c.Scheme
	var scopes []string
	for _, scope := range c.Scopes[:min(len(c.Scopes), 5)] {
		scopes = append(scopes, fmt.Sprintf("%.60q", scope))
	}
	if scopes != nil {
		s += " with " + strings.Join(scopes, ", ")
	}
	if c.Error != "" {
		s += fmt.Sprintf(" (%.60q)", c.Error)
	}
	return s
}

// maxChallenges is more than anybody has.
const maxChallenges = 8

// longest is what is kept of a scheme.
const longest = 40

// Parse reads the lines of WWW-Authenticate, whose lists of challenges and of their
// parameters are both parted by commas (RFC 9110 11.6.1): a word with a "=" behind
// it is a parameter, any other one a scheme. What cannot be read ends the reading.
func Parse(lines []string) []Challenge {
	var list []Challenge
	for _, line := range lines {
		s := scanner(line)
		for len(list) < maxChallenges {
			s.skip(" \t,")
			word := s.token()
			if word == "" {
				break
			}
			value, isParam := s.param()
			switch {
			case !isParam:
				list = append(list, Challenge{Scheme: strings.ToLower(word[:min(len(word), longest)])})
				s.token68()
			case len(list) == 0: // a parameter of nothing
			default:
				list[len(list)-1].set(word, value)
			}
		}
	}
	return list
}

func (c *Challenge) set(name, value string) {
	switch strings.ToLower(name) {
	case "scope":
		c.Scopes = strings.Fields(value)
	case "error":
		c.Error = value
	}
}

// A scanner is what is left to read.
type scanner string

const tokenChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func (s *scanner) skip(chars string) { *s = scanner(strings.TrimLeft(string(*s), chars)) }

// run takes what is made of chars.
func (s *scanner) run(chars string) string {
	rest := strings.TrimLeft(string(*s), chars)
	word := string(*s)[:len(*s)-len(rest)]
	*s = scanner(rest)
	return word
}

func (s *scanner) token() string { return s.run(tokenChars) }

// param takes "=value" where it follows; ok is false, and nothing taken, where
// another thing does.
func (s *scanner) param() (value string, ok bool) {
	rest := *s
	rest.skip(" \t")
	if !strings.HasPrefix(string(rest), "=") {
		return "", false
	}
	rest = rest[1:]
	rest.skip(" \t")
	if strings.HasPrefix(string(rest), `"`) {
		value = rest.quoted()
	} else {
		value = rest.token()
	}
	*s = rest
	return value, true
}

// quoted takes a quoted string, to the end of the line where it has no other.
func (s *scanner) quoted() string {
	var b strings.Builder
	text := string(*s)
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			*s = scanner(text[i+1:])
			return b.String()
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	*s = ""
	return b.String()
}

// token68 takes what some schemes have in place of parameters ("Negotiate YII=").
func (s *scanner) token68() {
	rest := *s
	rest.skip(" \t")
	rest.run(tokenChars + "/")
	rest.run("=")
	rest.skip(" \t")
	if rest == "" || rest[0] == ',' {
		*s = rest
	}
}
