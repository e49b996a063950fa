package rpc

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
)

// publicAddr is a public one: what answers there is ours.
const publicAddr = "93.184.215.14"

var everyBinding = []Target{
	{URL: "http://" + publicAddr + "/rpc", Binding: "JSONRPC", Version: "1.0"},
	{URL: "http://" + publicAddr, Binding: "HTTP+JSON", Version: "1.0"},
	{URL: publicAddr + ":50051", Binding: "GRPC", Version: "1.0"},
}

// drip reads what comes, and from its first byte on writes head and then a piece
// each second, for ever.
func drip(head, piece string) func(net.Conn) {
	return func(conn net.Conn) {
		defer conn.Close()
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			return
		}
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		for _, err := io.WriteString(conn, head); err == nil; _, err = io.WriteString(conn, piece) {
			time.Sleep(time.Second)
		}
	}
}

// A server that is slow in whatever way takes the time that a call has, and leaves
// nothing running.
func TestSlowServers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve func(net.Conn)
	}{
		{"silent", func(conn net.Conn) { defer conn.Close(); _, _ = io.Copy(io.Discard, conn) }},
		{"slow headers", drip("HTTP/1.1 200 OK\r\nX: ", "x")},
		{"slow body", drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", " ")},
		{"a stream of comments", drip("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", ": hi\n\n")},
	} {
		for _, target := range everyBinding {
			t.Run(tt.name+" "+target.Binding, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := pipes(t, tt.serve)
					c.Timeout = 7 * time.Second
					begin := time.Now()
					got := outcome(c.Call(t.Context(), target, Call{Operation: SendStreamingMessage}))
					took := time.Since(begin)
					garbled := target.Binding == "GRPC" && tt.name != "silent" // and said so at once
					if !strings.HasPrefix(got, "transport: ") || !garbled && (took != c.Timeout || got != "transport: no answer after 7s") {
						t.Errorf("after %s: %s", took, got)
					}
				})
			})
		}
	}
}

func TestContextEndsACall(t *testing.T) {
	for _, target := range everyBinding {
		synctest.Test(t, func(t *testing.T) {
			c := pipes(t, func(conn net.Conn) { defer conn.Close(); _, _ = io.Copy(io.Discard, conn) })
			own := errors.New("the round is over")
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, own)
			defer cancel()
			if _, err := c.Call(ctx, target, Call{Operation: GetExtendedAgentCard}); !errors.Is(err, own) {
				t.Errorf("%s: error = %v, want the context's cause", target.Binding, err)
			}
		})
	}
}

// Calls that succeed, and streams of which the opening is read, leave nothing
// running once connections are closed.
func TestNothingIsLeft(t *testing.T) {
	for _, target := range everyBinding {
		synctest.Test(t, func(t *testing.T) {
			conns := make(chan net.Conn)
			lis := &pipeListener{conns, make(chan struct{})}
			serve, stop := endless(target.Binding)
			done := make(chan struct{})
			go func() { defer close(done); _ = serve(lis) }()
			c := pipes(t, func(conn net.Conn) { conns <- conn })
			for range 3 {
				got := outcome(c.Call(t.Context(), target, Call{Operation: SendStreamingMessage}))
				if !strings.HasPrefix(got, "streamed {") {
					t.Errorf("%s: %s", target.Binding, got)
				}
			}
			c.Guard.CloseIdle()
			stop()
			<-done
		})
	}
}

// endless is a server whose streams have an event and then nothing.
func endless(binding string) (serve func(net.Listener) error, stop func()) {
	if binding == "GRPC" {
		s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
			_ = s.SendMsg(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "t"}}})
			<-s.Context().Done()
			return nil
		}))
		return s.Serve, s.Stop
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		event := `{"task":{}}`
		if m := idIn.FindSubmatch(body); m != nil {
			event = `{"jsonrpc":"2.0","id":"` + string(m[1]) + `","result":` + event + `}`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+event+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})}
	return s.Serve, func() { _ = s.Close() }
}

// A pipeListener accepts the other ends of pipes.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }
