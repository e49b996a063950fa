package media

import (
	"slices"
	"strings"
)

// Accepts reports whether who declares list takes mode: it is in list, or of a
// range in it, text/* or */* (RFC 9110 12.5.1). Both are in normal form. Of what
// is given, a range promises nothing.
func Accepts(list []string, mode string) bool {
	return slices.ContainsFunc(list, func(m string) bool { return m == mode || isOf(mode, m) })
}

// Refused returns those of modes that who declares list does not take, nil for
// none; see [Accepts].
func Refused(modes, list []string) []string {
	known := make(map[string]bool, len(list))
	var ranges []string
	for _, m := range list {
		if known[m] = true; strings.HasSuffix(m, "/*") {
			ranges = append(ranges, m)
		}
	}
	var out []string
	for _, m := range modes {
		if !known[m] && !Accepts(ranges, m) {
			out = append(out, m)
		}
	}
	return out
}

// isOf reports whether mode is of a range.
func isOf(mode, pattern string) bool {
	t, _, ok := strings.Cut(mode, "/")
	return ok && (pattern == "*/*" || pattern == t+"/*")
}
