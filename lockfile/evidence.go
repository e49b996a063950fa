package lockfile

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// evidence is the object form of [Evidence].
type evidence struct {
	Result        string         `json:"result"`
	At            string         `json:"at,omitzero"`
	ProfileDigest string         `json:"profile_digest,omitzero"`
	Detail        string         `json:"detail,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// MarshalJSONTo writes the short text where there is one, else the object: an
// entry keeps the form it was written in.
func (e Evidence) MarshalJSONTo(enc *jsontext.Encoder) error {
	if e.Text != "" {
		return enc.WriteToken(jsontext.String(e.Text))
	}
	return json.MarshalEncode(enc, evidence{e.Result, e.At, e.ProfileDigest, e.Detail, e.Extra})
}

// UnmarshalJSONFrom reads either form.
func (e *Evidence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		var text string
		if err := json.UnmarshalDecode(dec, &text); err != nil {
			return err
		}
		*e = Evidence{Text: text}
		return nil
	}
	var o evidence
	if err := json.UnmarshalDecode(dec, &o); err != nil {
		return err
	}
	*e = Evidence{Result: o.Result, At: o.At, ProfileDigest: o.ProfileDigest, Detail: o.Detail, Extra: o.Extra}
	return nil
}
