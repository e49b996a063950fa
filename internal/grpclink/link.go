// Package grpclink makes one gRPC call over a connection of its own, whose way is
// the caller's to choose.
//
// Nothing of the environment, and nothing that the address says beyond host and
// port, leads it anywhere: no resolver, no proxy, no service config. What goes wrong
// before an answer comes back as the error that it was, not as gRPC's text of it.
package grpclink

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// maxHeader bounds the metadata of an answer.
const maxHeader = 64 << 10

// A Way says how to get there.
type Way struct {
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	TLS       *tls.Config // nil: plain text. It is not changed
	UserAgent string
	Bytes     int64 // the limit of a message
}

// A Link is one gRPC connection, opened by its first call.
type Link struct {
	conn *grpc.ClientConn

	mu    sync.Mutex
	fault error // why it could not be opened
}

// New prepares a connection to addr, a host:port. The caller closes it.
func New(addr string, way Way) (*Link, error) {
	l := &Link{}
	creds := insecure.NewCredentials()
	if way.TLS != nil {
		creds = &handshake{conf: way.TLS, failed: l.failed}
	}
	var err error
	// passthrough: the dialer resolves.
	l.conn, err = grpc.NewClient("passthrough:///"+addr,
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			c, err := way.Dial(ctx, "tcp", addr)
			l.failed(err)
			return c, err
		}),
		grpc.WithTransportCredentials(creds), grpc.WithStatsHandler(ends{}),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithDisableHealthCheck(),
		grpc.WithUserAgent(way.UserAgent), grpc.WithMaxHeaderListSize(maxHeader),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(int(way.Bytes)), grpc.ForceCodec(frames{})))
	return l, err
}

// Close ends the connection, and what runs for it.
func (l *Link) Close() { _ = l.conn.Close() } // what is closed twice says so, and nothing else

// failed remembers err, which gRPC makes a text of; nil: it went well this time.
func (l *Link) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = err
}

// A Call is a message to a method.
type Call struct {
	Path    string // "/package.Service/Method"
	Message []byte
	Stream  bool // messages are the answer, and the first is read
	Header  metadata.MD
}

// A Result is what came of a call.
type Result struct {
	Message         []byte
	Header, Trailer metadata.MD
	// Answered is whether the other side ended the call in the way of gRPC; what Err
	// says is then its own.
	Answered bool
	// Fault is why no connection could be opened; nil where one was.
	Fault error
	// Err is a status of gRPC, or io.EOF for a stream without a message.
	Err error
}

// Do makes one call.
func (l *Link) Do(ctx context.Context, c Call) Result {
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(ctx, c.Header)) // which ends a stream
	defer cancel()
	var answered atomic.Bool
	ctx = context.WithValue(ctx, ends{}, &answered)
	var r Result
	if c.Stream {
		r.Err = l.first(ctx, c, &r)
	} else {
		r.Err = l.conn.Invoke(ctx, c.Path, &c.Message, &r.Message, grpc.Header(&r.Header), grpc.Trailer(&r.Trailer))
	}
	r.Answered = answered.Load()
	if r.Err != nil && !r.Answered {
		l.mu.Lock()
		defer l.mu.Unlock()
		r.Fault = l.fault
	}
	return r
}

func (l *Link) first(ctx context.Context, c Call, r *Result) error {
	s, err := l.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, c.Path)
	if err != nil {
		return err
	}
	// The error of sending is io.EOF, and receiving says why.
	if s.SendMsg(&c.Message) == nil {
		_ = s.CloseSend() // always nil
	}
	if err = s.RecvMsg(&r.Message); err != nil {
		r.Trailer = s.Trailer() // is there once it has ended
	}
	r.Header, _ = s.Header() // the same error again
	return err
}
