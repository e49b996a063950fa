package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/netguard"
)

func TestGet(t *testing.T) {
	w, c := newWorld(t, map[string]answer{"https://a.example.com/x/card.json?v=2&a=%7e": {body: aCard}})
	u := "https://A.example.com/x/card.json?v=2&a=%7e"
	r, err := c.Get(t.Context(), Ask{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	if r.URL != u || r.Final != u || r.Offsite || string(r.Body) != aCard || r.Notes != nil {
		t.Errorf("Get = %+v", r)
	}
	want := http.Header{
		"Accept": {"application/json"}, "Accept-Encoding": {"gzip"},
		"A2a-Version": {"1.0"}, "User-Agent": {"a2alock/1.2.3"},
	}
	if !maps.EqualFunc(w.last.Header, want, slices.Equal) {
		t.Errorf("sent %v, want %v", w.last.Header, want)
	}
	if w.last.Method != http.MethodGet || w.last.ContentLength != 0 {
		t.Errorf("sent %s with %d bytes", w.last.Method, w.last.ContentLength)
	}
}

// The zero Client reaches a loopback agent that its URL names, and no other.
func TestZeroClient(t *testing.T) {
	var sent http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		answer{body: aCard}.write(w)
	}))
	defer s.Close()
	var c Client
	r, err := c.Get(t.Context(), Ask{URL: s.URL + "/card.json"})
	if err != nil || string(r.Body) != aCard {
		t.Fatalf("Get = %+v, %v", r, err)
	}
	if ua := sent.Get("User-Agent"); ua != "a2alock" {
		t.Errorf("User-Agent = %q", ua)
	}
	_, err = c.Get(t.Context(), Ask{URL: "http://10.0.0.4/card.json"})
	failed(t, err, Unreachable, "http://10.0.0.4/card.json: refused: plain http to 10.0.0.4 is not allowed")
	if r, ok := errors.AsType[*netguard.Refused](err); !ok || r.Kind != netguard.KindPlain {
		t.Errorf("error %v does not lead to the refusal", err)
	}
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		answer answer
		state  card.State
		code   int
		text   string // after the URL
	}{
		{answer{status: 401}, AuthRequired, 401, " answered 401 Unauthorized"},
		{answer{status: 403}, AuthRequired, 403, " answered 403 Forbidden"},
		{answer{status: 404}, NotFound, 404, " answered 404 Not Found"},
		{answer{status: 410}, NotFound, 410, " answered 410 Gone"},
		{answer{}, Unreachable, 200, " answered 200 OK: the body is empty"},
		{answer{header: map[string]string{"Content-Encoding": "gzip"}}, Unreachable, 200, " answered 200 OK: the body is empty"},
		{answer{status: 201, body: aCard}, Unreachable, 201, " answered 201 Created"},
		{answer{status: 203, body: aCard}, Unreachable, 203, " answered 203 Non-Authoritative Information"},
		{answer{status: 204}, Unreachable, 204, " answered 204 No Content: a card is answered with 200"},
		{answer{status: 206, body: aCard}, Unreachable, 206, " answered 206 Partial Content: a card is answered with 200"},
		{answer{status: 300, location: "/x"}, Unreachable, 300, " answered 300 Multiple Choices"},
		{answer{status: 304}, Unreachable, 304, " answered 304 Not Modified: nothing was asked conditionally"},
		{answer{status: 400}, Unreachable, 400, " answered 400 Bad Request"},
		{answer{status: 405}, Unreachable, 405, " answered 405 Method Not Allowed"},
		{answer{status: 418}, Unreachable, 418, " answered 418 I'm a teapot"},
		{answer{status: 429}, Unreachable, 429, " answered 429 Too Many Requests"},
		{answer{status: 500, body: aCard}, Unreachable, 500, " answered 500 Internal Server Error"},
		{answer{status: 502}, Unreachable, 502, " answered 502 Bad Gateway"},
		{answer{status: 599}, Unreachable, 599, " answered 599"},
		{
			answer{body: aCard, header: map[string]string{"Content-Encoding": "br"}},
			Unreachable, 0, `: content encoding "br" was not asked for`,
		},
		{
			answer{body: aCard, header: map[string]string{"Content-Encoding": "gzip"}},
			Unreachable, 0, ": the body is not the gzip it says: gzip: invalid header",
		},
		{answer{location: "http://a.example.com/x"}, Unreachable, 0, ": redirect to http://a.example.com/x refused: it leads from https to http"},
		{answer{location: "file:///etc/passwd"}, Unreachable, 0, `: redirect to file:///etc/passwd refused: scheme "file" is not https`},
		{
			answer{location: "https://169.254.169.254/latest"},
			Unreachable, 0,
			": redirect to https://169.254.169.254/latest refused: 169.254.169.254 is a cloud metadata address",
		},
		{
			answer{status: 308}, Unreachable, 0, ": refused: 308 without a Location",
		},
	} {
		const u = "https://a.example.com/card.json"
		_, c := newWorld(t, map[string]answer{u: tt.answer})
		_, err := c.Get(t.Context(), Ask{URL: u})
		if e := failed(t, err, tt.state, u+tt.text); e.Code != tt.code || e.URL != u || e.Final != u || e.Offsite {
			t.Errorf("%+v, want code %d", e, tt.code)
		}
	}
}

func TestUnreachableHosts(t *testing.T) {
	_, c := newWorld(t, nil)
	_, err := c.Get(t.Context(), Ask{URL: "https://nowhere.example.org/card.json?key=geheim"})
	failed(t, err, Unreachable, "https://nowhere.example.org/card.json?key=REDACTED: lookup nowhere.example.org: no such host")
	_, err = c.Get(t.Context(), Ask{URL: "https://inside.example.com/card.json"})
	failed(t, err, Unreachable, "https://inside.example.com/card.json: refused: inside.example.com leads to 10.0.0.4, a private address")

	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err = new(Client).Get(t.Context(), Ask{URL: s.URL})
	failed(t, err, Unreachable, s.URL+": dial tcp "+s.Listener.Addr().String()+": connect: connection refused")
}

func TestURLsThatAreNone(t *testing.T) {
	w, c := newWorld(t, nil)
	for _, tt := range []struct{ url, want string }{
		{"a.example.com/card.json", "a.example.com/card.json: refused: no URL: it does not begin with https://"},
		{"//a.example.com", "//a.example.com: refused: no URL: it does not begin with https://"},
		{"", ": refused: no URL: it does not begin with https://"},
		{"https://a.example.com/#part", "https://a.example.com/#part: refused: a fragment (#…) is not sent to a server: leave it out"},
		{"https://a.example.com/#", "https://a.example.com/#: refused: a fragment (#…) is not sent to a server: leave it out"},
		{"https://a.example.com/a b", "https://a.example.com/a b: refused: no URL: it holds a space"},
		{"https://a.example.com/%zz?token=geheim", `https://a.example.com/%zz?token=REDACTED: refused: no URL: invalid URL escape "%zz"`},
		{"https://a.example.com/\x1b]52", `https://a.example.com/\x1b]52: refused: no URL: net/url: invalid control character in URL`},
		{"https://me:geheim@a.example.com/", "https://REDACTED@a.example.com/: refused: a URL carries no user name or password"},
		{"file:///etc/passwd", `file:///etc/passwd: refused: scheme "file" is not https`},
		{"htp://a.example.com/c.json", `htp://a.example.com/c.json: refused: scheme "htp" is not https`},
		{"https://0x7f.1/", `https://0x7f.1/: refused: host "0x7f.1": an IPv4 address is written as four decimal numbers, like 192.0.2.1`},
	} {
		_, err := c.Get(t.Context(), Ask{URL: tt.url})
		failed(t, err, Unreachable, tt.want)
		_, err = c.Discover(t.Context(), tt.url, "")
		if e, ok := errors.AsType[*Error](err); !ok || e.State != Unreachable || strings.Contains(err.Error(), "geheim") {
			t.Errorf("Discover(%q) = %v", tt.url, err)
		}
	}
	if got := w.urls(); got != nil {
		t.Errorf("asked for %v", got)
	}
}

func TestRedirects(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers map[string]answer
		final   string
		offsite bool
		notes   []string
	}{
		{
			"inside the origin",
			map[string]answer{
				"https://a.example.com/card.json":    {status: 301, location: "/v2/card.json?token=geheim"},
				"https://a.example.com/v2/card.json": {body: aCard}, "https://a.example.com/v2/card.json?token=geheim": {body: aCard},
			},
			"https://a.example.com/v2/card.json?token=geheim", false,
			[]string{"https://a.example.com/card.json answered 301 and led to https://a.example.com/v2/card.json?token=REDACTED"},
		},
		{
			"to another origin",
			map[string]answer{
				"https://a.example.com/card.json": {status: 307, location: "https://b.example.com/c"},
				"https://b.example.com/c":         {body: aCard},
			},
			"https://b.example.com/c", true,
			[]string{"https://a.example.com/card.json answered 307 and led to https://b.example.com/c"},
		},
		{
			"there and back",
			map[string]answer{
				"https://a.example.com/card.json": {location: "https://b.example.com/c"},
				"https://b.example.com/c":         {location: "https://a.example.com/d"},
				"https://a.example.com/d":         {body: aCard},
			},
			"https://a.example.com/d", true,
			[]string{
				"https://a.example.com/card.json answered 302 and led to https://b.example.com/c",
				"https://b.example.com/c answered 302 and led to https://a.example.com/d",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := newWorld(t, tt.answers)
			r, err := c.Get(t.Context(), Ask{URL: "https://a.example.com/card.json"})
			if err != nil {
				t.Fatal(err)
			}
			if r.URL != "https://a.example.com/card.json" || r.Final != tt.final || r.Offsite != tt.offsite || !slices.Equal(r.Notes, tt.notes) {
				t.Errorf("Get = %+v", r)
			}
		})
	}
}

func TestErrorsAfterRedirectsNameBothURLs(t *testing.T) {
	_, c := newWorld(t, map[string]answer{
		"https://a.example.com/card.json": {location: "https://b.example.com/c?key=geheim"},
		"https://a.example.com/loop":      {location: "/loop"},
	})
	_, err := c.Get(t.Context(), Ask{URL: "https://a.example.com/card.json"})
	e := failed(t, err, NotFound,
		"https://a.example.com/card.json (redirected to https://b.example.com/c?key=REDACTED) answered 404 Not Found")
	if !e.Offsite || e.Final != "https://b.example.com/c?key=geheim" {
		t.Errorf("error = %+v", e)
	}
	_, err = c.Get(t.Context(), Ask{URL: "https://a.example.com/loop"})
	failed(t, err, Unreachable,
		"https://a.example.com/loop: redirect to https://a.example.com/loop refused: it is one more than 3")
}

func TestContentTypeIsANote(t *testing.T) {
	for _, tt := range []struct {
		header string
		note   string
	}{
		{"application/json", ""},
		{"Application/JSON; charset=utf-8", ""},
		{"application/a2a+json", ""},
		{"text/plain", `the content type is "text/plain", not application/json`},
		{"text/html; charset=utf-8", `the content type is "text/html; charset=utf-8", not application/json`},
		{"application/json; charset", `the content type is "application/json; charset", not application/json`},
		{"x\u202ey", `the content type is "x\u202ey", not application/json`},
		{"", "the answer names no content type"},
	} {
		if got := media.NotJSON(tt.header); got != tt.note {
			t.Errorf("NotJSON(%q) = %q, want %q", tt.header, got, tt.note)
		}
	}
	const u = "https://a.example.com/card.json"
	_, c := newWorld(t, map[string]answer{u: {body: "<html>", header: map[string]string{"Content-Type": "text/html"}}})
	r, err := c.Get(t.Context(), Ask{URL: u})
	if err != nil || string(r.Body) != "<html>" || len(r.Notes) != 1 {
		t.Errorf("HTML = %+v, %v, want the bytes and a note", r, err)
	}
}

// A 304 that was not asked for is asked past the caches once.
func TestUnasked304(t *testing.T) {
	n := 0
	w, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; r.Header.Get("Cache-Control") != "no-cache" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		answer{body: aCard}.write(w)
	})
	r, err := c.Get(t.Context(), Ask{URL: "https://a.example.com/card.json"})
	if err != nil || string(r.Body) != aCard || n != 2 || len(r.Notes) != 1 {
		t.Errorf("Get = %+v, %v after %d requests, want the card and a note after 2", r, err, n)
	}
	if v := w.last.Header.Get("If-None-Match"); v != "" {
		t.Errorf("If-None-Match = %q", v)
	}
}

// Bytes behind a 304 are not the next agent's answer.
func TestStrayBytesAreDropped(t *testing.T) {
	for _, status := range []string{"304 Not Modified", "204 No Content"} {
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
				go func() {
					defer conn.Close()
					in := bufio.NewReader(conn)
					for {
						req, err := http.ReadRequest(in)
						if err != nil {
							return
						}
						if req.URL.Path == "/odd" {
							_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\n\r\n")
							time.Sleep(time.Millisecond)
							_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{odd}")
							continue
						}
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n{good}")
					}
				}()
			}
		}()
		base := "http://" + l.Addr().String()
		var c Client
		if _, err := c.Get(t.Context(), Ask{URL: base + "/odd"}); err == nil {
			t.Errorf("%s is a card", status)
		}
		before := conns.Load()
		r, err := c.Get(t.Context(), Ask{URL: base + "/good"})
		if err != nil || string(r.Body) != "{good}" || conns.Load() != before+1 {
			t.Errorf("after %s: %+v, %v, on %d new connections; want its own body on a new one", status, r, err, conns.Load()-before)
		}
	}
}

func TestCallersContext(t *testing.T) {
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := c.Get(ctx, Ask{URL: "https://a.example.com/card.json"})
	failed(t, err, Unreachable, "https://a.example.com/card.json: context canceled")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v does not lead to context.Canceled", err)
	}
}

func TestErrorTextIsPrintable(t *testing.T) {
	e := &Error{URL: "https://a.example.com/\u202e", State: Unreachable, Err: errors.New("x509: \x1b]52;c;\u009b\u200b\r\n::error::\U000e0041 grüße")}
	want := `https://a.example.com/\u202e: x509: \x1b]52;c;\u009b\u200b\r\n::error::\U000e0041 grüße`
	if got := e.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
