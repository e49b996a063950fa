package agenttest

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Raw serves h on loopback until t ends, for answers that no SDK gives. The
// server's URL is its URL field.
func Raw(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// ServeShape serves the card of that name (see [Shapes]) under [WellKnown]
// until t ends, with no header but the content type, and gives its base URL.
func ServeShape(t testing.TB, name string) string {
	t.Helper()
	mux := http.NewServeMux()
	s := Raw(t, mux)
	mux.Handle(WellKnown, JSON(Shape(name, s.URL)))
	return s.URL
}

// JSON answers every request with body as application/json, the way a2a-go and
// a2a-python do: no validator, no cache header.
func JSON(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
}

// JavaCard answers as a2a-java does: a strong ETag that is the MD5 of the body,
// a Last-Modified that is the start of the process, and never a 304.
func JavaCard(body []byte, started time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(body)))
		h.Set("Last-Modified", started.UTC().Format(http.TimeFormat))
		w.Write(body)
	})
}

// JSCard answers as a2a-js does: a weak ETag of 16 hex digits of SHA-256, and
// 304 to an If-None-Match that names it.
func JSCard(body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256(body)
		etag := fmt.Sprintf(`W/"%x"`, sum[:8])
		h := w.Header()
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("ETag", etag)
		if strings.Contains(r.Header.Get("If-None-Match"), strings.TrimPrefix(etag, "W/")) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", "application/json; charset=utf-8")
		w.Write(body)
	})
}

// ByVersion answers with the handler of the request's A2A-Version header, and
// with that of "" when none fits, as the compatibility modes of a2a-js and
// a2a-dotnet do. a2a-js says so in Vary, a2a-dotnet does not.
func ByVersion(cards map[string]http.Handler, vary bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if vary {
			w.Header().Set("Vary", "A2A-Version")
		}
		h := cards[r.Header.Get("A2A-Version")]
		if h == nil {
			h = cards[""]
		}
		h.ServeHTTP(w, r)
	})
}
