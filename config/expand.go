package config

import (
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// unsetError names a variable that is not set.
type unsetError string

func (e unsetError) Error() string {
	return fmt.Sprintf("the environment variable %s is not set", string(e))
}

// expand puts the variables of env in for ${NAME}. $${ stands for ${; any
// other dollar sign for itself. What a variable holds is not expanded again.
func expand(s string, env func(string) (string, bool)) (string, error) {
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
		name, rest, closed := strings.Cut(after, "}")
		if !closed || !variableName.MatchString(name) {
			return "", fmt.Errorf("want ${NAME}, or $${ for a plain ${")
		}
		value, set := env(name)
		if !set {
			return "", unsetError(name)
		}
		b.WriteString(before + value)
		s = rest
	}
}
