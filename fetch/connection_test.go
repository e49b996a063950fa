package fetch

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/netguard"
)

// Bytes behind a 304 are nobody's answer.
func TestStrayBytesAfterNotModified(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
	}{
		{"a body", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n{odd}"},
		{"an answer", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{odd}"},
		{"a body that is announced", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\n"},
		{"a body in chunks that is announced", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			var conns atomic.Int32
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					conns.Add(1)
					go rawServer(conn, tt.answer)
				}
			}()
			base := "http://" + l.Addr().String()
			var c Client
			odd := &keeper{t: t, client: &c, url: base + "/odd"}
			good := &keeper{t: t, client: &c, url: base + "/good"}
			if got := outcome(odd.refresh(nil)); got != "{card}" {
				t.Fatal(got)
			}
			for range 5 {
				before := conns.Load()
				if got := outcome(odd.refresh(nil)); got != "{card}, not modified" {
					t.Errorf("refresh = %s", got)
				}
				if got := outcome(good.refresh(unconditional)); !strings.HasPrefix(got, "{good}") {
					t.Errorf("the next agent's answer is %s", got)
				}
				if n := conns.Load() - before; n != 1 {
					t.Errorf("%d new connections, want 1", n)
				}
			}
		})
	}
}

// rawServer answers conditional requests for /odd with these bytes.
func rawServer(conn net.Conn, odd string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		answer := "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 6\r\n\r\n{card}"
		switch {
		case req.URL.Path == "/good":
			answer = strings.Replace(answer, "card", "good", 1)
		case req.Header.Get("If-None-Match") != "":
			answer = odd
		}
		_, _ = io.WriteString(conn, answer)
	}
}

// Streams of HTTP/2 share a connection, which outlives what one of them does.
func TestRefreshOverHTTP2(t *testing.T) {
	var conns atomic.Int32
	says := []answer{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("asked over %s", r.Proto)
		}
		says[0].write(w)
		says = says[1:]
	}))
	s.EnableHTTP2 = true
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	g := &netguard.Guard{TLS: &tls.Config{RootCAs: roots}}
	defer g.CloseIdle()
	k := &keeper{t: t, client: &Client{Guard: g}, url: s.URL + "/card.json"}
	for _, tt := range []struct {
		says []answer
		want string
	}{
		{[]answer{with("A", "ETag", `"a"`)}, "A"},
		{[]answer{notModified("ETag", `"a"`)}, "A, not modified"},
		{[]answer{notModified("ETag", `"b"`), status(204)}, "unreachable, 204, protocol"},
		{[]answer{with("B")}, "B"},
	} {
		says = tt.says
		if got := outcome(k.refresh(nil)); got != tt.want {
			t.Errorf("refresh = %s, want %s", got, tt.want)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// What a refresh started has ended when the connections have.
func TestRefreshLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("refreshes", func(t *testing.T) {
		w, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/hole":
				<-r.Context().Done()
			case "/half":
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "half")
			case "/304":
				w.WriteHeader(http.StatusNotModified)
			default:
				answer{body: "A"}.write(w)
			}
		})
		c.Timeout = 50 * time.Millisecond
		c.Gates = &gate.Gates{Gap: -1}
		var wg sync.WaitGroup
		for _, path := range []string{"/hole", "/half", "/304", "/good"} {
			for range 3 {
				wg.Go(func() {
					_, _ = c.Refresh(t.Context(), Request{URL: "https://a.example.com" + path, Fresh: path == "/good"})
				})
			}
		}
		wg.Wait()
		w.server.CloseClientConnections()
	})
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
