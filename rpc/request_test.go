package rpc

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A heard request is one as a server received it.
type heard struct {
	line   string // verb and path
	header http.Header
	body   string
}

// listen records what comes to it, and answers 404.
func listen(t *testing.T) (url string, last func() heard) {
	t.Helper()
	var h heard
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h = heard{r.Method + " " + r.RequestURI, r.Header, string(body)}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() heard { return h }
}

func TestRESTRequests(t *testing.T) {
	url, last := listen(t)
	for _, tt := range []struct {
		base, version, tenant string
		call                  Call
		want                  string // line and body
	}{
		{"", "1.0", "", Call{Operation: GetExtendedAgentCard}, "GET /extendedAgentCard "},
		{"/a2a/", "1.0", "", Call{Operation: GetExtendedAgentCard}, "GET /a2a/extendedAgentCard "},
		{"/a%2Fb?k=v#x", "1.0", "", Call{Operation: GetExtendedAgentCard}, "GET /a%2Fb/extendedAgentCard?k=v "},
		{"/a2a", "1.0", "ac me", Call{Operation: GetExtendedAgentCard}, "GET /a2a/ac%20me/extendedAgentCard "},
		{"/a2a", "1.0", "eu/7?x", Call{Operation: GetExtendedAgentCard}, "GET /a2a/eu/7%3Fx/extendedAgentCard "},
		{"/a2a", "0.3", "acme", Call{Operation: GetExtendedAgentCard}, "GET /a2a/v1/card "},
		{"", "1.0", "", Call{SendMessage, jsontext.Value(`{"message":{"parts":[]},"b":1}`)}, `POST /message:send {"b":1,"message":{"parts":[]}}`},
		{"", "1.0", "", Call{Operation: SendStreamingMessage}, "POST /message:stream {}"},
		{"", "0.3", "", Call{Operation: SendStreamingMessage}, "POST /v1/message:stream {}"},
		{"", "1.0", "", Call{GetTask, jsontext.Value(`{"id":"a/../b?c","historyLength":2}`)}, "GET /tasks/a%2F..%2Fb%3Fc?historyLength=2 "},
		{"", "0.3", "", Call{GetTask, jsontext.Value(`{"id":"t"}`)}, "GET /v1/tasks/t "},
		{"?k=v", "1.0", "", Call{ListTasks, jsontext.Value(`{"contextId":"c d","status":null,"x":["1",true]}`)}, "GET /tasks?k=v&contextId=c+d&x=1&x=true "},
		{"", "1.0", "", Call{CancelTask, jsontext.Value(`{"id":"t","metadata":{}}`)}, `POST /tasks/t:cancel {"metadata":{}}`},
		{"", "0.3", "", Call{CancelTask, jsontext.Value(`{"id":"t"}`)}, `POST /v1/tasks/t:cancel {}`},
		{"", "1.0", "", Call{SubscribeToTask, jsontext.Value(`{"id":"t"}`)}, `POST /tasks/t:subscribe {}`},
		{"", "1.0", "", Call{CreateTaskPushNotificationConfig, jsontext.Value(`{"taskId":"t","id":"c","url":"u"}`)}, `POST /tasks/t/pushNotificationConfigs {"id":"c","url":"u"}`},
		{"", "1.0", "", Call{GetTaskPushNotificationConfig, jsontext.Value(`{"taskId":"t","id":"c"}`)}, `GET /tasks/t/pushNotificationConfigs/c `},
		{"", "0.3", "", Call{GetTaskPushNotificationConfig, jsontext.Value(`{"id":"t","pushNotificationConfigId":"c"}`)}, `GET /v1/tasks/t/pushNotificationConfigs/c `},
		{"", "1.0", "", Call{ListTaskPushNotificationConfigs, jsontext.Value(`{"taskId":"t"}`)}, `GET /tasks/t/pushNotificationConfigs `},
		{"", "1.0", "", Call{DeleteTaskPushNotificationConfig, jsontext.Value(`{"taskId":"t","id":"c"}`)}, `DELETE /tasks/t/pushNotificationConfigs/c `},
	} {
		target := Target{URL: url + tt.base, Binding: "HTTP+JSON", Version: tt.version, Tenant: tt.tenant}
		_, _ = local(t).Call(t.Context(), target, tt.call)
		if got := last().line + " " + last().body; got != tt.want {
			t.Errorf("%s at %q: sent %s\nwant %s", tt.call.Operation, tt.base, got, tt.want)
		}
	}
}

func TestJSONRPCRequests(t *testing.T) {
	url, last := listen(t)
	ids := map[string]bool{}
	for _, tt := range []struct {
		version, tenant string
		call            Call
		method, params  string
	}{
		{"1.0", "", Call{Operation: GetExtendedAgentCard}, "GetExtendedAgentCard", `{}`},
		{"1.0", "ac\"me", Call{Operation: GetExtendedAgentCard}, "GetExtendedAgentCard", `{"tenant":"ac\"me"}`},
		{"0.3", "acme", Call{Operation: GetExtendedAgentCard}, "agent/getAuthenticatedExtendedCard", `{}`},
		{"0.2", "", Call{SendMessage, jsontext.Value(`{"message": {}}`)}, "message/send", `{"message": {}}`},
		{"0.3", "", Call{Operation: SendStreamingMessage}, "message/stream", `{}`},
		{"0.3", "", Call{Operation: GetTask}, "tasks/get", `{}`},
		{"0.3", "", Call{Operation: CancelTask}, "tasks/cancel", `{}`},
		{"0.3", "", Call{Operation: SubscribeToTask}, "tasks/resubscribe", `{}`},
		{"0.3", "", Call{Operation: CreateTaskPushNotificationConfig}, "tasks/pushNotificationConfig/set", `{}`},
		{"0.3", "", Call{Operation: GetTaskPushNotificationConfig}, "tasks/pushNotificationConfig/get", `{}`},
		{"0.3", "", Call{Operation: ListTaskPushNotificationConfigs}, "tasks/pushNotificationConfig/list", `{}`},
		{"0.3", "", Call{Operation: DeleteTaskPushNotificationConfig}, "tasks/pushNotificationConfig/delete", `{}`},
		{"1.1", "acme", Call{ListTasks, jsontext.Value(`{"pageSize":1}`)}, "ListTasks", `{"pageSize":1,"tenant":"acme"}`},
	} {
		target := Target{URL: url + "/a2a/?k=v#x", Binding: "JSONRPC", Version: tt.version, Tenant: tt.tenant}
		_, _ = local(t).Call(t.Context(), target, tt.call)
		var got struct {
			JSONRPC, ID, Method string
			Params              json.RawMessage
		}
		if err := json.Unmarshal([]byte(last().body), &got); err != nil {
			t.Fatal(err)
		}
		if got.JSONRPC != "2.0" || len(got.ID) < 20 || ids[got.ID] || got.Method != tt.method || string(got.Params) != tt.params {
			t.Errorf("%s of %s: sent %s, want method %s, params %s and an id of its own", tt.call.Operation, tt.version, last().body, tt.method, tt.params)
		}
		if ids[got.ID] = true; last().line != "POST /a2a/?k=v" {
			t.Errorf("sent to %s", last().line)
		}
	}
}

func TestHeaders(t *testing.T) {
	url, last := listen(t)
	c := local(t)
	c.UserAgent = "a2alock/1.2.3"
	for _, tt := range []struct {
		target    Target
		operation string
		want      string
	}{
		{
			Target{Binding: "JSONRPC", Version: "1.0", Header: http.Header{"a2a-extensions": {"https://x.example/a", "https://x.example/b"}}},
			SendMessage,
			`Accept=[application/json] Content-Type=[application/json] A2a-Version=[1.0] A2a-Extensions=[https://x.example/a https://x.example/b]`,
		},
		{
			Target{Binding: "JSONRPC", Version: "1.0", Header: http.Header{"A2A-Version": {"9.9"}, "Accept": {"*/*"}}},
			SendStreamingMessage,
			`Accept=[text/event-stream, application/json] Content-Type=[application/json] A2a-Version=[9.9] A2a-Extensions=[]`,
		},
		{
			Target{Binding: "HTTP+JSON", Version: "0.3"},
			GetExtendedAgentCard,
			`Accept=[application/a2a+json, application/json] Content-Type=[] A2a-Version=[0.3] A2a-Extensions=[]`,
		},
		{
			Target{Binding: "HTTP+JSON", Version: "1.0"},
			SendStreamingMessage,
			`Accept=[text/event-stream, application/a2a+json, application/json] Content-Type=[application/json] A2a-Version=[1.0] A2a-Extensions=[]`,
		},
	} {
		tt.target.URL = url
		_, _ = c.Call(t.Context(), tt.target, Call{Operation: tt.operation})
		var parts []string
		for _, name := range []string{"Accept", "Content-Type", "A2a-Version", "A2a-Extensions"} {
			parts = append(parts, fmt.Sprintf("%s=%s", name, last().header[name]))
		}
		if got := strings.Join(parts, " "); got != tt.want {
			t.Errorf("sent %s\nwant %s", got, tt.want)
		}
		h := last().header
		if h.Get("User-Agent") != c.UserAgent || h.Get("Accept-Encoding") != "gzip" || h.Get("Cookie") != "" || h.Get("Referer") != "" {
			t.Errorf("headers = %v", h)
		}
	}
}

func TestActivatedExtensions(t *testing.T) {
	url := page{
		header: http.Header{"A2a-Extensions": {"https://x.example/a, https://x.example/b", "https://x.example/a,", "https://x.example/c"}},
		body:   `{"jsonrpc":"2.0","id":"$ID","result":{}}`,
	}.serve(t)
	answer, err := local(t).Call(t.Context(), Target{URL: url, Binding: "JSONRPC", Version: "1.0"}, Call{Operation: GetExtendedAgentCard})
	if err != nil || strings.Join(answer.Extensions, " ") != "https://x.example/a https://x.example/b https://x.example/c" {
		t.Errorf("answer = %+v, %v", answer, err)
	}
}
