package rpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/a2alock/a2alock/netguard"
)

// raw is a gRPC server that answers every call by handler.
func raw(t *testing.T, handler grpc.StreamHandler, options ...grpc.ServerOption) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(append(options, grpc.UnknownServiceHandler(handler))...)
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(lis) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return lis.Addr().String()
}

func grpcStatus(code codes.Code, reason, domain string) error {
	s := status.New(code, "no")
	if reason != "" {
		s, _ = s.WithDetails(&errdetails.BadRequest{}, &errdetails.ErrorInfo{Reason: reason, Domain: domain})
	}
	return s.Err()
}

func TestGRPCReplays(t *testing.T) {
	const ours = "a2a-protocol.org"
	for _, tt := range []struct {
		name      string
		operation string
		answer    error
		want      string
	}{
		{"go, js", GetExtendedAgentCard, grpcStatus(codes.FailedPrecondition, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", ours), `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by reason: "no"`},
		{"java: another status", GetExtendedAgentCard, grpcStatus(codes.Unimplemented, "UNSUPPORTED_OPERATION", ours), `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"java: a version, as internal", GetExtendedAgentCard, grpcStatus(codes.Internal, "", ""), `INTERNAL_ERROR -32603 by status: "no"`},
		{"rust's word", SendMessage, grpcStatus(codes.InvalidArgument, "UNSUPPORTED_CONTENT_TYPE", ours), `CONTENT_TYPE_NOT_SUPPORTED -32005 by reason: "no"`},
		{"no such RPC", GetExtendedAgentCard, grpcStatus(codes.Unimplemented, "", ""), `METHOD_NOT_FOUND -32601 by status: "no"`},
		{"a task", GetTask, grpcStatus(codes.NotFound, "", ""), `TASK_NOT_FOUND -32001 by status: "no"`},
		{"no task", GetExtendedAgentCard, grpcStatus(codes.NotFound, "", ""), ` 0 by : "no"`},
		{"a precondition", GetExtendedAgentCard, grpcStatus(codes.FailedPrecondition, "", ""), ` 0 by : "no"`},
		{"another's reason", GetExtendedAgentCard, grpcStatus(codes.FailedPrecondition, "UNSUPPORTED_OPERATION", "x.example"), ` 0 by : "no"`},
		{"who are you", GetExtendedAgentCard, grpcStatus(codes.Unauthenticated, "UNAUTHENTICATED", ours), `auth: wants a credential: bearer with "cards.read": "no"`},
		{"not you", GetExtendedAgentCard, grpcStatus(codes.PermissionDenied, "", ""), `auth: denied: bearer with "cards.read": "no"`},
		{"not you, but by a name", GetExtendedAgentCard, grpcStatus(codes.PermissionDenied, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", ours), `EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 by reason: "no"`},
		{"not now", GetExtendedAgentCard, grpcStatus(codes.Unavailable, "", ""), `transport: UNAVAILABLE: "no"`},
		{"too often", GetExtendedAgentCard, grpcStatus(codes.ResourceExhausted, "", ""), `transport: RESOURCE_EXHAUSTED: "no"`},
		{"a stream refused", SendStreamingMessage, grpcStatus(codes.FailedPrecondition, "UNSUPPORTED_OPERATION", ours), `UNSUPPORTED_OPERATION -32004 by reason: "no"`},
		{"a stream of nothing", SendStreamingMessage, nil, `undecodable: the stream ended without an event`},
		{"no message", GetExtendedAgentCard, nil, `undecodable: cardinality violation`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := raw(t, func(_ any, s grpc.ServerStream) error {
				s.SetTrailer(metadata.Pairs("www-authenticate", `Bearer scope="cards.read"`))
				return tt.answer
			})
			target := Target{URL: addr, Binding: "GRPC", Version: "1.0"}
			got := outcome(local(t).Call(t.Context(), target, Call{tt.operation, jsontext.Value(`{}`)}))
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("outcome = %s\nwant      %s", got, tt.want)
			}
		})
	}
}

// What goes out, and a card with fields that the stubs do not know.
func TestGRPCCall(t *testing.T) {
	var md metadata.MD
	var method string
	in := &a2apb.GetExtendedAgentCardRequest{}
	addr := raw(t, func(_ any, s grpc.ServerStream) error {
		md, _ = metadata.FromIncomingContext(s.Context())
		method, _ = grpc.MethodFromServerStream(s)
		if err := s.RecvMsg(in); err != nil {
			return err
		}
		card := &a2apb.AgentCard{Name: "A", Version: "1", Capabilities: &a2apb.AgentCapabilities{Streaming: new(false)}, Skills: []*a2apb.AgentSkill{{Id: "s"}, {Id: "t"}}}
		future := protowire.AppendString(protowire.AppendTag(nil, 4000, protowire.BytesType), "from A2A 1.7")
		card.Capabilities.ProtoReflect().SetUnknown(future)
		card.Skills[1].ProtoReflect().SetUnknown(future)
		s.SetTrailer(metadata.Pairs("a2a-extensions", "https://x.example/a"))
		return s.SendMsg(card)
	})
	target := Target{
		URL: addr, Binding: "GRPC", Version: "1.0", Tenant: "acme",
		Header: http.Header{"A2A-Extensions": {"https://x.example/a", "https://x.example/b"}},
		Credential: func(r *http.Request) error {
			if _, ok := r.Context().Deadline(); !ok {
				t.Error("the credential has all the time in the world")
			}
			return bearer("canary-0123456789")(r)
		},
	}
	c := local(t)
	c.UserAgent = "a2alock/1.2.3"
	answer, err := c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"capabilities":{"streaming":false},"name":"A","skills":[{"id":"s"},{"id":"t"}],"version":"1"}`; string(answer.Body) != want {
		t.Errorf("body = %s\nwant   %s", answer.Body, want)
	}
	want := []string{
		"the answer has fields at /capabilities that A2A 1.0 does not know; they have no JSON form",
		"the answer has fields at /skills/1 that A2A 1.0 does not know; they have no JSON form",
	}
	if !slices.Equal(answer.Notes, want) || !slices.Equal(answer.Extensions, []string{"https://x.example/a"}) {
		t.Errorf("answer = %+v", answer)
	}
	if method != "/lf.a2a.v1.A2AService/GetExtendedAgentCard" || in.Tenant != "acme" {
		t.Errorf("%s with %v was called", method, in)
	}
	for name, want := range map[string][]string{
		"a2a-version": {"1.0"}, "a2a-extensions": {"https://x.example/a", "https://x.example/b"}, "authorization": {"Bearer canary-0123456789"},
		":authority": {addr},
	} {
		if got := md.Get(name); !slices.Equal(got, want) {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if ua := md.Get("user-agent"); len(ua) != 1 || !strings.HasPrefix(ua[0], "a2alock/1.2.3 grpc-go/") {
		t.Errorf("user-agent = %q", ua)
	}
}

// Java reads one entry of extensions, joined by commas.
func TestGRPCExtensionsInTheOtherForm(t *testing.T) {
	calls := 0
	addr := raw(t, func(_ any, s grpc.ServerStream) error {
		calls++
		md, _ := metadata.FromIncomingContext(s.Context())
		if got := md.Get("a2a-extensions"); len(got) != 1 || got[0] != "https://x.example/a,https://x.example/b" {
			return grpcStatus(codes.FailedPrecondition, ExtensionSupportRequired, "a2a-protocol.org")
		}
		return s.SendMsg(&a2apb.AgentCard{Name: "A"})
	})
	target := Target{URL: addr, Binding: "GRPC", Version: "1.0", Header: http.Header{"A2A-Extensions": {"https://x.example/a", "https://x.example/b"}}}
	got := outcome(local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}))
	if want := `ok {"name":"A"}; extensions were refused in several metadata entries, and taken in one, joined by commas`; got != want || calls != 2 {
		t.Errorf("outcome of %d calls = %s", calls, got)
	}
	target.Header = http.Header{"A2A-Extensions": {"https://x.example/a"}}
	_, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
	if refusedFor(t, err, ExtensionSupportRequired); calls != 3 {
		t.Errorf("one extension was asked for %d times", calls-2)
	}
}

func TestGRPCNoStore(t *testing.T) {
	for _, value := range []string{"no-store", "no-cache"} {
		addr := raw(t, func(_ any, s grpc.ServerStream) error {
			_ = s.SetHeader(metadata.Pairs("cache-control", value))
			return s.SendMsg(&a2apb.AgentCard{Name: "A"})
		})
		answer, err := local(t).Call(t.Context(), Target{URL: addr, Binding: "GRPC", Version: "1.0"}, Call{Operation: GetExtendedAgentCard})
		if err != nil || answer.NoStore != (value == "no-store") {
			t.Errorf("%s: %+v, %v", value, answer, err)
		}
	}
}

type publicNames struct{}

func (publicNames) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

// secured is a client that trusts server, and reaches it at every public name.
func secured(t *testing.T, server *httptest.Server, addr string) *Client {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	g := &netguard.Guard{Resolver: publicNames{}, TLS: &tls.Config{RootCAs: roots}, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	t.Cleanup(g.CloseIdle)
	return &Client{Guard: g}
}

func TestGRPCOverTLS(t *testing.T) {
	web := httptest.NewUnstartedServer(http.NotFoundHandler()) // for its certificate, of example.com
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	defer web.Close()
	var authority []string
	answer := func(_ any, s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		authority = md.Get(":authority")
		return s.SendMsg(&a2apb.AgentCard{Name: "A"})
	}
	addr := raw(t, answer, grpc.Creds(credentials.NewServerTLSFromCert(&web.TLS.Certificates[0])))
	plain := raw(t, answer)
	for _, tt := range []struct {
		name, url, addr string
		want, authority string
	}{
		{"host:port", "Example.com:8443", addr, `ok {"name":"A"}`, "example.com:8443"},
		{"URL", "https://agent.example.com/a2a?x", addr, `ok {"name":"A"}`, "agent.example.com:443"},
		{"another name than the certificate's", "agent.example.org:443", addr, "transport: tls: failed to verify certificate", ""},
		{"no TLS there", "agent.example.com:443", plain, "transport: the server has no TLS at that port: tls: first record does not look like a TLS handshake", ""},
		{"a web server without HTTP/2", "agent.example.com:443", web.Listener.Addr().String(), "transport: ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			authority = nil
			var origin string
			target := Target{URL: tt.url, Binding: "GRPC", Version: "1.0", Credential: func(r *http.Request) error {
				origin = r.URL.Scheme + "://" + r.URL.Host
				return nil
			}}
			got := outcome(secured(t, web, tt.addr).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}))
			if !strings.HasPrefix(got, tt.want) || strings.Join(authority, "") != tt.authority {
				t.Errorf("outcome = %s at %q\nwant      %s at %q", got, authority, tt.want, tt.authority)
			}
			if tt.authority != "" && origin != "https://"+tt.authority {
				t.Errorf("the credential was asked for %s", origin)
			}
		})
	}
}

// A refusal of the guard at the dial comes back as itself.
func TestGRPCDialIsGuarded(t *testing.T) {
	c := &Client{Guard: &netguard.Guard{Resolver: rebound{}}}
	_, err := c.Call(t.Context(), Target{URL: "agent.example.com:443", Binding: "GRPC", Version: "1.0"}, Call{Operation: GetExtendedAgentCard})
	if r, ok := errors.AsType[*netguard.Refused](err); !ok || r.Kind != netguard.KindAddress {
		t.Errorf("error = %v, want that the address is refused", err)
	}
}

type rebound struct{}

func (rebound) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
}

func TestGRPCCredentials(t *testing.T) {
	target := Target{URL: "93.184.215.14:443", Binding: "GRPC", Version: "1.0"}
	own := errors.New("not for that origin")
	target.Credential = func(*http.Request) error { return own }
	if _, err := new(Client).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}); err != own {
		t.Errorf("error = %v, want the credential's own", err)
	}
	target.Credential = func(r *http.Request) error {
		r.URL.RawQuery = "key=canary-0123456789"
		return nil
	}
	_, err := new(Client).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
	if _, ok := errors.AsType[*NotSpokenError](err); !ok || strings.Contains(err.Error(), "canary") {
		t.Errorf("error = %v, want that a query does not go over gRPC", err)
	}
}
