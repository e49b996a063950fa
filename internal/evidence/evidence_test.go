package evidence

import (
	"testing"
	"time"
)

func TestRefuted(t *testing.T) {
	const unsupported = "UnsupportedOperationError"
	tests := []struct {
		r    Report
		want string
	}{
		{Report{Error: unsupported, Method: "SendStreamingMessage"}, Streaming},
		{Report{Error: unsupported, Method: "SubscribeToTask"}, Streaming},
		{Report{Error: unsupported, Method: "message/stream"}, Streaming},
		{Report{Error: unsupported, Method: "tasks/resubscribe"}, Streaming},
		{Report{Error: unsupported, Method: "/lf.a2a.v1.A2AService/SendStreamingMessage"}, Streaming},
		{Report{Error: unsupported, Method: "POST /v1/message:stream"}, Streaming},
		{Report{Error: unsupported, Method: "/v1/tasks/7:subscribe"}, Streaming},
		{Report{Error: unsupported, Method: "GetExtendedAgentCard"}, ExtendedCard},
		{Report{Error: unsupported, Method: "agent/getAuthenticatedExtendedCard"}, ExtendedCard},
		{Report{Error: unsupported, Method: "GET /extendedAgentCard"}, ExtendedCard},
		{Report{Error: "ExtendedAgentCardNotConfiguredError"}, ExtendedCard},
		{Report{Error: "PushNotificationNotSupportedError", Method: "SendMessage"}, Push},
		{Report{Error: "ContentTypeNotSupportedError", Skill: "quote", Value: "application/json"}, Input},
		{Report{Error: "VersionNotSupportedError", Value: "JSONRPC 1.0 https://a.example"}, Interface},

		// What takes nothing out.
		{Report{Error: unsupported, Method: "SendMessage"}, ""},
		{Report{Error: unsupported, Method: "message/send"}, ""},
		{Report{Error: unsupported, Method: "/v1/message:send"}, ""},
		{Report{Error: unsupported}, ""},
		{Report{Error: "ContentTypeNotSupportedError", Value: "application/json"}, ""},
		{Report{Error: "ContentTypeNotSupportedError", Skill: "quote"}, ""},
		{Report{Error: "VersionNotSupportedError"}, ""},
		{Report{Error: "ExtensionSupportRequiredError", Method: "SendStreamingMessage"}, ""},
		{Report{Error: "TaskNotFoundError", Method: "SendStreamingMessage"}, ""},
		{Report{Error: "unsupportedoperationerror", Method: "SendStreamingMessage"}, ""},
		{Report{}, ""},
	}
	for _, tt := range tests {
		if got := Refuted(tt.r); got != tt.want {
			t.Errorf("Refuted(%+v) = %q, want %q", tt.r, got, tt.want)
		}
	}
}

func TestReport(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r := Report{Error: "E", Method: "m", Skill: "s", Value: "v", Detail: "d", Operation: Input, At: at}
	if got, want := r.Out(), "input:v"; got != want {
		t.Errorf("Out = %q, want %q", got, want)
	}
	if got, want := r.Text(), "E on m, skill s, v: d"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if !r.Stands(at.Add(time.Hour-1), time.Hour) || r.Stands(at.Add(time.Hour), time.Hour) {
		t.Error("it does not stand for exactly an hour")
	}
	other := r
	other.Skill = "other"
	if r.Same(&other) {
		t.Error("an input type of another skill is the same")
	}
	r.Operation, other.Operation = Streaming, Streaming
	if !r.Same(&other) {
		t.Error("streaming of two skills is not the same")
	}
	r.Operation, other.Operation = "", ""
	if r.Same(&other) {
		t.Error("notes of two skills are the same")
	}
}
