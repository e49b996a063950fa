package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A page is what a raw server answers.
type page struct {
	status int    // 0: 200
	kind   string // Content-Type; "": application/json
	header http.Header
	body   string // "$ID" is the request's id
}

var idIn = regexp.MustCompile(`"id":"([A-Z0-9]+)"`)

// serve is a server that answers everything with p.
func (p page) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		id := "none"
		if m := idIn.FindSubmatch(asked); m != nil {
			id = string(m[1])
		}
		maps.Copy(w.Header(), p.header)
		w.Header().Set("Content-Type", "application/json")
		if p.kind != "" {
			w.Header().Set("Content-Type", p.kind)
		}
		if p.status != 0 {
			w.WriteHeader(p.status)
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(p.body, "$ID", id))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// outcome is a call's end in a line.
func outcome(answer *Answer, err error) string {
	var place string
	switch e := err.(type) {
	case *Error:
		s := fmt.Sprintf("%s %d by %s", e.Reason, e.Code, e.Basis)
		if e.Message != "" {
			s += fmt.Sprintf(": %q", e.Message)
		}
		return s
	case *AuthError:
		place = "auth" + strings.TrimPrefix(e.Error(), e.Place.String())
	case *TransportError:
		place = "transport" + strings.TrimPrefix(e.Error(), e.Place.String())
	case *UndecodableError:
		place = "undecodable" + strings.TrimPrefix(e.Error(), e.Place.String())
	case nil:
		place = "ok " + string(answer.Body)
		if answer.Streamed {
			place = "streamed " + string(answer.Body)
		}
		for _, note := range answer.Notes {
			place += "; " + note
		}
	default:
		place = "another error: " + err.Error()
	}
	return place
}

const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"%s","domain":"a2a-protocol.org"}`

func rpcError(code int, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"$ID","error":{"code":%d,"message":"no"%s}}`, code, data)
}

func infos(reason string) string { return "[" + fmt.Sprintf(info, reason) + "]" }

func aip193(status int, name, reason string) page {
	details := ""
	if reason != "" {
		details = `,"details":` + infos(reason)
	}
	return page{status: status, body: fmt.Sprintf(`{"error":{"code":%d,"status":%q,"message":"no"%s}}`, status, name, details)}
}

func result(t *testing.T, url string, r row) string {
	t.Helper()
	target := Target{URL: url, Binding: r.binding, Version: r.version}
	if target.Version == "" {
		target.Version = "1.0"
	}
	call := Call{Operation: r.operation, Params: jsontext.Value(`{"id":"t-1","taskId":"t-1"}`)}
	if call.Operation == "" {
		call.Operation = GetExtendedAgentCard
	}
	return outcome(local(t).Call(t.Context(), target, call))
}

type row struct {
	name      string
	binding   string
	version   string // "": 1.0
	operation string // "": GetExtendedAgentCard
	page      page
	want      string
}

func (r row) run(t *testing.T) {
	t.Run(r.binding+" "+r.name, func(t *testing.T) {
		if got := result(t, r.page.serve(t), r); got != r.want {
			t.Errorf("outcome = %s\nwant      %s", got, r.want)
		}
	})
}

// What servers answer where there is no extended card, and how they name errors.
func TestJSONRPCReplays(t *testing.T) {
	const rpc = "JSONRPC"
	bearer := http.Header{"Www-Authenticate": {`Bearer realm="x", scope="cards.read all", error="insufficient_scope"`}}
	for _, r := range []row{
		{"a card", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{"name": "A",  "name":"B"}}`}, `ok {"name": "A",  "name":"B"}`},
		{"python 0.3: the public card", rpc, "0.3", "", page{body: `{"id":"$ID","jsonrpc":"2.0","result":{"name":"A"}}`}, `ok {"name":"A"}`},
		{"result and a null error", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{},"error":null}`}, `ok {}`},
		{"no version", rpc, "", "", page{body: `{"id":"$ID","result":{}}`}, `ok {}; the answer does not say that it is JSON-RPC 2.0`},
		{"other content type", rpc, "", "", page{kind: "text/plain", body: `{"jsonrpc":"2.0","id":"$ID","result":{}}`}, `ok {}; the answer's Content-Type is "text/plain", want application/json`},
		{"byte order mark", rpc, "", "", page{body: "\xEF\xBB\xBF" + `{"jsonrpc":"2.0","id":"$ID","result":{}}`}, `ok {}; the answer begins with a byte order mark`},

		{"go, js: flag false", rpc, "", "", page{body: rpcError(-32004, infos("UNSUPPORTED_OPERATION"))}, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"go, js: none configured", rpc, "", "", page{body: rpcError(-32007, infos("EXTENDED_AGENT_CARD_NOT_CONFIGURED"))}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by reason: "no"`},
		{"dotnet: code alone", rpc, "", "", page{body: rpcError(-32007, "")}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by code: "no"`},
		{"js: no such method", rpc, "", "", page{body: rpcError(-32601, "")}, `METHOD_NOT_FOUND -32601 by code: "no"`},
		{"reason before code", rpc, "", "", page{body: rpcError(-32603, infos("UNSUPPORTED_OPERATION"))}, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"rust's word", rpc, "", "", page{body: rpcError(-32005, infos("UNSUPPORTED_CONTENT_TYPE"))}, `CONTENT_TYPE_NOT_SUPPORTED -32005 by reason: "no"`},
		{"java's word", rpc, "", "", page{body: rpcError(-32700, infos("JSON_PARSE"))}, `PARSE_ERROR -32700 by reason: "no"`},
		{"a reason of another domain", rpc, "", "", page{body: rpcError(-32001, `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"x.example"}]`)}, `TASK_NOT_FOUND -32001 by code: "no"`},
		{"another type first", rpc, "", "", page{body: rpcError(-32603, `[{"@type":"type.googleapis.com/google.rpc.BadRequest"},`+fmt.Sprintf(info, "VERSION_NOT_SUPPORTED")+`]`)}, `VERSION_NOT_SUPPORTED -32009 by reason: "no"`},
		{"one object for a list", rpc, "", "", page{body: rpcError(-32603, fmt.Sprintf(info, "VERSION_NOT_SUPPORTED"))}, `VERSION_NOT_SUPPORTED -32009 by reason: "no"`},
		{"a reason that A2A does not know", rpc, "", "", page{body: rpcError(-32050, infos("OUT_OF_TEA"))}, `OUT_OF_TEA -32050 by reason: "no"`},
		{"a reason that is none", rpc, "", "", page{body: rpcError(-32004, infos("see https://x.example"))}, `UNSUPPORTED_OPERATION -32004 by code: "no"`},
		{"0.3: any data", rpc, "0.3", "", page{body: rpcError(-32007, `"details in a text"`)}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by code: "no"`},
		{"a code of its own", rpc, "", "", page{body: rpcError(1234, "")}, ` 1234 by : "no"`},
		{"no id in an error", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`}, `PARSE_ERROR -32700 by code: "no"`},
		{"dev-1.1", rpc, "", "", page{body: rpcError(-32010, "")}, `TASK_GENERATION_MISMATCH -32010 by code: "no"`},

		{"go: who are you", rpc, "", "", page{body: rpcError(-31401, infos("UNAUTHENTICATED"))}, `auth: wants a credential (200 OK): "no"`},
		{"go: not you", rpc, "", "", page{body: rpcError(-31403, "")}, `auth: denied (200 OK): "no"`},
		{"bare 401", rpc, "", "", page{status: 401}, `auth: wants a credential (401 Unauthorized)`},
		{"403 with a challenge", rpc, "", "", page{status: 403, kind: "text/html", header: bearer, body: "<html>no"}, `auth: denied (403 Forbidden): bearer with "cards.read", "all" ("insufficient_scope")`},
		{"401 and a general error", rpc, "", "", page{status: 401, body: rpcError(-32600, "")}, `auth: wants a credential (401 Unauthorized): "no"`},
		{"401 and an error of A2A", rpc, "", "", page{status: 401, body: rpcError(-32007, "")}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by code: "no"`},
		{"403 and a reason", rpc, "", "", page{status: 403, body: rpcError(-32603, infos("INVALID_REQUEST"))}, `INVALID_REQUEST -32600 by reason: "no"`},
		{"500 and an error", rpc, "", "", page{status: 500, body: rpcError(-32603, "")}, `INTERNAL_ERROR -32603 by code: "no"`},
		{"404 and an error without id", rpc, "", "", page{status: 404, body: `{"jsonrpc":"2.0","error":{"code":-32001,"message":"no"}}`}, `TASK_NOT_FOUND -32001 by code: "no"`},

		{"404", rpc, "", "", page{status: 404, kind: "text/html", body: "<html>Cannot POST"}, `transport: answered 404 Not Found`},
		{"502 of a gateway", rpc, "", "", page{status: 502, body: `{"message":"Internal server error"}`}, `transport: answered 502 Bad Gateway`},
		{"206", rpc, "", "", page{status: 206, body: `{"jsonrpc":"2.0","id":"$ID","result":{}}`}, `transport: answered 206 Partial Content`},
		{"304", rpc, "", "", page{status: 304}, `transport: answered 304 Not Modified`},
		{"304 with a place", rpc, "", "", page{status: 304, header: http.Header{"Location": {"/elsewhere"}}}, `transport: answered 304 Not Modified`},

		{"HTML", rpc, "", "", page{kind: "text/html", body: "<!doctype html><p>token=geheim"}, `undecodable: the answer is not JSON: an HTML page`},
		{"empty", rpc, "", "", page{}, `undecodable: the answer is empty`},
		{"204", rpc, "", "", page{status: 204}, `undecodable: the answer is empty`},
		{"another id", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"7","result":{}}`}, `undecodable: the answer has another id than the request`},
		{"an error with another id", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"7","error":{"code":-32007}}`}, `undecodable: the answer has another id than the request`},
		{"no id", rpc, "", "", page{body: `{"jsonrpc":"2.0","result":{}}`}, `undecodable: the answer has another id than the request`},
		{"both", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{},"error":{"code":-32007}}`}, `undecodable: the answer has both result and error`},
		{"neither", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID"}`}, `undecodable: the answer has neither result nor error`},
		{"null", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":null}`}, `undecodable: the answer has neither result nor error`},
		{"two results", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{},"\u0072esult":{"name":"B"}}`}, `undecodable: the answer has a repeated member`},
		{"an error of text", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","error":"no"}`}, `undecodable: the answer's error is no object`},
		{"a batch", rpc, "", "", page{body: `[{"jsonrpc":"2.0","id":"$ID","result":{}}]`}, `undecodable: the answer has no JSON object`},
		{"trailing data", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{}} {}`}, `undecodable: the answer is not JSON: data after the JSON value, at line 1, column 65`},
		{"cut off", rpc, "", "", page{body: `{"jsonrpc":"2.0","id":"$ID","result":{`}, `undecodable: the answer is not JSON: the JSON ends early`},

		{"a stream", rpc, "", SendStreamingMessage, page{kind: "text/event-stream; charset=utf-8", body: ": hi\r\nid: 1\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":\"$ID\",\"result\":{\"task\":{}}}\r\n\r\ndata: no JSON\r\n\r\n"}, `streamed {"task":{}}`},
		{"go: a stream refused", rpc, "", SendStreamingMessage, page{kind: "text/event-stream", body: "data: " + rpcError(-32004, infos("UNSUPPORTED_OPERATION")) + "\n\n"}, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"js: a stream refused", rpc, "", SendStreamingMessage, page{body: rpcError(-32004, infos("UNSUPPORTED_OPERATION"))}, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"java: a stream refused", rpc, "", SendStreamingMessage, page{kind: "text/event-stream", body: "event: error\ndata: " + rpcError(-32004, "") + "\n\n"}, `UNSUPPORTED_OPERATION -32004 by code: "no"`},
		{"no stream", rpc, "", SendStreamingMessage, page{body: `{"jsonrpc":"2.0","id":"$ID","result":{"task":{}}}`}, `ok {"task":{}}`},
		{"a last event without its end", rpc, "", SendStreamingMessage, page{kind: "text/event-stream", body: `data:{"jsonrpc":"2.0","id":"$ID","result":{}}`}, `streamed {}`},
		{"a stream of nothing", rpc, "", SendStreamingMessage, page{kind: "text/event-stream", body: ": hi\n\n: hi\n\ndata:\n\n"}, `undecodable: the stream ended without an event`},
	} {
		r.run(t)
	}
}

func TestRESTReplays(t *testing.T) {
	const rest = "HTTP+JSON"
	problem := func(kind string) page {
		return page{status: 400, kind: "application/problem+json", body: `{"type":"https://a2a-protocol.org/errors/` + kind + `","title":"No","status":400,"detail":"no"}`}
	}
	a2aJSON := aip193(400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION")
	a2aJSON.kind = "application/a2a+json"
	for _, r := range []row{
		{"a card", rest, "", "", page{kind: "application/a2a+json", body: ` {"name": "A", "error": {"code": 1}} `}, `ok  {"name": "A", "error": {"code": 1}} `},
		{"go", rest, "", "", aip193(400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"), `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by reason: "no"`},
		{"js", rest, "", "", a2aJSON, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"java: other status", rest, "", "", aip193(400, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION"), `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"java: 409", rest, "", CancelTask, aip193(409, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"), `TASK_NOT_CANCELABLE -32002 by reason: "no"`},
		{"java: 415", rest, "", SendMessage, aip193(415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"), `CONTENT_TYPE_NOT_SUPPORTED -32005 by reason: "no"`},
		{"java: 502", rest, "", SendMessage, aip193(502, "INTERNAL", "INVALID_AGENT_RESPONSE"), `INVALID_AGENT_RESPONSE -32006 by reason: "no"`},
		{"go: unknown method", rest, "", "", aip193(501, "UNIMPLEMENTED", "METHOD_NOT_FOUND"), `METHOD_NOT_FOUND -32601 by reason: "no"`},
		{"no details: a task", rest, "", GetTask, aip193(404, "NOT_FOUND", ""), `TASK_NOT_FOUND -32001 by status: "no"`},
		{"no details: no task", rest, "", "", aip193(404, "NOT_FOUND", ""), ` 0 by : "no"`},
		{"no details: a precondition", rest, "", "", aip193(400, "FAILED_PRECONDITION", ""), ` 0 by : "no"`},
		{"a front end's 503", rest, "", "", aip193(503, "UNAVAILABLE", ""), `transport: answered 503 Service Unavailable: "no"`},
		{"JSON-RPC's code in it", rest, "", "", page{status: 400, body: `{"error":{"code":-32007,"message":"no"}}`}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by code: "no"`},
		{"status unwrapped", rest, "", "", page{status: 400, body: `{"code":9,"message":"no","details":` + infos("VERSION_NOT_SUPPORTED") + `}`}, `VERSION_NOT_SUPPORTED -32009 by reason: "no"`},
		{"go: who are you", rest, "", "", aip193(401, "UNAUTHENTICATED", "UNAUTHENTICATED"), `auth: wants a credential (401 Unauthorized): "no"`},
		{"not you, with 400", rest, "", "", aip193(400, "PERMISSION_DENIED", "UNAUTHORIZED"), `auth: denied (400 Bad Request): "no"`},
		{"a 403 of a gateway", rest, "", "", page{status: 403, body: `{"message":"Missing Authentication Token"}`}, `auth: denied (403 Forbidden)`},

		{"rc: a problem", rest, "", "", problem("extended-agent-card-not-configured"), `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by problem type: "no"`},
		{"rc: with its ending", rest, "", GetTask, problem("task-not-found-error"), `TASK_NOT_FOUND -32001 by problem type: "no"`},
		{"rc: unknown", rest, "", "", problem("out-of-tea"), `transport: answered 400 Bad Request: "no"`},
		{"another's problem", rest, "", "", page{status: 400, kind: "application/problem+json", body: `{"type":"about:blank","title":"no"}`}, `transport: answered 400 Bad Request`},

		{"python 0.3: 404 of a task", rest, "0.3", GetTask, page{status: 404, body: `{"message":"Task not found"}`}, `TASK_NOT_FOUND -32001 by status: "Task not found"`},
		{"python 0.3: 404 of a card", rest, "0.3", "", page{status: 404, body: `{"message":"Not Found"}`}, `transport: answered 404 Not Found: "Not Found"`},
		{"python 0.3: 409", rest, "0.3", CancelTask, page{status: 409, body: `{"message":"no"}`}, `TASK_NOT_CANCELABLE -32002 by status: "no"`},
		{"python 0.3: 415", rest, "0.3", SendMessage, page{status: 415, body: `{"message":"no"}`}, `CONTENT_TYPE_NOT_SUPPORTED -32005 by status: "no"`},
		{"python 0.3: 422", rest, "0.3", SendMessage, page{status: 422, body: `{"message":"no"}`}, `INVALID_PARAMS -32602 by status: "no"`},
		{"python 0.3: 501", rest, "0.3", "", page{status: 501, body: `{"message":"no"}`}, `UNSUPPORTED_OPERATION -32004 by status: "no"`},
		{"python 0.3: 501 of push", rest, "0.3", ListTaskPushNotificationConfigs, page{status: 501, body: `{"message":"no"}`}, `PUSH_NOTIFICATION_NOT_SUPPORTED -32003 by status: "no"`},
		{"python 0.3: 502", rest, "0.3", SendMessage, page{status: 502, body: `{"message":"no"}`}, `transport: answered 502 Bad Gateway: "no"`},
		{"not so in 1.0", rest, "", GetTask, page{status: 404, body: `{"message":"no"}`}, `transport: answered 404 Not Found`},
		{"java 0.3", rest, "0.3", "", page{status: 404, body: `{"error":"AuthenticatedExtendedCardNotConfiguredError","message":"no"}`}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by class: "no"`},
		{"java 0.3: a task", rest, "0.3", GetTask, page{status: 404, body: `{"error":"TaskNotFoundError","message":"no"}`}, `TASK_NOT_FOUND -32001 by class: "no"`},
		{"js 0.3", rest, "0.3", "", page{status: 400, body: `{"code":-32007,"message":"no"}`}, `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by code: "no"`},

		{"go: no such path", rest, "", "", page{status: 404, kind: "text/plain; charset=utf-8", body: "404 page not found\n"}, `transport: answered 404 Not Found`},
		{"express: no such path", rest, "", "", page{status: 404, kind: "text/html", body: "<!DOCTYPE html><pre>Cannot GET"}, `transport: answered 404 Not Found`},
		{"HTML with 200", rest, "", "", page{kind: "text/html", body: "<html>token=geheim"}, `undecodable: the answer is not JSON: an HTML page`},
		{"empty", rest, "", "", page{}, `undecodable: the answer is empty`},
		{"trailing data", rest, "", "", page{body: `{"name":"A"} x`}, `undecodable: the answer is not JSON: data after the JSON value, at line 1, column 14`},
		{"an error with 200", rest, "", "", aip193(200, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"), `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"deleted, with nothing", rest, "", DeleteTaskPushNotificationConfig, page{status: 204}, `ok `},
		{"deleted, with an object", rest, "", DeleteTaskPushNotificationConfig, page{body: `{}`}, `ok `},

		{"a stream", rest, "", SendStreamingMessage, page{kind: "text/event-stream", body: "data: {\"task\":{}}\n\ndata: {}\n\n"}, `streamed {"task":{}}`},
		{"go: a stream refused", rest, "", SendStreamingMessage, page{kind: "text/event-stream", body: "data: " + aip193(400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION").body + "\n\n"}, `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"dotnet: a late failure", rest, "", SendStreamingMessage, page{kind: "text/event-stream", body: "data: {\"error\":\"no\"}\n\n"}, ` 0 by : "no"`},
	} {
		r.run(t)
	}
}

// An answer's text is shown escaped, short, and without what its URLs hold.
func TestForeignTextIsShownSafely(t *testing.T) {
	message := "a\x1b[2Jb\u202ec https://x.example/?token=geheim " + strings.Repeat("long ", 100)
	quoted, err := jsontext.AppendQuote(nil, message)
	if err != nil {
		t.Fatal(err)
	}
	url := page{body: `{"jsonrpc":"2.0","id":"$ID","error":{"code":-32007,"message":` + string(quoted) + `}}`}.serve(t)
	_, err = local(t).Call(t.Context(), Target{URL: url + "/?api_key=geheim", Binding: "JSONRPC", Version: "1.0"}, Call{Operation: GetExtendedAgentCard})
	refusedFor(t, err, ExtendedAgentCardNotConfigured)
	text := err.Error()
	if strings.Contains(text, "geheim") || strings.ContainsAny(text, "\x1b\u202e") || len(text) > 400 || !strings.Contains(text, `\x1b[2J`) {
		t.Errorf("error = %s", text)
	}
}

func TestCallsThatAreNotSpoken(t *testing.T) {
	url := page{body: "{}"}.serve(t)
	for _, tt := range []struct {
		target Target
		call   Call
		want   string
	}{
		{Target{Binding: "JSONRPC", Version: "0.3"}, Call{Operation: ListTasks}, "JSON-RPC has no such method before 1.0"},
		{Target{Binding: "GRPC", Version: "0.3"}, Call{Operation: GetTask}, "GRPC is spoken from 1.0 on"},
		{Target{Binding: "https://x.example/ws", Version: "1.0"}, Call{Operation: GetTask}, `binding "https://x.example/ws" is not known`},
		{Target{Binding: "JSONRPC", Version: "2.0"}, Call{Operation: GetTask}, `version "2.0" is not known`},
		{Target{Binding: "JSONRPC"}, Call{Operation: GetTask}, `version "" is not known`},
		{Target{Binding: "JSONRPC", Version: "1.0"}, Call{Operation: "Reboot"}, "there is no such operation"},
		{Target{Binding: "JSONRPC", Version: "1.0"}, Call{GetTask, jsontext.Value(`[]`)}, "params: no JSON object"},
		{Target{Binding: "JSONRPC", Version: "1.0", Tenant: "a"}, Call{GetTask, jsontext.Value(`{"tenant":"b"}`)}, "params: the tenant is the target's to name"},
		{Target{Binding: "HTTP+JSON", Version: "1.0"}, Call{Operation: GetTask}, `params: id: a path needs a name here, not ""`},
		{Target{Binding: "HTTP+JSON", Version: "1.0"}, Call{GetTask, jsontext.Value(`{"id":".."}`)}, `params: id: a path needs a name here, not ".."`},
		{Target{Binding: "HTTP+JSON", Version: "1.0", Tenant: "a/../b"}, Call{Operation: ListTasks}, `tenant: a path needs a name here, not ".."`},
		{Target{Binding: "HTTP+JSON", Version: "1.0"}, Call{ListTasks, jsontext.Value(`{"a":{}}`)}, `params: "a" does not fit in a query`},
		{Target{Binding: "GRPC", Version: "1.0"}, Call{GetTask, jsontext.Value(`{"nothing":1}`)}, "params: "},
	} {
		tt.target.URL = url
		_, err := local(t).Call(t.Context(), tt.target, tt.call)
		e, ok := errors.AsType[*NotSpokenError](err)
		if !ok || !strings.HasPrefix(e.Reason, tt.want) {
			t.Errorf("%s %s: error = %v, want %q", tt.target.Binding, tt.call.Operation, err, tt.want)
		}
	}
}

func TestFirstEventIsBounded(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"event", "data: a\n\n", "a"},
		{"lines", "data: a\ndata:  b\n\n", "a\n b"},
		{"an empty event first", "event: ping\n\ndata: a\n\n", "a"},
		{"a field without colon", "data\nretry: 3\ndata:a\n\n", "a"},
		{"a mark", "\xEF\xBB\xBFdata: a\n\n", "a"},
	} {
		if got, err := firstEvent(strings.NewReader(tt.text), 100); err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	if _, err := firstEvent(bytes.NewReader(bytes.Repeat([]byte("x"), 1000)), 100); err == nil {
		t.Error("a line of 1000 bytes passed a limit of 100")
	}
}
