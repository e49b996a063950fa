package rpc

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/echo"
)

// fuzzed is an exchange that a reply comes to.
func fuzzed(binding, version, operation string) *exchange {
	c := &Client{}
	x, err := c.exchange(Target{URL: "https://agent.example.com/", Binding: binding, Version: version}, Call{Operation: operation})
	if err != nil {
		panic(err)
	}
	x.secrets = echo.Secrets{"canary-0123456789"}
	return x
}

// holds checks what every end of a call holds to.
func holds(t *testing.T, answer *Answer, err error) {
	t.Helper()
	if (answer == nil) == (err == nil) {
		t.Fatalf("answer = %v, error = %v", answer, err)
	}
	if err == nil {
		if answer.Body != nil && !answer.Body.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("body = %q", answer.Body)
		}
		return
	}
	_, isError := errors.AsType[*Error](err)
	_, isAuth := errors.AsType[*AuthError](err)
	_, isTransport := errors.AsType[*TransportError](err)
	_, isUndecodable := errors.AsType[*UndecodableError](err)
	if !isError && !isAuth && !isTransport && !isUndecodable {
		t.Errorf("error = %#v", err)
	}
	text := err.Error()
	if len(text) > 2000 || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b\u202e") || strings.Contains(text, "canary-0123456789") {
		t.Errorf("error = %q", text)
	}
}

func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":"ID","result":{"name":"A","name":"B"}}`,
		`{"jsonrpc":"2.0","id":"ID","error":{"code":-32007,"message":"canary-0123456789","data":` + infos("VERSION_NOT_SUPPORTED") + `}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1e3,"message":["x"],"data":{"domain":"a2a-protocol.org"}}}`,
		`[{}]`, `{"id":"ID","result":null}`, `<html>`, "", `{"a":"\ud800"}`, "\xff\xfe{}", `{"result":{}} {}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, operation := range []string{GetExtendedAgentCard, DeleteTaskPushNotificationConfig} {
			x := fuzzed("JSONRPC", "1.0", operation)
			answer, err := x.response(&reply{status: 200, header: http.Header{}, body: body}, "ID")
			holds(t, answer, err)
		}
	})
}

func FuzzHTTPError(f *testing.F) {
	for _, s := range []string{
		aip193(400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION").body, aip193(503, "UNAVAILABLE", "").body,
		`{"type":"https://a2a-protocol.org/errors/task-not-found","title":"canary-0123456789"}`,
		`{"error":"TaskNotFoundError","message":"no"}`, `{"code":-32007,"message":"no"}`, `{"message":"no"}`,
		`{"error":{"code":"x","details":{}}}`, `{"error":[]}`, `<html>`, "",
	} {
		f.Add([]byte(s), 404, `Bearer realm="x", scope="a b", error=invalid_token, Basic`)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, challenge string) {
		for version, operation := range map[string]string{"1.0": GetTask, "0.3": ListTaskPushNotificationConfigs} {
			x := fuzzed("HTTP+JSON", version, operation)
			holds(t, nil, x.httpError(&reply{status: status, header: http.Header{"Www-Authenticate": {challenge}}, body: body}))
		}
	})
}

func FuzzFirstEvent(f *testing.F) {
	for _, s := range []string{"data: a\n\n", ": hi\r\n\r\ndata:a\r\ndata: b\r\n\r\n", "event: error\n\n", "\xEF\xBB\xBFdata:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := firstEvent(strings.NewReader(text), 1<<10)
		if (len(data) == 0) == (err == nil) || len(data) > len(text) {
			t.Errorf("firstEvent(%q) = %q, %v", text, data, err)
		}
	})
}
