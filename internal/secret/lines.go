package secret

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// pair is a member in a text that is broken elsewhere.
var pair = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
})

// findLines looks through a text that is no JSON, or none that can be read.
func findLines(text string) []Hit {
	var hits []Hit
	isKey := strings.Contains(text, `"kty"`)
	line := 0
	for s := range strings.Lines(text) {
		line++
		var list []found
		for _, m := range pair().FindAllStringSubmatch(s, -1) {
			name, value := unquote(m[1]), unquote(m[2])
			if isKey && isPrivateMember(name) && isRandom(value) {
				list = append(list, found{"a private key", value})
				continue
			}
			list = append(list, inValue(name, value)...)
		}
		list = append(list, inText(s)...)
		if len(list) > mostInOne {
			list = []found{{"many credentials", strings.TrimSpace(s)}}
		}
		list = outermost(list)
		for _, x := range list {
			hits = append(hits, hit("", line, x))
		}
	}
	return hits
}

func unquote(s string) string {
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) != nil {
		return s
	}
	return out
}
