package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/a2alock/a2alock/netguard"
)

// An agent is one of the official Go SDK, at three bindings on loopback.
type agent struct {
	caps     *a2a.AgentCapabilities
	extended bool // it has an extended card
	// tokens are who may call, and the skill that each sees; nil: anybody.
	tokens map[string]string
}

type work struct{}

func (work) Execute(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		_ = (ec.StoredTask != nil || yield(a2a.NewSubmittedTask(ec, ec.Message), nil)) &&
			yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, nil), nil) &&
			yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil), nil)
	}
}

func (work) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

// gate lets in whoever has a token.
type gate struct {
	a2asrv.PassthroughCallInterceptor
	tokens map[string]string
}

type skillKey struct{}

func (g gate) Before(ctx context.Context, cc *a2asrv.CallContext, _ *a2asrv.Request) (context.Context, any, error) {
	if g.tokens == nil {
		return ctx, nil, nil
	}
	auth, _ := cc.ServiceParams().Get("authorization")
	if len(auth) == 0 {
		return ctx, nil, a2a.ErrUnauthenticated
	}
	skill, ok := g.tokens[strings.TrimPrefix(auth[0], "Bearer ")]
	if !ok {
		return ctx, nil, a2a.ErrUnauthorized
	}
	return context.WithValue(ctx, skillKey{}, skill), nil, nil
}

// start runs a, and gives its interfaces.
func (a agent) start(t *testing.T) []Target {
	t.Helper()
	options := []a2asrv.RequestHandlerOption{
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)),
		a2asrv.WithCallInterceptors(gate{tokens: a.tokens}), a2asrv.WithTaskStore(taskstore.NewInMemory(nil)),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)),
	}
	if a.caps != nil {
		options = append(options, a2asrv.WithCapabilityChecks(a.caps))
	}
	if a.extended {
		options = append(options, a2asrv.WithExtendedAgentCardProducer(a2asrv.ExtendedAgentCardProducerFn(
			func(ctx context.Context, _ *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
				skill, _ := ctx.Value(skillKey{}).(string)
				return &a2a.AgentCard{
					Name: "Pricing <" + skill + ">", Description: "Prices.", Version: "1.0",
					DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
					SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface("https://pricing.example/rpc", "JSONRPC")},
					Skills:              []a2a.AgentSkill{{ID: "quote-" + skill, Name: "Quote", Description: "Quotes.", Tags: []string{"x"}}},
				}, nil
			})))
	}
	h := a2asrv.NewHandler(work{}, options...)
	mux := http.NewServeMux()
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(h))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(h)))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnaryInterceptor(withMetadata))
	a2agrpc.NewHandler(h).RegisterWith(s)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(lis) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return []Target{
		{URL: server.URL + "/rpc", Binding: "JSONRPC", Version: "1.0"},
		{URL: server.URL + "/rest/", Binding: "HTTP+JSON", Version: "1.0"},
		{URL: lis.Addr().String(), Binding: "GRPC", Version: "1.0"},
	}
}

// withMetadata does what the SDK's handler of gRPC forgets for the extended card
// alone (v2.4.0): without it, nobody who asks for that has a header.
func withMetadata(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	ctx, _ = a2asrv.NewCallContext(ctx, a2asrv.NewServiceParams(md))
	return next(ctx, req)
}

// local is a client that may reach loopback, as one may whose lock names it.
func local(t *testing.T) *Client {
	g := new(netguard.Guard).Named("http://127.0.0.1/")
	t.Cleanup(g.CloseIdle)
	return &Client{Guard: g}
}

func bearer(token string) func(*http.Request) error {
	return func(r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func TestExtendedCards(t *testing.T) {
	targets := agent{
		caps: &a2a.AgentCapabilities{ExtendedAgentCard: true}, extended: true,
		tokens: map[string]string{"token-of-a": "one", "token-of-b": "two"},
	}.start(t)
	for _, target := range targets {
		t.Run(target.Binding, func(t *testing.T) {
			c := local(t)
			for token, want := range map[string]string{"token-of-a": "quote-one", "token-of-b": "quote-two"} {
				target.Credential = bearer(token)
				answer, err := c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
				if err != nil {
					t.Fatal(err)
				}
				var card struct {
					Name                string
					SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
					Skills              []struct{ ID string }
				}
				if err := json.Unmarshal(answer.Body, &card); err != nil {
					t.Fatalf("%s: %v", answer.Body, err)
				}
				if len(card.Skills) != 1 || card.Skills[0].ID != want || len(card.SupportedInterfaces) != 1 || answer.Streamed || answer.Notes != nil {
					t.Errorf("%s sees %s, notes %q; want the skill %s", token, answer.Body, answer.Notes, want)
				}
			}
			target.Credential = bearer("nobody-knows-it")
			_, err := c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
			if e, ok := errors.AsType[*AuthError](err); !ok || !e.Denied {
				t.Errorf("with a garbage token: %v, want that it is denied", err)
			}
			target.Credential = nil
			_, err = c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
			if e, ok := errors.AsType[*AuthError](err); !ok || e.Denied {
				t.Errorf("without a token: %v, want that one is asked for", err)
			}
		})
	}
}

// The rows for the Go SDK of what servers answer where there is no extended card.
func TestNoExtendedCard(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent agent
		want  string
	}{
		{"flag false", agent{caps: &a2a.AgentCapabilities{}, extended: true}, UnsupportedOperation},
		{"flag true, none configured", agent{caps: &a2a.AgentCapabilities{ExtendedAgentCard: true}}, ExtendedAgentCardNotConfigured},
		{"no checks, none configured", agent{}, ExtendedAgentCardNotConfigured},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, target := range tt.agent.start(t) {
				_, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
				e := refusedFor(t, err, tt.want)
				if e.Basis != "reason" || e.Code == 0 || e.Message == "" || e.Details == nil {
					t.Errorf("%s: %+v, want it named by its reason, with code and details", target.Binding, *e)
				}
				if want := map[string]int{"JSONRPC": e.Code}[target.Binding]; e.SentCode != want {
					t.Errorf("%s: SentCode = %d, want %d", target.Binding, e.SentCode, want)
				}
			}
		})
	}
}

func refusedFor(t *testing.T, err error, reason string) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Reason != reason {
		t.Fatalf("error = %v, want %s", err, reason)
	}
	return e
}

func TestEveryOperation(t *testing.T) {
	caps := &a2a.AgentCapabilities{Streaming: true, PushNotifications: true}
	for _, target := range (agent{caps: caps}).start(t) {
		t.Run(target.Binding, func(t *testing.T) {
			c := local(t)
			call := func(operation, params string) (object, *Answer, error) {
				t.Helper()
				answer, err := c.Call(t.Context(), target, Call{operation, jsontext.Value(params)})
				var o object
				if err == nil && answer.Body != nil {
					if err := json.Unmarshal(answer.Body, &o); err != nil {
						t.Fatalf("%s: %s: %v", operation, answer.Body, err)
					}
				}
				return o, answer, err
			}
			message := `{"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "Helsinki <-> Lisbon"}]}}`
			sent, answer, err := call(SendMessage, message)
			if err != nil || answer.Streamed {
				t.Fatalf("SendMessage = %v, %v", sent, err)
			}
			id := sent.at("task", "id").(string)
			if got, _, err := call(GetTask, `{"id": "`+id+`", "historyLength": 1}`); err != nil || got.at("id") != id {
				t.Errorf("GetTask = %v, %v", got, err)
			}
			_, _, err = call(GetTask, `{"id": "nobody"}`)
			refusedFor(t, err, TaskNotFound)
			_, _, err = call(CancelTask, `{"id": "`+id+`"}`)
			refusedFor(t, err, TaskNotCancelable)
			opening, answer, err := call(SendStreamingMessage, message)
			if err != nil || !answer.Streamed || opening.at("task", "id") == nil {
				t.Errorf("SendStreamingMessage = %v, %+v, %v; want the task, streamed", opening, answer, err)
			}
			config := `"taskId": "` + id + `", "id": "hook-1"`
			made, _, err := call(CreateTaskPushNotificationConfig, `{`+config+`, "url": "https://hook.example/x"}`)
			if err != nil || made.at("url") != "https://hook.example/x" {
				t.Errorf("create = %v, %v", made, err)
			}
			if got, _, err := call(GetTaskPushNotificationConfig, `{`+config+`}`); err != nil || got.at("id") != "hook-1" {
				t.Errorf("get = %v, %v", got, err)
			}
			list, _, err := call(ListTaskPushNotificationConfigs, `{"taskId": "`+id+`"}`)
			if configs, ok := list.at("configs").([]any); err != nil || !ok || len(configs) != 1 {
				t.Errorf("list = %v, %v", list, err)
			}
			if _, answer, err := call(DeleteTaskPushNotificationConfig, `{`+config+`}`); err != nil || answer.Body != nil {
				t.Errorf("delete = %+v, %v", answer, err)
			}
			if list, _, err := call(ListTaskPushNotificationConfigs, `{"taskId": "`+id+`"}`); err != nil || list.at("configs") != nil && len(list.at("configs").([]any)) > 0 {
				t.Errorf("list after delete = %v, %v", list, err)
			}
		})
	}
}

type object map[string]any

func (o object) at(path ...string) any {
	var v any = map[string]any(o)
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func TestStreamsRefused(t *testing.T) {
	for _, target := range (agent{caps: &a2a.AgentCapabilities{}}).start(t) {
		params := `{"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "x"}]}}`
		_, err := local(t).Call(t.Context(), target, Call{SendStreamingMessage, jsontext.Value(params)})
		refusedFor(t, err, UnsupportedOperation)
		_, err = local(t).Call(t.Context(), target, Call{CreateTaskPushNotificationConfig, jsontext.Value(`{"taskId": "t", "url": "https://hook.example/x"}`)})
		refusedFor(t, err, PushNotificationNotSupported)
	}
}

// Two required extensions, of which the SDK reads each from a header or an entry of
// its own.
func TestExtensions(t *testing.T) {
	caps := &a2a.AgentCapabilities{ExtendedAgentCard: true, Extensions: []a2a.AgentExtension{
		{URI: "https://x.example/a", Required: true}, {URI: "https://x.example/b", Required: true},
	}}
	for _, target := range (agent{caps: caps, extended: true}).start(t) {
		_, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
		refusedFor(t, err, ExtensionSupportRequired)
		target.Header = http.Header{"A2a-Extensions": {"https://x.example/a", "https://x.example/b"}}
		before := slices.Clone(target.Header["A2a-Extensions"])
		if _, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}); err != nil {
			t.Errorf("%s with extensions: %v", target.Binding, err)
		}
		if !slices.Equal(before, target.Header["A2a-Extensions"]) {
			t.Errorf("%s: the caller's headers were changed", target.Binding)
		}
	}
}
