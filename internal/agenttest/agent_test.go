package agenttest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/a2alock/a2alock/internal/agenttest"
)

// client calls one interface of the agent through the SDK. It is made from an
// endpoint: a client made from a card hides refusals (it turns a stream into a
// plain call when the card says no).
func client(t *testing.T, url string, binding a2a.TransportProtocol) *a2aclient.Client {
	t.Helper()
	c, err := a2aclient.NewFromEndpoints(t.Context(),
		[]*a2a.AgentInterface{a2a.NewAgentInterface(url, binding)},
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Destroy() })
	return c
}

func quoteRequest() *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser,
		a2a.NewDataPart(map[string]any{"legs": []any{}}))}
}

// bindings are the agent's interfaces as the SDK's client wants them.
func bindings(a *agenttest.Agent) map[a2a.TransportProtocol]string {
	return map[a2a.TransportProtocol]string{
		a2a.TransportProtocolJSONRPC:  a.URL() + "/rpc",
		a2a.TransportProtocolHTTPJSON: a.URL() + "/rest",
		a2a.TransportProtocolGRPC:     a.GRPCAddr(),
	}
}

func stream(ctx context.Context, c *a2aclient.Client) (events int, err error) {
	for _, err := range c.SendStreamingMessage(ctx, quoteRequest()) {
		if err != nil {
			return events, err
		}
		events++
	}
	return events, nil
}

func TestAgentAnswersOnEveryBinding(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{GRPC: true})
	for binding, url := range bindings(agent) {
		t.Run(string(binding), func(t *testing.T) {
			c := client(t, url, binding)
			result, err := c.SendMessage(t.Context(), quoteRequest())
			if err != nil {
				t.Fatal(err)
			}
			task, ok := result.(*a2a.Task)
			if !ok || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
				t.Fatalf("SendMessage = %#v, want a completed task with one artifact", result)
			}
			stored, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
			if err != nil || stored.ID != task.ID {
				t.Errorf("GetTask(%q) = %v, %v", task.ID, stored, err)
			}
			if events, err := stream(t.Context(), c); err != nil || events < 4 {
				t.Errorf("stream = %d events, %v; want 4 or more", events, err)
			}
		})
	}
}

func TestAgentDoesWhatItsCardSays(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{GRPC: true})
	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`))
	for binding, url := range bindings(agent) {
		t.Run(string(binding), func(t *testing.T) {
			c := client(t, url, binding)
			if _, err := stream(t.Context(), c); !errors.Is(err, a2a.ErrUnsupportedOperation) {
				t.Errorf("stream with streaming false: %v, want %v", err, a2a.ErrUnsupportedOperation)
			}
			_, err := c.CreateTaskPushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: "https://hooks.example/x"})
			if !errors.Is(err, a2a.ErrPushNotificationNotSupported) {
				t.Errorf("push config with pushNotifications false: %v, want %v", err, a2a.ErrPushNotificationNotSupported)
			}
			if _, err := c.SendMessage(t.Context(), quoteRequest()); err != nil {
				t.Errorf("SendMessage with streaming false: %v", err)
			}
		})
	}

	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": true,
		"extensions": [{"uri": "https://partner.example/ext/currency", "required": true}]}}`))
	c := client(t, agent.URL()+"/rpc", a2a.TransportProtocolJSONRPC)
	if _, err := c.SendMessage(t.Context(), quoteRequest()); !errors.Is(err, a2a.ErrExtensionSupportRequired) {
		t.Errorf("SendMessage without the required extension: %v, want %v", err, a2a.ErrExtensionSupportRequired)
	}
}

// The SDK reads the card as a2a-go writes it. The form that the specification
// gives to scopes it cannot read, which is why a2alock has a card model of its
// own (docs/adr/0001).
func TestSDKReadsCard(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{GRPC: true, Card: func(base string) []byte {
		return agenttest.Shape("go", base)
	}})
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), agent.URL())
	if err != nil {
		t.Fatal(err)
	}
	if len(card.SupportedInterfaces) != 3 || len(card.Skills) != 2 || !card.Capabilities.Streaming {
		t.Errorf("the SDK read %+v, want 3 interfaces, 2 skills and streaming", card)
	}
	if got := card.SupportedInterfaces[2].URL; got != agent.GRPCAddr() {
		t.Errorf("the gRPC interface is %q, want %q", got, agent.GRPCAddr())
	}

	agent.SetCard(agenttest.TravelCard(agent.URL()))
	if _, err := agentcard.DefaultResolver.Resolve(t.Context(), agent.URL()); err == nil {
		t.Error("the SDK now reads scopes as the specification writes them: docs/adr/0001 can say so")
	}
}

func get(t *testing.T, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestCardIsServedByteForByte(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{CardPath: agenttest.Legacy})
	if want := agent.URL() + "/.well-known/agent.json"; agent.CardURL() != want {
		t.Errorf("CardURL() = %q, want %q", agent.CardURL(), want)
	}
	odd := "\ufeff{\"name\": 1,\r\n \"name\": 2} trailing"
	agent.SetCard([]byte(odd))
	res, body := get(t, agent.CardURL(), http.Header{"A2a-Version": {"1.0"}})
	if body != odd || res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("GET = %d %q %q, want 200 and the very bytes", res.StatusCode, res.Header, body)
	}
	if res, _ := get(t, agent.URL()+agenttest.WellKnown+"?x=1", nil); res.StatusCode != 404 {
		t.Errorf("GET of the other path = %d, want 404", res.StatusCode)
	}
	requests := agent.Requests()
	if len(requests) != 2 {
		t.Fatalf("Requests() = %v, want 2", requests)
	}
	if r := requests[0]; r.Method != "GET" || r.Path != agenttest.Legacy || r.Header.Get("A2A-Version") != "1.0" {
		t.Errorf("the first request is %+v", r)
	}
	if r := requests[1]; r.Path != agenttest.WellKnown+"?x=1" {
		t.Errorf("the second request is %+v", r)
	}
}

func TestAnswer(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	card := string(agent.Card())
	tests := []struct {
		name   string
		answer agenttest.Answer
		ask    http.Header
		status int
		body   string
		header http.Header
	}{
		{name: "as it is", status: 200, body: card},
		{
			name:   "status and headers",
			answer: agenttest.Answer{Status: 503, Header: http.Header{"retry-after": {"9"}, "Content-Type": {"text/plain"}}},
			status: 503, body: card,
			header: http.Header{"Retry-After": {"9"}, "Content-Type": {"text/plain"}},
		},
		{name: "no content", answer: agenttest.Answer{Status: 204}, status: 204},
		{name: "other body", answer: agenttest.Answer{Body: []byte("<html>")}, status: 200, body: "<html>"},
		{name: "empty body", answer: agenttest.Answer{Body: []byte{}}, status: 200},
		{
			name: "ETag", answer: agenttest.Answer{ETag: `"v1"`},
			status: 200, body: card, header: http.Header{"Etag": {`"v1"`}},
		},
		{
			name: "ETag that fits", answer: agenttest.Answer{ETag: `"v1"`}, ask: http.Header{"If-None-Match": {`"v1"`}},
			status: 304, header: http.Header{"Etag": {`"v1"`}},
		},
		{
			name: "ETag that does not fit", answer: agenttest.Answer{ETag: `"v2"`}, ask: http.Header{"If-None-Match": {`"v1"`}},
			status: 200, body: card,
		},
		{name: "304 unasked", answer: agenttest.Answer{Status: 304}, status: 304},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			agent.SetAnswer(tt.answer)
			res, body := get(t, agent.CardURL(), tt.ask)
			if res.StatusCode != tt.status || body != tt.body {
				t.Errorf("GET = %d %q, want %d %q", res.StatusCode, body, tt.status, tt.body)
			}
			for name := range tt.header {
				if got, want := res.Header.Get(name), tt.header.Get(name); got != want {
					t.Errorf("header %s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestAnswerDelays(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	agent.SetAnswer(agenttest.Answer{Delay: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, agent.CardURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("GET with a minute's delay: %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestListenRefusesAddressInUse(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	addr := strings.TrimPrefix(agent.URL(), "http://")
	if b, err := agenttest.Listen(agenttest.Config{Addr: addr}); err == nil {
		b.Close()
		t.Errorf("Listen(%q) twice: no error", addr)
	}
}
