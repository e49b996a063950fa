// Package operation knows the operations of A2A and what a card foretells of
// each.
package operation

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An Outcome is what a card foretells of an operation: the error that it would
// meet, or, in its zero value, that nothing speaks against it. As JSON it is
// {"error", "code"} or "allowed".
type Outcome struct {
	Error string `json:"error"` // the specification's name of it
	Code  int    `json:"code"`  // JSON-RPC's (A2A 5.4)
}

// Allowed reports whether the card does not rule the operation out.
func (o Outcome) Allowed() bool { return o == Outcome{} }

// MarshalJSONTo writes the one form or the other.
func (o Outcome) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o.Allowed() {
		return enc.WriteToken(jsontext.String("allowed"))
	}
	type plain Outcome
	return json.MarshalEncode(enc, plain(o))
}

var (
	unsupported    = Outcome{"UnsupportedOperationError", -32004}
	noPush         = Outcome{"PushNotificationNotSupportedError", -32003}
	methodNotFound = Outcome{"MethodNotFoundError", -32601} // A2A 9.5
)

// An Agent is what decides which operations there are.
type Agent struct {
	Binding, Version              string // Version is Major.Minor
	Streaming, Push, ExtendedCard bool   // the flags of its card
}

// Foretell says of every operation (A2A 5.3) what the card foretells (A2A
// 3.3.4), in a new map. Operations and errors have their names of 1.0, whatever
// the version: earlier ones have the same flags, and leave the error of a
// missing extended card open.
func Foretell(a Agent) map[string]Outcome {
	unless := func(has bool, o Outcome) Outcome {
		if has {
			return Outcome{}
		}
		return o
	}
	stream, push := unless(a.Streaming, unsupported), unless(a.Push, noPush)
	// Before 1.0, tasks were listed over gRPC and REST alone (A2A 0.3, 3.5.6).
	list := unless(a.Binding != "JSONRPC" || !strings.HasPrefix(a.Version, "0."), methodNotFound)
	return map[string]Outcome{
		"SendMessage":                      {},
		"SendStreamingMessage":             stream,
		"GetTask":                          {},
		"ListTasks":                        list,
		"CancelTask":                       {},
		"SubscribeToTask":                  stream,
		"CreateTaskPushNotificationConfig": push,
		"GetTaskPushNotificationConfig":    push,
		"ListTaskPushNotificationConfigs":  push,
		"DeleteTaskPushNotificationConfig": push,
		"GetExtendedAgentCard":             unless(a.ExtendedCard, unsupported),
	}
}
