package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/go-json-experiment/json/jsontext"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // the types of details
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/bounded"
	"github.com/a2alock/a2alock/internal/cachecontrol"
	"github.com/a2alock/a2alock/internal/grpclink"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/reason"
	"github.com/a2alock/a2alock/netguard"
)

// A procedure is an operation as the official stubs have it.
type procedure struct {
	path          string
	input, output proto.Message // nil ones, of their types
}

var procedures = map[string]procedure{
	SendMessage:                      {a2apb.A2AService_SendMessage_FullMethodName, (*a2apb.SendMessageRequest)(nil), (*a2apb.SendMessageResponse)(nil)},
	SendStreamingMessage:             {a2apb.A2AService_SendStreamingMessage_FullMethodName, (*a2apb.SendMessageRequest)(nil), (*a2apb.StreamResponse)(nil)},
	GetTask:                          {a2apb.A2AService_GetTask_FullMethodName, (*a2apb.GetTaskRequest)(nil), (*a2apb.Task)(nil)},
	ListTasks:                        {a2apb.A2AService_ListTasks_FullMethodName, (*a2apb.ListTasksRequest)(nil), (*a2apb.ListTasksResponse)(nil)},
	CancelTask:                       {a2apb.A2AService_CancelTask_FullMethodName, (*a2apb.CancelTaskRequest)(nil), (*a2apb.Task)(nil)},
	SubscribeToTask:                  {a2apb.A2AService_SubscribeToTask_FullMethodName, (*a2apb.SubscribeToTaskRequest)(nil), (*a2apb.StreamResponse)(nil)},
	CreateTaskPushNotificationConfig: {a2apb.A2AService_CreateTaskPushNotificationConfig_FullMethodName, (*a2apb.TaskPushNotificationConfig)(nil), (*a2apb.TaskPushNotificationConfig)(nil)},
	GetTaskPushNotificationConfig:    {a2apb.A2AService_GetTaskPushNotificationConfig_FullMethodName, (*a2apb.GetTaskPushNotificationConfigRequest)(nil), (*a2apb.TaskPushNotificationConfig)(nil)},
	ListTaskPushNotificationConfigs:  {a2apb.A2AService_ListTaskPushNotificationConfigs_FullMethodName, (*a2apb.ListTaskPushNotificationConfigsRequest)(nil), (*a2apb.ListTaskPushNotificationConfigsResponse)(nil)},
	DeleteTaskPushNotificationConfig: {a2apb.A2AService_DeleteTaskPushNotificationConfig_FullMethodName, (*a2apb.DeleteTaskPushNotificationConfigRequest)(nil), nil},
	GetExtendedAgentCard:             {a2apb.A2AService_GetExtendedAgentCard_FullMethodName, (*a2apb.GetExtendedAgentCardRequest)(nil), (*a2apb.AgentCard)(nil)},
}

// grpc makes the call over gRPC (A2A 10).
func (x *exchange) grpc(ctx context.Context) (*Answer, error) {
	p := procedures[x.place.Operation]
	in, err := x.input(p)
	if err != nil {
		return nil, err
	}
	u, err := x.address()
	if err != nil {
		return nil, err
	}
	header, err := x.signed(ctx, u.String()+p.path)
	if err != nil {
		return nil, err
	}
	way := grpclink.Way{Dial: x.guard.DialContext, UserAgent: x.header().Get("User-Agent"), Bytes: x.bytes()}
	if u.Scheme == "https" {
		way.TLS = x.guard.TLSFor(u.Host)
	}
	l, err := grpclink.New(u.Host, way)
	if err != nil {
		return nil, x.transport(err)
	}
	defer l.Close()
	call := grpclink.Call{Path: p.path, Message: in, Stream: x.wire.streams(), Header: metadataOf(header)}
	r := l.Do(ctx, call)
	if uris := call.Header.Get("a2a-extensions"); len(uris) > 1 && x.isRefusedFor(r, reason.ExtensionSupportRequired) {
		// No form works everywhere: Go reads entries, Java reads one.
		call.Header.Set("a2a-extensions", strings.Join(uris, ","))
		if r = l.Do(ctx, call); r.Err == nil {
			x.note("extensions were refused in several metadata entries, and taken in one, joined by commas")
		}
	}
	if r.Err != nil {
		return nil, x.grpcError(ctx, r)
	}
	said := metadata.Join(r.Header, r.Trailer)
	answer := &Answer{
		Streamed:   call.Stream,
		Extensions: extensionsOf(said.Get("a2a-extensions")), NoStore: cachecontrol.NoStore(strings.Join(said.Get("cache-control"), ",")),
	}
	if p.output != nil {
		answer.Body, err = x.message(p.output.ProtoReflect().New().Interface(), r.Message)
	}
	return answer, err
}

// input is the message of params.
func (x *exchange) input(p procedure) ([]byte, error) {
	params, err := x.tenanted()
	if err != nil {
		return nil, err
	}
	m := p.input.ProtoReflect().New().Interface()
	err = protojson.Unmarshal(params, m)
	var in []byte
	if err == nil {
		in, err = proto.Marshal(m)
	}
	if err != nil {
		return nil, &NotSpokenError{x.place, "params: " + quote(err.Error())}
	}
	return in, nil
}

// signed is the metadata of a call as headers, with the credential's.
func (x *exchange) signed(ctx context.Context, u string) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, nil)
	if err != nil {
		return nil, x.transport(errNoURL)
	}
	req.Header = x.header()
	err = x.authenticate(req)
	if e, ok := errors.AsType[credentialError](err); ok {
		return nil, e.error
	}
	if req.URL.RawQuery != "" {
		return nil, &NotSpokenError{x.place, "a credential in the query does not go over gRPC"}
	}
	req.Header.Del("User-Agent") // is the connection's
	return req.Header, nil
}

// metadataOf gives each value an entry of its own.
func metadataOf(h http.Header) metadata.MD {
	md := metadata.MD{}
	for name, values := range h {
		md.Append(name, values...)
	}
	return md
}

// message is the JSON form of data. Fields that the stubs do not know have none:
// they are noted, so that nobody takes the answer for the whole.
func (x *exchange) message(m proto.Message, data []byte) ([]byte, error) {
	if err := (proto.UnmarshalOptions{RecursionLimit: 100}).Unmarshal(data, m); err != nil {
		return nil, x.undecodable(0, errors.New("the answer is no message of its type"))
	}
	for _, path := range unknownFields(m.ProtoReflect()) {
		x.note("the answer has fields at %s that A2A 1.0 does not know; they have no JSON form", path)
	}
	body, err := protojson.Marshal(m)
	if err == nil {
		// The spaces of protojson differ from one build to the next, by intent.
		body, err = jsondoc.Canonical(body)
	}
	if err == nil && int64(len(body)) > x.bytes() {
		err = &bounded.TooLargeError{Limit: x.bytes()}
	}
	if err != nil {
		return nil, x.undecodable(0, fmt.Errorf("the answer: %w", err))
	}
	return body, nil
}

// refusal reads a status, its details first (A2A 10.6).
func (x *exchange) refusal(s *status.Status) reason.Refusal {
	var details []string
	for _, detail := range s.Proto().GetDetails() {
		if b, err := protojson.Marshal(detail); err == nil { // else of a type that nobody here knows
			details = append(details, string(b))
		}
	}
	var list jsontext.Value
	if details != nil {
		list = jsontext.Value("[" + strings.Join(details, ",") + "]")
	}
	return reason.OfStatus(statusName(s.Code()), s.Message(), list, x.wire.about())
}

func (x *exchange) isRefusedFor(r grpclink.Result, why string) bool {
	return r.Answered && x.refusal(status.Convert(r.Err)).Reason == why
}

// grpcError names what came of a call.
func (x *exchange) grpcError(ctx context.Context, r grpclink.Result) error {
	s := status.Convert(r.Err)
	asked := append(r.Header.Get("www-authenticate"), r.Trailer.Get("www-authenticate")...)
	y := &reply{header: http.Header{"Www-Authenticate": asked}}
	refusal := x.refusal(s)
	// A 401 without gRPC's own end has the code, too.
	wants, _ := refusal.Challenge(0)
	switch {
	case errors.Is(r.Err, io.EOF):
		return x.undecodable(0, errNoEvent)
	case refusal.Details == nil && librarys.MatchString(s.Message()):
		return x.undecodable(0, errors.New(strings.TrimPrefix(s.Message(), "grpc: ")))
	case r.Answered && refusal.IsAgents() || wants:
		return x.refused(y, refusal)
	case r.Fault != nil:
		return x.lost(ctx, r.Fault)
	}
	return x.lost(ctx, errors.New(refusal.Status+said(x.secrets.Clean(s.Message()))))
}

// librarys are the words of gRPC itself on a message that came, or was to come.
var librarys = regexp.MustCompile(`^(grpc: |cardinality violation)`)

// address is the host:port of a gRPC interface as a URL, with the scheme to speak to
// it by. Other schemes would reach gRPC's resolvers, which a card could lead
// anywhere.
func (x *exchange) address() (*url.URL, error) {
	text := x.target.URL
	bare := address.IsHostPort(text)
	if bare {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil, x.transport(errNoURL)
	}
	to := &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	if bare {
		if to.Scheme = "http"; x.guard.Check(to) != nil {
			to.Scheme = "https"
		}
	}
	if err := x.guard.Check(to); err != nil {
		return nil, x.transport(err)
	}
	host, err := netguard.NormalizeHost(to.Hostname())
	if err != nil {
		return nil, x.transport(err)
	}
	port := to.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[to.Scheme]
	}
	to.Host = net.JoinHostPort(host, port)
	return to, nil
}

// statusName is a code as a google.rpc.Status spells it.
func statusName(c codes.Code) string {
	if c == codes.Canceled {
		return "CANCELLED"
	}
	var b strings.Builder
	for i, r := range c.String() {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
