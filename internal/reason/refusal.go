package reason

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/envelope"
)

// A Basis is what an error has its name from, the surest first.
type Basis string

// The bases.
const (
	ByReason  Basis = "reason"       // an ErrorInfo of a2a-protocol.org
	ByCode    Basis = "code"         // JSON-RPC's, also where HTTP+JSON carries it
	ByProblem Basis = "problem type" // RFC 9457, of 1.0.0-rc
	ByClass   Basis = "class"        // 0.3, Java's
	ByStatus  Basis = "status"       // of HTTP or gRPC, as far as it means one error alone
)

// A Refusal is what an answer says of an error, whatever its form. All of it but
// Basis is foreign.
type Refusal struct {
	Reason  string // in the spelling of A2A; "" where nothing names it
	Basis   Basis  // "" without a Reason
	Code    int    // of JSON-RPC; 0: none
	Status  string // of gRPC, or spelled out in a body
	Message string
	Details jsontext.Value
	// Framed is whether the form is one that an agent alone uses, so that the error
	// is the agent's even without a name.
	Framed bool
}

// An About is what the operation is about that met an error: some statuses mean one
// thing there alone.
type About struct {
	Task   bool // a task that should exist
	Push   bool // push notifications
	Legacy bool // the wire of 0.3
}

// OfRPC reads the error of a JSON-RPC response.
func OfRPC(o envelope.Object) Refusal {
	r := Refusal{Code: o.Number("code"), Message: o.Text("message"), Details: o["data"], Framed: true}
	r.name(byReason(r.Details), named{ofCode(r.Code), ByCode})
	return r
}

// OfStatus reads a status of gRPC with its details as JSON, nil for none.
func OfStatus(status, message string, details jsontext.Value, about About) Refusal {
	r := Refusal{Status: status, Message: message, Details: details, Framed: true}
	r.name(byReason(details), named{ofStatus(status, about), ByStatus})
	return r
}

// OfBody reads the body of an HTTP error in every form that servers of 1.0 and
// before give it; ok is false where it is none of them.
func OfBody(body []byte, status int, about About) (r Refusal, ok bool) {
	o, err := envelope.Parse(body)
	if err != nil {
		return Refusal{}, false
	}
	switch {
	case o["error"].Kind() == '{':
		inner, err := envelope.Parse(o["error"])
		if err != nil {
			return Refusal{}, false
		}
		if o.Has("jsonrpc") {
			return OfRPC(inner), true
		}
		return ofAIP193(inner, about), true
	case o["error"].Kind() == '"': // Java's of 0.3, .NET's
		r.Message = cmp.Or(o.Text("message"), o.Text("error"))
		r.name(named{ofClass(o.Text("error")), ByClass})
		return r, true
	case strings.HasPrefix(o.Text("type"), problems):
		r.Message = cmp.Or(o.Text("detail"), o.Text("title"))
		r.name(named{ofProblem(o.Text("type")), ByProblem})
		return r, true
	case ofCode(o.Number("code")) != "" || byReason(o["details"]).reason != "": // JS's of 0.3
		return ofAIP193(o, about), true
	case about.Legacy && len(o) == 1 && o.Text("message") != "": // Python's
		r.Message = o.Text("message")
		r.name(named{ofLegacyStatus(status, about), ByStatus})
		return r, true
	}
	return Refusal{}, false
}

// ofAIP193 reads a google.rpc.Status as AIP-193 writes it, and codes of JSON-RPC in
// the place of HTTP's.
func ofAIP193(o envelope.Object, about About) Refusal {
	r := Refusal{Code: min(o.Number("code"), 0), Status: o.Text("status"), Message: o.Text("message"), Details: o["details"]}
	if !form.MatchString(r.Status) {
		r.Status = ""
	}
	r.Framed = r.Status != ""
	r.name(byReason(r.Details), named{ofCode(r.Code), ByCode}, named{ofStatus(r.Status, about), ByStatus})
	return r
}

// A named is a name, and what it is from.
type named struct {
	reason string
	basis  Basis
}

// name takes the first of list that is one.
func (r *Refusal) name(list ...named) {
	for _, n := range list {
		if n.reason != "" {
			r.Reason, r.Basis = n.reason, n.basis
			return
		}
	}
}

const (
	// domain is where the reasons of A2A are at home (A2A 9.5, 10.6, 11.6).
	domain = "a2a-protocol.org"
	// infoType ends the URL of an ErrorInfo's type.
	infoType = "google.rpc.ErrorInfo"
	// maxDetails are looked at.
	maxDetails = 32
)

// byReason is the reason of the first ErrorInfo of A2A's among details, which are a
// list, or one object where a server forgot it.
func byReason(details jsontext.Value) named {
	list := envelope.List(details, maxDetails)
	if details.Kind() == '{' {
		list = []jsontext.Value{details}
	}
	for _, element := range list {
		o, err := envelope.Parse(element)
		if err != nil || o.Text("domain") != domain || !strings.HasSuffix(o.Text("@type"), infoType) {
			continue
		}
		if reason := ofReason(o.Text("reason")); reason != "" {
			return named{reason, ByReason}
		}
	}
	return named{}
}

// transient are the statuses of a service, or of what stands before it, that has
// no answer now.
var transient = []string{"UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "CANCELLED"}

// IsAgents reports whether the agent itself refused: it named the error, or said it
// in a form that nothing before it uses, and did not only lack an answer for now.
func (r *Refusal) IsAgents() bool {
	return r.Reason != "" || r.Framed && !slices.Contains(transient, r.Status)
}

// Challenge reports whether the refusal, which came with an HTTP status or with 0, is
// about who called, and whether that is known. A reason holds against a 401, and so
// do the names of errors that A2A alone has.
func (r *Refusal) Challenge(status int) (wants, denied bool) {
	switch r.Reason {
	case unauthenticated:
		return true, false
	case unauthorized:
		return true, true
	}
	own := r.Basis != ByStatus && -32100 < Code(r.Reason) && Code(r.Reason) <= -32001
	if r.Basis == ByReason || own {
		return false, false
	}
	denied = status == 403 || r.Status == "PERMISSION_DENIED"
	return denied || status == 401 || r.Status == "UNAUTHENTICATED", denied
}
