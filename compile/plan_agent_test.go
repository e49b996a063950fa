package compile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/agenttest"
)

// An answer is what a JSON-RPC call came to: an error, or none.
type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
		Data []struct {
			Reason string `json:"reason"`
		} `json:"data"`
	} `json:"error"`
}

// reason is the error's name as its ErrorInfo has it.
func (a answer) reason() string {
	for _, d := range a.Error.Data {
		if d.Reason != "" {
			return d.Reason
		}
	}
	return ""
}

// call makes one JSON-RPC call as a plan says, without any SDK on our side: its
// client would hide refusals.
func call(t *testing.T, r *compile.Route, method, params string) answer {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc": "2.0", "id": "1", "method": %q, "params": %s}`, method, params)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, values := range r.Headers {
		for _, v := range values {
			req.Header.Add(name, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var in io.Reader = res.Body
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		in = strings.NewReader(firstEvent(res.Body))
	}
	var a answer
	if err := json.NewDecoder(in).Decode(&a); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return a
}

// firstEvent is the data of the first event of a stream.
func firstEvent(r io.Reader) string {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data:"); ok {
			return data
		}
	}
	return ""
}

// client speaks JSON-RPC and knows the extension that the agent requires.
func client() *compile.Client {
	return &compile.Client{
		Interfaces: []compile.Transport{{Binding: "JSONRPC", Version: "1.0"}},
		Sends:      []string{"application/json"}, Accepts: []string{"application/json"},
		Extensions: []string{"https://partner.example/ext/currency", "https://partner.example/ext/seats"},
	}
}

func route(t *testing.T, body []byte, cl *compile.Client) *compile.Route {
	t.Helper()
	got := compile.Read(body, cl, card.Options{})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	r, refusal := compile.Plan(got.Profile, compile.Call{Client: cl, Skill: "itinerary-pricing"})
	if refusal != nil {
		t.Fatalf("%+v", refusal)
	}
	return r
}

const message = `{"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"data": {"legs": []}}]}}`

var capital = regexp.MustCompile(`[A-Z]`)

// reasonOf turns UnsupportedOperationError into UNSUPPORTED_OPERATION (A2A 5.4).
func reasonOf(name string) string {
	name = capital.ReplaceAllString(strings.TrimSuffix(name, "Error"), "_$0")
	return strings.ToUpper(strings.TrimPrefix(name, "_"))
}

// The official SDK's agent answers every operation as the plan foretells.
func TestPlanIsWhatTheAgentDoes(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	base := agent.Card()
	for flags := range 8 {
		streaming, push, extended := flags&1 != 0, flags&2 != 0, flags&4 != 0
		agent.SetCard(agenttest.Merge(base, fmt.Sprintf(`{"capabilities": {
			"streaming": %t, "pushNotifications": %t, "extendedAgentCard": %t, "extensions": [
				{"uri": "https://partner.example/ext/currency", "required": true},
				{"uri": "https://partner.example/ext/seats", "required": true}]}}`, streaming, push, extended)))
		t.Run(fmt.Sprintf("streaming %t push %t extended %t", streaming, push, extended), func(t *testing.T) {
			r := route(t, agent.Card(), client())
			sent := call(t, r, "SendMessage", message)
			var task struct{ Task struct{ ID string } }
			if err := json.Unmarshal(sent.Result, &task); err != nil || task.Task.ID == "" {
				t.Fatalf("SendMessage = %s, %+v, %v, want a task", sent.Result, sent.Error, err)
			}
			id := fmt.Sprintf(`{"id": %q}`, task.Task.ID)
			of := fmt.Sprintf(`{"taskId": %q, "id": "c1", "url": "https://hooks.example/x"}`, task.Task.ID)
			params := map[string]string{
				"SendMessage": message, "SendStreamingMessage": message,
				"GetTask": id, "ListTasks": `{}`, "CancelTask": id, "SubscribeToTask": id,
				"CreateTaskPushNotificationConfig": of, "GetTaskPushNotificationConfig": of,
				"ListTaskPushNotificationConfigs": of, "DeleteTaskPushNotificationConfig": of,
				"GetExtendedAgentCard": `{}`,
			}
			if len(params) != len(r.Operations) {
				t.Errorf("%d operations are tried and %d foretold", len(params), len(r.Operations))
			}
			for name, want := range r.Operations {
				compare(t, name, want, call(t, r, name, params[name]))
			}
		})
	}
}

// compare holds one answer against what was foretold. An allowed operation may
// still fail for other reasons: a finished task cannot be cancelled.
func compare(t *testing.T, name string, want compile.Outcome, got answer) {
	t.Helper()
	switch {
	case want.Allowed() && got.Error == nil:
	case want.Allowed():
		switch got.reason() {
		case "UNSUPPORTED_OPERATION", "PUSH_NOTIFICATION_NOT_SUPPORTED", "METHOD_NOT_FOUND", "EXTENSION_SUPPORT_REQUIRED", "INVALID_PARAMS", "":
			t.Errorf("%s is allowed, and the agent answers %+v", name, got.Error)
		}
	case got.Error == nil || got.Error.Code != want.Code || got.reason() != reasonOf(want.Error):
		t.Errorf("%s: %s (%d) is foretold, and the agent answers %s, %+v", name, want.Error, want.Code, got.Result, got.Error)
	}
}

// Headers that leave an extension out are refused, so what the plan sends is
// what lets the calls above through.
func TestPlanHeadersAreNeeded(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	agent.SetCard(agenttest.Merge(agent.Card(),
		`{"capabilities": {"extensions": [{"uri": "https://partner.example/ext/currency", "required": true}]}}`))
	r := route(t, agent.Card(), client())
	if got := call(t, r, "SendMessage", message); got.Error != nil {
		t.Errorf("SendMessage as planned: %+v", got.Error)
	}
	delete(r.Headers, "A2A-Extensions")
	if got := call(t, r, "SendMessage", message); got.Error == nil || got.reason() != "EXTENSION_SUPPORT_REQUIRED" {
		t.Errorf("SendMessage without the header = %+v, want EXTENSION_SUPPORT_REQUIRED", got.Error)
	}
}
