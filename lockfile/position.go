package lockfile

import "github.com/a2alock/a2alock/internal/jsondoc"

// Position returns where the member or item that pointer (RFC 6901) leads to
// stands in the text of a lock: its line, and its column in characters, both
// 1-based. Where the text lacks it, that is the place of the nearest one around
// it that is there. ok is false for a text in which none can be found, or a
// pointer that is none.
func Position(text []byte, pointer string) (line, column int, ok bool) {
	return jsondoc.Position(text, pointer)
}
