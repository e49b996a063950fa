package netguard

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// settleTime is how long a connection rests after its last byte came, before
// it is used again. Bytes that a server sends beyond its answer (a body behind
// a 304) come in that time; [http.Transport] then closes the connection, since
// nothing is expected on it, and no other request takes them for its answer.
const settleTime = 10 * time.Millisecond

// A conn is a connection to an address that was judged.
type conn struct {
	net.Conn
	addr netip.AddrPort
	last atomic.Pointer[time.Time] // when bytes came last; nil: never
}

// Read remembers when something came.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.last.Store(new(time.Now()))
	}
	return n, err
}

// RemoteAddr is the judged address, wherever [Guard.Dial] led.
func (c *conn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.addr) }

// settle returns when c has been silent for [settleTime], or ctx has ended.
func (c *conn) settle(ctx context.Context) {
	last := c.last.Load()
	if last == nil {
		return
	}
	left := settleTime - time.Since(*last)
	if left <= 0 {
		return
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// traced is ctx with a trace that tells of connections, and lets them settle before
// reuse. The streams of HTTP/2 have frames of their own, and need none of that. It
// is one trace, since laying one over another costs more than a connection does.
func (w *Way) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if w.Conn != nil {
				w.Conn(info.Conn)
			}
			inner := info.Conn
			if t, ok := inner.(*tls.Conn); ok {
				if t.ConnectionState().NegotiatedProtocol == "h2" {
					return
				}
				inner = t.NetConn()
			}
			if c, ok := inner.(*conn); ok && info.Reused {
				c.settle(ctx)
			}
		},
	})
}
