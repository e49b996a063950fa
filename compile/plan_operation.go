package compile

import "github.com/go-json-experiment/json/jsontext"

// An Outcome is what a card foretells of an operation: the error that it would
// meet, or, in its zero value, that nothing speaks against it. As JSON it is
// {"error", "code"} or "allowed".
type Outcome struct {
	Error string // the specification's name of the error
	Code  int    // its JSON-RPC code (A2A 5.4)
}

// Allowed reports whether the card does not rule the operation out.
func (o Outcome) Allowed() bool { return o == Outcome{} }

// MarshalJSONTo writes o as its type says.
func (o Outcome) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o.Allowed() {
		return enc.WriteToken(jsontext.String("allowed"))
	}
	for _, token := range []jsontext.Token{
		jsontext.BeginObject,
		jsontext.String("error"), jsontext.String(o.Error),
		jsontext.String("code"), jsontext.Int(int64(o.Code)),
		jsontext.EndObject,
	} {
		if err := enc.WriteToken(token); err != nil {
			return err
		}
	}
	return nil
}

var (
	unsupported    = Outcome{"UnsupportedOperationError", -32004}
	noPush         = Outcome{"PushNotificationNotSupportedError", -32003}
	methodNotFound = Outcome{"MethodNotFoundError", -32601} // JSON-RPC's own (A2A 9.5)
)

// operations are those of A2A 5.3, each with what it needs of an agent; nil
// means nothing (A2A 3.3.4).
var operations = []struct {
	name    string
	needs   func(*Profile) bool
	refusal Outcome
}{
	{"SendMessage", nil, Outcome{}},
	{"SendStreamingMessage", streams, unsupported},
	{"GetTask", nil, Outcome{}},
	{"ListTasks", listsTasks, methodNotFound},
	{"CancelTask", nil, Outcome{}},
	{"SubscribeToTask", streams, unsupported},
	{"CreateTaskPushNotificationConfig", pushes, noPush},
	{"GetTaskPushNotificationConfig", pushes, noPush},
	{"ListTaskPushNotificationConfigs", pushes, noPush},
	{"DeleteTaskPushNotificationConfig", pushes, noPush},
	{"GetExtendedAgentCard", func(p *Profile) bool { return p.ExtendedCard }, unsupported},
}

func streams(p *Profile) bool { return p.Streaming }
func pushes(p *Profile) bool  { return p.Push }

// listsTasks: before 1.0, tasks were listed over gRPC and REST alone (A2A 0.3,
// 3.5.6).
func listsTasks(p *Profile) bool {
	return p.Interface.Binding != "JSONRPC" || !p.Interface.before1()
}

// foretell says of every operation what the card foretells. Operations have
// their names of 1.0, whatever the interface's version calls them. The errors
// are those of 1.0 too: earlier versions ask for the same flags and leave some
// of the errors open.
func foretell(p *Profile) map[string]Outcome {
	out := make(map[string]Outcome, len(operations))
	for _, op := range operations {
		out[op.name] = Outcome{}
		if op.needs != nil && !op.needs(p) {
			out[op.name] = op.refusal
		}
	}
	return out
}
