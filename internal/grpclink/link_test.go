package grpclink

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// echo answers a call with its message, and a stream with it twice; the empty one
// with nothing, and an error where the path has no stream.
func echo(_ any, s grpc.ServerStream) error {
	var in []byte
	if err := s.RecvMsg(&in); err != nil {
		return err
	}
	s.SetTrailer(metadata.Pairs("heard", string(in)))
	method, _ := grpc.MethodFromServerStream(s)
	switch {
	case len(in) == 0 && method == "/x/Stream":
		return nil
	case len(in) == 0:
		return status.Error(codes.FailedPrecondition, "empty")
	}
	if err := s.SendMsg(&in); err != nil || method != "/x/Stream" {
		return err
	}
	return s.SendMsg(&in)
}

// link leads to echo, with a limit of 100 bytes.
func link(t *testing.T) *Link {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(echo), grpc.ForceServerCodec(frames{}))
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(lis) }()
	t.Cleanup(func() { s.Stop(); <-done })
	l, err := New(lis.Addr().String(), Way{Dial: new(net.Dialer).DialContext, UserAgent: "test", Bytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func TestDo(t *testing.T) {
	l := link(t)
	for _, stream := range []bool{false, true} {
		call := Call{Path: "/x/Call", Message: []byte("hello"), Stream: stream, Header: metadata.Pairs("a", "b")}
		if stream {
			call.Path = "/x/Stream"
		}
		r := l.Do(t.Context(), call)
		if r.Err != nil || string(r.Message) != "hello" || r.Fault != nil {
			t.Errorf("stream %v: %+v", stream, r)
		}
	}
	r := l.Do(t.Context(), Call{Path: "/x/Call"})
	if status.Code(r.Err) != codes.FailedPrecondition || !r.Answered || r.Trailer["heard"] == nil {
		t.Errorf("refused: %+v", r)
	}
	if r := l.Do(t.Context(), Call{Path: "/x/Stream", Stream: true}); r.Err != io.EOF || r.Trailer["heard"] == nil {
		t.Errorf("a stream of nothing: %+v", r)
	}
	if r := l.Do(t.Context(), Call{Path: "/x/Call", Message: make([]byte, 101)}); status.Code(r.Err) != codes.ResourceExhausted {
		t.Errorf("over the limit: %+v", r)
	}
}

// What keeps a connection from being opened comes back as it is, to one method and
// to the other.
func TestFault(t *testing.T) {
	own := errors.New("not there")
	l, err := New("agent.example.com:443", Way{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, own }, Bytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, stream := range []bool{false, true} {
		if r := l.Do(t.Context(), Call{Path: "/x/Call", Stream: stream}); r.Fault != own || r.Answered {
			t.Errorf("stream %v: %+v, want the dialer's error", stream, r)
		}
	}
}
