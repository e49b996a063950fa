package card

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// The canonical form of any JSON value is JSON, the same value, and a fixed
// point (RFC 8785).
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		`{"b":1,"a":[true,null,"\u00e9"]}`, `1e21`, `-0`, `1E-7`, `333333333.33333329`, `"\ud83d\ude00"`, `{"\ufb33":1,"\ud83d\ude00":2}`,
		`[]`, `""`, `{"a":{"a":{}}}`, `9007199254740993`, `"<script>&\u2028"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := Canonical(data)
		if err != nil {
			return
		}
		if !jsontext.Value(once).IsValid() {
			t.Fatalf("Canonical(%q) = %q is no JSON", data, once)
		}
		twice, err := Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("Canonical(%q) = %q, and of that %q, %v", data, once, twice, err)
		}
		spaced := jsontext.Value(bytes.Clone(once))
		if err := spaced.Indent(); err != nil {
			t.Fatal(err)
		}
		if again, err := Canonical(spaced); err != nil || !bytes.Equal(once, again) {
			t.Fatalf("Canonical(%q) = %q, and indented %q, %v", data, once, again, err)
		}
	})
}
