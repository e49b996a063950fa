// Package evidence reads what orchestrators report of an agent at work: which
// error they met, and what has to leave the plan for it.
package evidence

import (
	"strings"
	"time"
)

// A Report is what an orchestrator met, and what is taken out of the plan
// for it.
type Report struct {
	Error  string `json:"error"` // the specification's name
	Method string `json:"method,omitzero"`
	Skill  string `json:"skill,omitzero"`
	Detail string `json:"detail,omitzero"`
	// Value is the media type that was sent, or the interface that was called,
	// as far as the caller knows it.
	Value string `json:"value,omitzero"`
	// Operation is what the report takes out (see [Refuted]); "": nothing, it is
	// a note.
	Operation     string    `json:"operation,omitzero"`
	ProfileDigest string    `json:"profile_digest,omitzero"` // the profile's of that time
	At            time.Time `json:"at"`                      // the last time it was reported
}

// The operations that a report can take out of the plan.
const (
	Streaming    = "streaming"
	Push         = "push"
	ExtendedCard = "extended-card"
	Input        = "input"     // of a media type, Value, for a skill
	Interface    = "interface" // Value
)

// Refuted is the operation that r speaks against, by its error, method, skill
// and value; "" where none leaves the plan. Methods are known by their names
// of JSON-RPC, gRPC and HTTP+JSON, in 1.0 and before.
func Refuted(r Report) string {
	switch r.Error {
	case "UnsupportedOperationError":
		switch method := methodOf(r.Method); {
		case streams[method]:
			return Streaming
		case extends[method]:
			return ExtendedCard
		}
	case "ExtendedAgentCardNotConfiguredError":
		return ExtendedCard
	case "PushNotificationNotSupportedError":
		return Push
	case "ContentTypeNotSupportedError":
		if r.Skill != "" && r.Value != "" {
			return Input
		}
	case "VersionNotSupportedError":
		if r.Value != "" {
			return Interface
		}
	}
	return ""
}

var (
	streams = map[string]bool{
		"SendStreamingMessage": true, "SubscribeToTask": true, "TaskSubscription": true,
		"message/stream": true, "tasks/resubscribe": true, "tasks/sendSubscribe": true, ":stream": true, ":subscribe": true,
	}
	extends = map[string]bool{
		"GetExtendedAgentCard": true, "agent/getAuthenticatedExtendedCard": true, "agent/getExtendedCard": true,
		"extendedAgentCard": true, "GetAgentCard": true, "card": true,
	}
)

// methodOf is the part of a method's name that tells what it does.
func methodOf(method string) string {
	if streams[method] || extends[method] {
		return method
	}
	method = method[strings.LastIndexByte(method, '/')+1:]
	if i := strings.LastIndexByte(method, ':'); i >= 0 {
		return method[i:]
	}
	return method
}

// Out names what leaves the plan: "streaming", "push", "extended-card",
// "input:TYPE", "interface:VALUE"; "" for a note.
func (r *Report) Out() string {
	if r.Operation == Input || r.Operation == Interface {
		return r.Operation + ":" + r.Value
	}
	return r.Operation
}

// Stands reports whether it still counts after ttl: time alone ends it.
func (r *Report) Stands(now time.Time, ttl time.Duration) bool { return now.Before(r.At.Add(ttl)) }

// Same reports whether two reports say the same: for evidence, whether they
// take out the same.
func (r *Report) Same(o *Report) bool {
	if r.Operation != "" || o.Operation != "" {
		return r.Out() == o.Out() && (r.Skill == o.Skill || r.Operation != Input)
	}
	return r.Error == o.Error && r.Method == o.Method && r.Skill == o.Skill
}

// Text is the report on one line. It may hold text of the agent.
func (r *Report) Text() string {
	var b strings.Builder
	b.WriteString(r.Error)
	for _, part := range []struct{ word, value string }{{" on ", r.Method}, {", skill ", r.Skill}, {", ", r.Value}, {": ", r.Detail}} {
		if part.value != "" {
			b.WriteString(part.word + part.value)
		}
	}
	return b.String()
}
