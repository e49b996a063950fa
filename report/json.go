package report

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/visible"
)

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of a [Report].
func Schema() []byte { return []byte(schema) }

// JSON writes the report as indented JSON with a final newline. Equal reports
// give equal bytes.
func (r *Report) JSON(w io.Writer) error { return WriteJSON(w, r) }

// WriteJSON writes v as indented JSON with a final newline, in which every
// character is seen: what [Line] would show as <U+200B> is escaped as \u200b.
// Bytes that are no UTF-8 become U+FFFD. Equal values give equal bytes.
func WriteJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v,
		json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true), // was and now are data, not ours to judge
		jsontext.EscapeForHTML(false),
		jsontext.WithIndent("  "),
	)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err = w.Write(append(visible.JSON(data), '\n'))
	return err
}
