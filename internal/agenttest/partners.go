package agenttest

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// Partners is an agent of the official Go SDK, at three bindings, that shows each
// partner an extended card of its own. Its methods are safe for concurrent use.
type Partners struct {
	server *httptest.Server
	grpc   string

	mu     sync.Mutex
	tokens map[string]string
	public []byte
	seen   []Request
}

// StartPartners runs an agent until t ends. Tokens are those that it knows, each
// with the id of the one skill that its bearer is shown. Its public card has the
// skill "public", and promises the extended one.
func StartPartners(t testing.TB, tokens map[string]string) *Partners {
	t.Helper()
	p := &Partners{tokens: maps.Clone(tokens)}
	caps := &a2a.AgentCapabilities{ExtendedAgentCard: true}
	h := a2asrv.NewHandler(pricing{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)), a2asrv.WithCapabilityChecks(caps),
		a2asrv.WithCallInterceptors(door{partners: p}),
		a2asrv.WithExtendedAgentCardProducer(a2asrv.ExtendedAgentCardProducerFn(
			func(ctx context.Context, _ *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
				skill, _ := ctx.Value(partnerKey{}).(string)
				return p.card(skill, "JSONRPC", "HTTP+JSON", "GRPC"), nil
			})))
	mux := http.NewServeMux()
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(h))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(h)))
	mux.HandleFunc("GET "+WellKnown, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = w.Write(p.public)
	})
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()})
		p.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.grpc = lis.Addr().String()
	s := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		// The SDK's handler forgets the metadata for the extended card alone.
		md, _ := metadata.FromIncomingContext(ctx)
		ctx, _ = a2asrv.NewCallContext(ctx, a2asrv.NewServiceParams(md))
		return next(ctx, req)
	}))
	a2agrpc.NewHandler(h).RegisterWith(s)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(lis) }()
	t.Cleanup(func() { s.Stop(); <-done })
	p.SetCard(p.Public("JSONRPC"))
	return p
}

// CardURL is the exact URL of the public card.
func (p *Partners) CardURL() string { return p.server.URL + WellKnown }

// GRPCAddr is host:port of the gRPC server.
func (p *Partners) GRPCAddr() string { return p.grpc }

// Public is a public card with interfaces of these bindings.
func (p *Partners) Public(bindings ...a2a.TransportProtocol) []byte {
	raw, err := json.Marshal(p.card("public", bindings...))
	if err != nil {
		panic(err)
	}
	return raw
}

// SetCard replaces the public card; the extended ones stay.
func (p *Partners) SetCard(raw []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.public = raw
}

// SetTokens replaces those that are known.
func (p *Partners) SetTokens(tokens map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens = maps.Clone(tokens)
}

// Requests are the HTTP requests received so far, in order.
func (p *Partners) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Request(nil), p.seen...)
}

func (p *Partners) card(skill string, bindings ...a2a.TransportProtocol) *a2a.AgentCard {
	c := &a2a.AgentCard{
		Name: "Partners", Description: "Shows each partner what it may use.", Version: "1.0.0",
		Capabilities:      a2a.AgentCapabilities{ExtendedAgentCard: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: skill, Name: skill, Description: "Does " + skill + ".", Tags: []string{"test"}}},
	}
	for _, b := range bindings {
		url := map[a2a.TransportProtocol]string{"JSONRPC": p.server.URL + "/rpc", "HTTP+JSON": p.server.URL + "/rest", "GRPC": p.grpc}[b]
		c.SupportedInterfaces = append(c.SupportedInterfaces, a2a.NewAgentInterface(url, b))
	}
	return c
}

// door lets in whoever has a token.
type door struct {
	a2asrv.PassthroughCallInterceptor
	partners *Partners
}

type partnerKey struct{}

// Before is a [a2asrv.CallInterceptor]'s.
func (d door) Before(ctx context.Context, cc *a2asrv.CallContext, _ *a2asrv.Request) (context.Context, any, error) {
	auth, _ := cc.ServiceParams().Get("authorization")
	if len(auth) == 0 {
		return ctx, nil, a2a.ErrUnauthenticated
	}
	d.partners.mu.Lock()
	skill, ok := d.partners.tokens[strings.TrimPrefix(auth[0], "Bearer ")]
	d.partners.mu.Unlock()
	if !ok {
		return ctx, nil, a2a.ErrUnauthorized
	}
	return context.WithValue(ctx, partnerKey{}, skill), nil, nil
}
