package lockfile

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/internal/shape"
)

var lockShape = sync.OnceValue(func() *shape.Shape { return shape.Of(reflect.TypeFor[Lock](), places()) })

// Format returns the canonical bytes of l (docs/design.md, Lockfile): UTF-8,
// LF, two spaces, members in order and unknown ones after them sorted, sets
// sorted, one item a line, a final newline, no HTML escaping, invisible
// characters escaped. Equal locks give equal bytes on every machine, and a lock
// read back from them formats to the same bytes. It fails where l cannot be
// written as JSON (text that is not UTF-8, an Extra that is no object or repeats
// a known member, too deep a value).
func Format(l *Lock) ([]byte, error) {
	root, err := tree(l)
	if err != nil {
		return nil, fmt.Errorf("writing a lock for %s: %w", quoteURL(l.Agent), err)
	}
	return lockShape().Format(root), nil
}

// tree returns v as it marshals.
func tree(v any) (*shape.Node, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return shape.Parse(data, MaxDepth)
}
