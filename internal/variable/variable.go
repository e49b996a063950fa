// Package variable puts environment variables into texts: ${NAME}.
package variable

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// Unset is the error of a variable that is not set: its name.
type Unset string

// Error says which.
func (e Unset) Error() string {
	return fmt.Sprintf("the environment variable %s is not set", string(e))
}

// Expand puts the variables of env in for ${NAME}. $${ stands for ${; any
// other dollar sign for itself. What a variable holds is not expanded again.
// The error is [Unset], or says what is wrong with the text, without quoting it.
func Expand(s string, env func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		if !found {
			b.WriteString(s)
			return b.String(), nil
		}
		if text, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(text + "${")
			s = after
			continue
		}
		word, rest, closed := strings.Cut(after, "}")
		if !closed || !name().MatchString(word) {
			return "", fmt.Errorf("want ${NAME}, or $${ for a plain ${")
		}
		value, set := env(word)
		if !set {
			return "", Unset(word)
		}
		b.WriteString(before + value)
		s = rest
	}
}
