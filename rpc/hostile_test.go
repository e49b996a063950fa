package rpc

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/a2alock/a2alock/netguard"
)

// hostile is a server that answers with handler, and the targets that lead there.
func hostile(t *testing.T, handler http.HandlerFunc) []Target {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that leave are the subject here
	s.Start()
	t.Cleanup(s.Close)
	return []Target{
		{URL: s.URL, Binding: "JSONRPC", Version: "1.0"},
		{URL: s.URL, Binding: "HTTP+JSON", Version: "1.0"},
	}
}

func TestHostileBodies(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 900<<10))
	_ = z.Close()
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			for _, err := w.Write([]byte(`{"jsonrpc":"2.0","result":"`)); err == nil; _, err = w.Write(bytes.Repeat([]byte("x"), 32<<10)) {
			}
		}, "undecodable: the body is over the limit of 1048576 bytes"},
		{"endless stream", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, err := w.Write([]byte(": hi\n")); err == nil; _, err = w.Write(bytes.Repeat([]byte(": hi\n\n"), 1<<10)) {
			}
		}, "undecodable: the body is over the limit of 1048576 bytes"},
		{"endless line", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, err := w.Write([]byte("data: ")); err == nil; _, err = w.Write(bytes.Repeat([]byte("x"), 32<<10)) {
			}
		}, "undecodable: the body is over the limit of 1048576 bytes"},
		{"endless error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			for _, err := w.Write([]byte(`{"error":"`)); err == nil; _, err = w.Write(bytes.Repeat([]byte("x"), 32<<10)) {
			}
		}, "transport: answered 404 Not Found"},
		{"bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, "undecodable: the body unpacks to more than 200 times its size"},
		{"no gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("{} and more than a header"))
		}, "undecodable: the body is not the gzip it says: gzip: invalid header"},
		{"an encoding that nobody asked for", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write([]byte("{}"))
		}, `undecodable: content encoding "br" was not asked for`},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"jsonrpc":`))
		}, "transport: reading the body: unexpected EOF"},
		{"nothing", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "transport: EOF"},
		{"deep", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(`{"result":[`), 50_000))
		}, "undecodable: the answer is not JSON"},
	} {
		for _, target := range hostile(t, tt.handler) {
			t.Run(tt.name+" "+target.Binding, func(t *testing.T) {
				got := outcome(local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}))
				if !strings.HasPrefix(got, tt.want) {
					t.Errorf("outcome = %.300s\nwant      %s", got, tt.want)
				}
			})
		}
	}
}

func TestLimit(t *testing.T) {
	const limit = 2000
	for n, want := range map[int]bool{limit: true, limit + 1: false} {
		targets := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`"` + strings.Repeat("x", n-2) + `"`))
		})
		c := local(t)
		c.Bytes = limit
		_, err := c.Call(t.Context(), targets[1], Call{Operation: GetExtendedAgentCard})
		if (err == nil) != want {
			t.Errorf("%d bytes under a limit of %d: %v", n, limit, err)
		}
	}
}

func TestZippedAnswer(t *testing.T) {
	targets := hostile(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte(`{"name":"A"}`))
		_ = z.Close()
	})
	if got := outcome(local(t).Call(t.Context(), targets[1], Call{Operation: GetExtendedAgentCard})); got != `ok {"name":"A"}` {
		t.Errorf("outcome = %s", got)
	}
}

// No redirect is followed, and no credential goes where one leads.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{other.URL + "/x?token=geheim", "/elsewhere"} {
			var hits atomic.Int32
			for _, target := range hostile(t, func(w http.ResponseWriter, r *http.Request) {
				hits.Add(1)
				w.Header().Set("Location", to)
				w.WriteHeader(code)
			}) {
				target.Credential = bearer("canary-0123456789")
				_, err := local(t).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
				e, ok := errors.AsType[*TransportError](err)
				if !ok || e.HTTPStatus != code || !strings.HasSuffix(e.Redirect, to) {
					t.Errorf("%s, %d: error = %v, want a transport failure that names %s", target.Binding, code, err, to)
					continue
				}
				if text := e.Error(); strings.Contains(text, "geheim") || !strings.Contains(text, " leads to http://127.0.0.1") {
					t.Errorf("error = %s", text)
				}
			}
			if hits.Load() != 2 {
				t.Errorf("%d requests for two calls", hits.Load())
			}
		}
	}
	if asked.Load() != 0 {
		t.Errorf("the other server was asked %d times", asked.Load())
	}
}

// Where the guard has a say of its own on a redirect, the failure names it, too.
func TestRedirectsThatAreRefused(t *testing.T) {
	for _, to := range []string{"http://agent.example.com/x", "https://10.0.0.4/x"} {
		s := httptest.NewTLSServer(http.RedirectHandler(to, http.StatusFound))
		defer s.Close()
		target := Target{URL: "https://agent.example.com", Binding: "HTTP+JSON", Version: "1.0"}
		_, err := secured(t, s, s.Listener.Addr().String()).Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
		if e, ok := errors.AsType[*TransportError](err); !ok || e.Redirect != to || !strings.Contains(e.Error(), to) {
			t.Errorf("error = %v, want one that names %s", err, to)
		}
	}
}

func TestRefusedTargets(t *testing.T) {
	for _, tt := range []struct{ binding, url, want string }{
		{"JSONRPC", "https://10.0.0.4/rpc", "transport: refused: 10.0.0.4 is a private address"},
		{"HTTP+JSON", "http://agent.example.com/", "transport: refused: plain http to agent.example.com is not allowed"},
		{"JSONRPC", "https://user:geheim@agent.example.com/", "transport: refused: a URL carries no user name or password"},
		{"JSONRPC", "/rpc", "transport: the interface has no address that can be called"},
		{"HTTP+JSON", "https://agent.example.com/%zz", "transport: the interface has no address that can be called"},
		{"GRPC", "10.0.0.4:443", "transport: refused: 10.0.0.4 is a private address"},
		{"GRPC", "http://agent.example.com:80", "transport: refused: plain http to agent.example.com is not allowed"},
		{"GRPC", "unix:///run/x.sock", "transport: the interface has no address that can be called"},
		{"GRPC", "unix://x/run/x.sock", `transport: refused: scheme "unix" is not https`},
		{"GRPC", "dns://10.0.0.1/agent.example.com", `transport: refused: scheme "dns" is not https`},
		{"GRPC", "passthrough:///10.0.0.1:1", "transport: the interface has no address that can be called"},
		{"GRPC", "2130706433:443", "transport: refused: host \"2130706433\": an IPv4 address is written as four decimal numbers, like 192.0.2.1"},
		{"GRPC", "agent.example.com", "transport: the interface has no address that can be called"},
		{"GRPC", "https://user:geheim@agent.example.com", "transport: refused: a URL carries no user name or password"},
	} {
		called := false
		c := &Client{Guard: &netguard.Guard{Dial: func(context.Context, string, string) (net.Conn, error) {
			called = true
			return nil, errors.New("dialed")
		}}}
		target := Target{URL: tt.url, Binding: tt.binding, Version: "1.0", Credential: func(*http.Request) error {
			called = true
			return nil
		}}
		_, err := c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
		if got := outcome(nil, err); got != tt.want || called {
			t.Errorf("%s %s: %s (something was used: %v)\nwant %s", tt.binding, tt.url, got, called, tt.want)
		}
		if strings.Contains(err.Error(), "geheim") {
			t.Errorf("error = %v", err)
		}
	}
}

// A server of HTTP/2 that goes away at once, again and again.
func TestGoAway(t *testing.T) {
	var conns atomic.Int32
	c := pipes(t, func(conn net.Conn) {
		defer conn.Close()
		conns.Add(1)
		_, _ = io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
		f := http2.NewFramer(conn, conn)
		_ = f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if _, ok := frame.(*http2.HeadersFrame); ok {
				_ = f.WriteGoAway(0, http2.ErrCodeNo, []byte("canary-0123456789"))
				return
			}
		}
	})
	target := Target{URL: "http://93.184.215.14:50051", Binding: "GRPC", Version: "1.0"}
	_, err := c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard})
	if _, ok := errors.AsType[*TransportError](err); !ok || conns.Load() > 10 {
		t.Errorf("%d connections, error = %v; want a transport failure", conns.Load(), err)
	}
}

// A server of HTTP/2 that answers with plain HTTP, and one that sends too much.
func TestNoGRPC(t *testing.T) {
	for _, tt := range []struct {
		name    string
		headers [][2]string
		body    []byte
		want    string
	}{
		{"404 of a web server", [][2]string{{":status", "404"}, {"content-type", "text/html"}}, []byte("<html>"), "transport: UNIMPLEMENTED: \"unexpected HTTP status code received from server: 404 (Not Found)"},
		{"401 of a gateway", [][2]string{{":status", "401"}, {"content-type", "text/html"}}, nil, "auth: wants a credential"},
		{"HTML with 200", [][2]string{{":status", "200"}, {"content-type", "text/html"}}, []byte("<html>token=geheim"), "transport: UNKNOWN: \"unexpected HTTP status code received from server: 200 (OK)"},
		{"a message over the limit", [][2]string{{":status", "200"}, {"content-type", "application/grpc"}}, []byte{0, 0x7f, 0xff, 0xff, 0xff}, "undecodable: received message larger than max"},
		{"no message of the type", [][2]string{{":status", "200"}, {"content-type", "application/grpc"}}, []byte{0, 0, 0, 0, 2, 0xff, 0xff}, "undecodable: the answer is no message of its type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := pipes(t, func(conn net.Conn) { http2Answer(conn, tt.headers, tt.body) })
			target := Target{URL: "http://93.184.215.14:50051", Binding: "GRPC", Version: "1.0"}
			got := outcome(c.Call(t.Context(), target, Call{Operation: GetExtendedAgentCard}))
			if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "geheim") {
				t.Errorf("outcome = %s\nwant      %s", got, tt.want)
			}
		})
	}
}

// http2Answer answers the first request on conn, with grpc-status 0 where it is gRPC.
func http2Answer(conn net.Conn, headers [][2]string, body []byte) {
	defer conn.Close()
	_, _ = io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
	f := http2.NewFramer(conn, conn)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		h, ok := frame.(*http2.HeadersFrame)
		if !ok {
			continue
		}
		block := func(list [][2]string) []byte {
			var b bytes.Buffer
			e := hpack.NewEncoder(&b)
			for _, kv := range list {
				_ = e.WriteField(hpack.HeaderField{Name: kv[0], Value: kv[1]})
			}
			return b.Bytes()
		}
		isGRPC := headers[1][1] == "application/grpc"
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: block(headers), EndHeaders: true})
		_ = f.WriteData(h.StreamID, !isGRPC, body)
		if isGRPC {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: block([][2]string{{"grpc-status", "0"}}), EndHeaders: true, EndStream: true})
		}
	}
}

// pipes is a client whose connections lead to serve, of a public address that may
// be spoken to in plain text. The test ends when all of them have.
func pipes(t *testing.T, serve func(net.Conn)) *Client {
	var wg sync.WaitGroup
	g := &netguard.Guard{HTTP: []string{"93.184.215.14"}, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		wg.Go(func() { serve(theirs) })
		return ours, nil
	}}
	t.Cleanup(func() {
		g.CloseIdle()
		wg.Wait()
	})
	return &Client{Guard: g, Timeout: time.Minute}
}
