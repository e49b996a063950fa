package compile

import (
	"slices"

	"github.com/a2alock/a2alock/internal/media"
)

// DefaultAliases returns the aliases that a client has unless it names its
// own, in a new map: the bare words that a fifth of all cards use.
func DefaultAliases() map[string]string {
	return map[string]string{"text": "text/plain", "json": "application/json"}
}

// NormalizeMode returns the form in which two media types are compared (RFC
// 9110 8.3.1): type and subtype in lower case, parameters sorted, their values
// kept. A mode that is a key of aliases, whatever its case, is replaced first;
// then aliased is true. A nil map rewrites nothing; see [DefaultAliases].
func NormalizeMode(mode string, aliases map[string]string) (norm string, aliased bool) {
	return media.Normalize(mode, aliases)
}

// modes normalises a list into a sorted set. It returns nil, which means
// unknown, for a list without any mode, and tells which were aliases.
func modes(list []string, aliases map[string]string) (distinct, aliased []string) {
	for _, m := range list {
		norm, isAlias := NormalizeMode(m, aliases)
		if norm == "" {
			continue
		}
		if isAlias {
			aliased = append(aliased, m)
		}
		distinct = append(distinct, norm)
	}
	slices.Sort(distinct)
	return slices.Compact(distinct), aliased
}
