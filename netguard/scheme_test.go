package netguard

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

var quiet = log.New(io.Discard, "", 0)

// A server that speaks the other scheme is named as that.
func TestSchemeError(t *testing.T) {
	w := newWorld(t, ok)
	w.secure.Config.ErrorLog = quiet
	alert := func(conn net.Conn) {
		_, _ = io.ReadFull(conn, make([]byte, 16))
		_, _ = conn.Write([]byte("\x15\x03\x01\x00\x02\x02\x46"))
	}
	nginx := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, "<center>The plain HTTP request was sent to HTTPS port</center>")
	}))
	defer nginx.Close()
	for _, tt := range []struct{ name, url, to, want string }{
		{
			"https to a plain server", "https://h.example.com:9000/", w.plain.Listener.Addr().String(),
			"h.example.com:9000 speaks plain HTTP, and the URL says https: the server has no TLS at that port",
		},
		{
			"http to Go's TLS server", "http://h.example.com/", w.secure.Listener.Addr().String(),
			"h.example.com:80 speaks TLS, and the URL says http: use https",
		},
		{
			"http to nginx", "http://h.example.com:8443/", nginx.Listener.Addr().String(),
			"h.example.com:8443 speaks TLS, and the URL says http: use https",
		},
		{
			"http to one that answers with an alert", "http://h.example.com/", serve(t, alert),
			"h.example.com:80 speaks TLS, and the URL says http: use https",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := w.guard(t)
			g.HTTP = []string{"h.example.com"}
			g.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, tt.to)
			}
			_, _, err := get(t, g, tt.url, nil)
			if _, ok := errors.AsType[*SchemeError](err); !ok || err.Error() != tt.want {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

// A 400 of the agent's own stays what it is, body and all.
func TestBadRequestIsAnAnswer(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, `{"error":"no tenant"}`)
	})
	g := w.guard(t)
	g.HTTP = []string{"h.example.com"}
	res, _, err := get(t, g, "http://h.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(res.Body); string(body) != `{"error":"no tenant"}` {
		t.Errorf("body = %q", body)
	}
}

// serve answers each connection with handle, and returns the address.
func serve(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return l.Addr().String()
}
