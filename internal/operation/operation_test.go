package operation

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

// names are the operations in the order of A2A 5.3.
var names = []string{
	"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask",
	"CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
	"DeleteTaskPushNotificationConfig", "GetExtendedAgentCard",
}

// A2A 3.3.4 and 5.4.
func TestForetell(t *testing.T) {
	const stream, push, extended = "UnsupportedOperationError", "PushNotificationNotSupportedError", "UnsupportedOperationError"
	tests := []struct {
		name  string
		agent Agent
		want  map[string]Outcome // without those that are allowed
	}{
		{"all flags", Agent{"JSONRPC", "1.0", true, true, true}, nil},
		{"no streaming", Agent{"JSONRPC", "1.0", false, true, true}, map[string]Outcome{
			"SendStreamingMessage": {stream, -32004}, "SubscribeToTask": {stream, -32004},
		}},
		{"no push", Agent{"GRPC", "1.0", true, false, true}, map[string]Outcome{
			"CreateTaskPushNotificationConfig": {push, -32003}, "GetTaskPushNotificationConfig": {push, -32003},
			"ListTaskPushNotificationConfigs": {push, -32003}, "DeleteTaskPushNotificationConfig": {push, -32003},
		}},
		{"no extended card", Agent{"HTTP+JSON", "1.0", true, true, false}, map[string]Outcome{"GetExtendedAgentCard": {extended, -32004}}},
		{"0.3 over JSON-RPC lists no tasks", Agent{"JSONRPC", "0.3", true, true, true}, map[string]Outcome{"ListTasks": {"MethodNotFoundError", -32601}}},
		{"0.3 over REST does", Agent{"HTTP+JSON", "0.3", true, true, true}, nil},
		{"a version to come", Agent{"JSONRPC", "10.0", true, true, true}, nil},
	}
	for _, tt := range tests {
		got := Foretell(tt.agent)
		if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, slices.Sorted(slices.Values(names))) {
			t.Errorf("%s: operations %q, want %q", tt.name, keys, names)
		}
		maps.DeleteFunc(got, func(_ string, o Outcome) bool { return o.Allowed() })
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: Foretell(%v) rules out %v, want %v", tt.name, tt.agent, got, tt.want)
		}
	}
}

func TestOutcomeJSON(t *testing.T) {
	got, err := json.Marshal(map[string]Outcome{"a": {}, "b": {"TaskNotFoundError", -32001}}, json.Deterministic(true))
	if want := `{"a":"allowed","b":{"error":"TaskNotFoundError","code":-32001}}`; err != nil || string(got) != want {
		t.Errorf("Marshal = %s, %v, want %s", got, err, want)
	}
}
