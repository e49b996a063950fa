package fetch

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
)

const bodyURL = "https://a.example.com/card.json"

func TestBodyLimit(t *testing.T) {
	text := func(n int) []byte { // JSON that gzip shrinks about as cards do
		var b bytes.Buffer
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `{"id":"skill-%d"},`, i*7919)
		}
		return b.Bytes()[:n]
	}
	for _, tt := range []struct {
		name   string
		n      int
		zipped bool
		chunks bool // without a Content-Length
		ok     bool
	}{
		{"at the limit", 100_000, false, false, true},
		{"one over", 100_001, false, false, false},
		{"at the limit, of unknown length", 100_000, false, true, true},
		{"one over, of unknown length", 100_001, false, true, false},
		{"zipped, at the limit", 100_000, true, false, true},
		{"zipped, one over", 100_001, true, false, false},
		{"one byte", 1, false, false, true},
		{"zipped, one byte", 1, true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := text(tt.n)
			_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				sent := body
				if tt.zipped {
					w.Header().Set("Content-Encoding", "gzip")
					sent = zip(body)
				}
				if tt.chunks {
					w.(http.Flusher).Flush()
				} else {
					w.Header().Set("Content-Length", fmt.Sprint(len(sent)))
				}
				_, _ = w.Write(sent)
			})
			c.Bytes = 100_000
			r, err := c.Get(t.Context(), Ask{URL: bodyURL})
			if tt.ok {
				if err != nil || !bytes.Equal(r.Body, body) {
					t.Errorf("%d bytes: %v", tt.n, err)
				}
				return
			}
			want := bodyURL + ": the body is over the limit of 100000 bytes"
			if !tt.zipped && !tt.chunks {
				want = bodyURL + ": the body has 100001 bytes, over the limit of 100000"
			}
			failed(t, err, card.TooLarge, want)
		})
	}
}

func TestDefaultBytes(t *testing.T) {
	for _, n := range []int{DefaultBytes, DefaultBytes + 1} {
		_, c := newWorld(t, map[string]answer{bodyURL: {body: strings.Repeat("x", n)}})
		if _, err := c.Get(t.Context(), Ask{URL: bodyURL}); (err == nil) != (n == DefaultBytes) {
			t.Errorf("%d bytes by default: %v", n, err)
		}
	}
}

func TestGzipBombs(t *testing.T) {
	zipped := map[string]string{"Content-Encoding": "gzip"}
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"over the limit", zip(make([]byte, 64<<20)), "the body unpacks to more than 200 times its size"},
		{"under the limit", zip(make([]byte, DefaultBytes/2)), "the body unpacks to more than 200 times its size"},
		// Each member is 23 bytes that unpack to nothing.
		{"nothing, for ever", bytes.Repeat(zip(nil), 100_000), "the body is over the limit of 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := newWorld(t, map[string]answer{bodyURL: {body: string(tt.body), header: zipped}})
			_, err := c.Get(t.Context(), Ask{URL: bodyURL})
			failed(t, err, card.TooLarge, bodyURL+": "+tt.want)
		})
	}
	// Much of one kind is no bomb.
	card := []byte(strings.Repeat(`{"id":"itinerary-pricing","tags":["travel"]},`, 1000))
	_, c := newWorld(t, map[string]answer{bodyURL: {body: string(zip(card)), header: zipped}})
	if r, err := c.Get(t.Context(), Ask{URL: bodyURL}); err != nil || len(r.Body) != len(card) {
		t.Errorf("a card of many like skills: %v", err)
	}
}

func TestBrokenBodies(t *testing.T) {
	whole := zip([]byte(aCard))
	for _, tt := range []struct {
		name   string
		body   []byte
		length int
		header string
		want   string
	}{
		{"cut short", []byte(aCard), len(aCard) + 5, "", "reading the body: unexpected EOF"},
		{"gzip cut short", whole[:len(whole)-9], 0, "gzip", "reading the body: unexpected EOF"},
		{"gzip with a wrong sum", append(bytes.Clone(whole[:len(whole)-8]), "abcdefgh"...), 0, "gzip", "the body is not the gzip it says: gzip: invalid checksum"},
		{"gzip with more behind", append(bytes.Clone(whole), "more that is no gzip"...), 0, "gzip", "the body is not the gzip it says: gzip: invalid header"},
		{"gzip twice", whole, 0, "gzip, gzip", `content encoding "gzip, gzip" was not asked for`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if tt.header != "" {
					w.Header().Set("Content-Encoding", tt.header)
				}
				if tt.length != 0 {
					w.Header().Set("Content-Length", fmt.Sprint(tt.length))
				}
				_, _ = w.Write(tt.body)
			})
			_, err := c.Get(t.Context(), Ask{URL: bodyURL})
			failed(t, err, Unreachable, bodyURL+": "+tt.want)
		})
	}
}

// Servers that never come to an end are left at Timeout, and leave nothing
// behind.
func TestSlowServers(t *testing.T) {
	const timeout = 300 * time.Millisecond
	for name, handler := range map[string]http.HandlerFunc{
		"no answer": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no body": func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"a byte at a time": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("{"))
				w.(http.Flusher).Flush()
				time.Sleep(timeout / 20)
			}
		},
		"a header line at a time": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			_, err = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for err == nil {
				_, err = conn.Write([]byte("X-More: 1\r\n"))
				time.Sleep(timeout / 20)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := serve(t, handler)
			before := runtime.NumGoroutine()
			c.Timeout = timeout
			start := time.Now()
			_, err := c.Get(t.Context(), Ask{URL: bodyURL})
			failed(t, err, Unreachable, bodyURL+": no whole answer within 300ms")
			if took := time.Since(start); took > 10*timeout {
				t.Errorf("took %s", took)
			}
			c.Guard.CloseIdle()
			w.server.CloseClientConnections()
			for range 100 {
				if runtime.NumGoroutine() <= before {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		})
	}
}

func TestTheBodyOfARedirectIsNotAwaited(t *testing.T) {
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			answer{body: aCard}.write(w)
			return
		}
		w.Header().Set("Location", "/next")
		w.WriteHeader(http.StatusFound)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	if _, err := c.Get(t.Context(), Ask{URL: bodyURL}); err != nil {
		t.Error(err)
	}
}
