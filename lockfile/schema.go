package lockfile

import (
	"bytes"
	_ "embed"
)

//go:embed schema.json
var schema []byte

// Schema returns the format of a lock as JSON Schema (draft 2020-12), for
// editors and other tools; the caller owns the bytes. It accepts every lock
// that [Parse] accepts; Parse refuses some more: what a schema cannot say, such
// as a repeated member or a date that does not exist.
func Schema() []byte { return bytes.Clone(schema) }
