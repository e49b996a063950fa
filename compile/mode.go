package compile

import (
	"mime"
	"slices"
	"strings"
)

// DefaultAliases returns the aliases that a client has unless it names its
// own, in a new map: the bare words that a fifth of all cards use.
func DefaultAliases() map[string]string {
	return map[string]string{"text": "text/plain", "json": "application/json"}
}

// NormalizeMode returns the form in which two media types are compared: type
// and subtype in lower case, parameters sorted by name with their names in
// lower case and their values kept, quoted only where they must be (RFC 9110
// 8.3.1), no space around. What is no media type is only trimmed and put into
// lower case.
//
// A mode that is a key of aliases, whatever its case, is replaced first; then
// aliased is true. A nil map rewrites nothing; see [DefaultAliases].
func NormalizeMode(mode string, aliases map[string]string) (norm string, aliased bool) {
	mode = strings.TrimSpace(mode)
	if to, ok := alias(mode, aliases); ok {
		return mediaType(to), true
	}
	return mediaType(mode), false
}

func alias(mode string, aliases map[string]string) (string, bool) {
	if to, ok := aliases[mode]; ok {
		return to, true
	}
	lower := lowerASCII(mode)
	// Two keys that differ in case only are one alias; the first in order wins.
	var found string
	for key := range aliases {
		if lowerASCII(strings.TrimSpace(key)) == lower && (found == "" || key < found) {
			found = key
		}
	}
	to, ok := aliases[found]
	return to, ok && found != ""
}

func mediaType(s string) string {
	s = strings.TrimSpace(s)
	t, params, err := mime.ParseMediaType(s)
	if err != nil || strings.Count(t, "/") != 1 {
		return lowerASCII(s)
	}
	formatted := mime.FormatMediaType(t, params)
	if formatted == "" {
		return lowerASCII(s)
	}
	return formatted
}

// modes normalises a list into a sorted set. It returns nil, which means
// unknown, for a list without any mode, and tells which were aliases.
func modes(list []string, aliases map[string]string) (set, aliased []string) {
	for _, m := range list {
		norm, isAlias := NormalizeMode(m, aliases)
		if norm == "" {
			continue
		}
		if isAlias {
			aliased = append(aliased, m)
		}
		set = append(set, norm)
	}
	slices.Sort(set)
	return slices.Compact(set), aliased
}
