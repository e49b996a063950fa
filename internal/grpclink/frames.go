package grpclink

import (
	"bytes"
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// frames is the codec of messages as bytes, so that whatever is wrong with one is
// the caller's to say.
type frames struct{}

// Marshal gives what v points to.
func (frames) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

// Unmarshal copies data to where v points.
func (frames) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = bytes.Clone(data)
	return nil
}

// Name is what goes into the content type.
func (frames) Name() string { return "proto" }

// ends tells an end that the other side made from one that gRPC made up.
type ends struct{}

// TagRPC does nothing.
func (ends) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC waits for trailers.
func (ends) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if _, ok := s.(*stats.InTrailer); ok {
		if answered, ok := ctx.Value(ends{}).(*atomic.Bool); ok {
			answered.Store(true)
		}
	}
}

// TagConn does nothing.
func (ends) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (ends) HandleConn(context.Context, stats.ConnStats) {}
