package jsondoc

// A Refusal says why a text did not become a [Tree], or why a tree is not read.
type Refusal struct {
	Reason Reason
	Path   string // RFC 6901 pointer to the place; "" is the document itself
	Msg    string // one line; foreign text is quoted
}

// Error returns the message with its place.
func (f *Refusal) Error() string {
	if f.Path == "" {
		return f.Msg
	}
	return f.Path + ": " + f.Msg
}

// A Reason is the kind of a [Refusal].
type Reason int

// The reasons.
const (
	NotJSON   Reason = iota // another encoding, trailing data, no JSON
	TooLarge                // over a limit
	Ambiguous               // JSON that no two readers read alike
)
