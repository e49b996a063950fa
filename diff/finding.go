package diff

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// plainFinding has the members of a Finding and none of its methods.
type plainFinding Finding

// exact are the options under which data goes through as it is.
var exact = json.JoinOptions(
	json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
)

// MarshalJSONTo writes f with the encoder's own options.
func (f Finding) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, plainFinding(f))
}

// MarshalJSON writes f for encoding/json, which knows less of the types that
// Was and Now may have.
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(plainFinding(f), exact)
}

// UnmarshalJSON reads what was written. Was and Now are texts as strings, and
// anything else as the [jsontext.Value] that it was, to the last digit.
func (f *Finding) UnmarshalJSON(data []byte) error {
	var read struct {
		plainFinding
		Was jsontext.Value `json:"was"`
		Now jsontext.Value `json:"now"`
	}
	if err := json.Unmarshal(data, &read, exact); err != nil {
		return err
	}
	*f = Finding(read.plainFinding)
	f.Was, f.Now = asValue(read.Was), asValue(read.Now)
	return nil
}

func asValue(v jsontext.Value) any {
	switch v.Kind() {
	case 0, 'n':
		return nil
	case '"':
		var s string
		if json.Unmarshal(v, &s, exact) == nil {
			return s
		}
	}
	return v
}
