// Package server is the daemon's HTTP face: where locks stand, whether to
// delegate, what callers met, and the metrics.
//
// Everything under /v1 is JSON. A token (RFC 6750) of scope read may GET,
// one of scope write may do the rest; without a tokens file the address is
// loopback and everybody there may do both. Requests of browsers on behalf of
// other sites are refused: by their origin, by a host name that is not ours, and
// by the content type. Errors are {"error": "what: cause"} with the status that
// fits. /healthz, /readyz and /metrics stand beside it; the last wants a token
// of scope read where there are any.
package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

// The limits of a request.
const (
	maxBody    = 64 << 10
	maxHeaders = 32 << 10
)

// A Server answers requests. Its exported fields are set before
// [Server.Handler].
type Server struct {
	Engine *watch.Engine
	Store  *store.Store
	// Wake is called after the outbox was changed by hand.
	Wake    func()
	Metrics *metrics.Set
	Log     *slog.Logger // nil: discard
	Version string
	// Hosts are names under which the server is reached beside loopback ones, for
	// requests without a token.
	Hosts []string
	// Ready says why the daemon is not ready; nil, or "" from it: it is.
	Ready func() string

	tokens atomic.Pointer[Tokens]
}

// SetTokens makes t what is accepted, also while requests are served. Before the
// first call, and after one with nil, everybody may read and write.
func (s *Server) SetTokens(t Tokens) { s.tokens.Store(&t) }

// HTTP is a server on handler with the time limits that a small API needs.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(s.log().Handler(), slog.LevelDebug),
	}
}

func (s *Server) log() *slog.Logger { return cmp.Or(s.Log, slog.New(slog.DiscardHandler)) }

// Handler serves the API.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.guarded(r))
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.readyz)
	scrape := promhttp.HandlerFor(s.Metrics.Registry, promhttp.HandlerOpts{})
	mux.Handle("GET /metrics", s.guarded(route{scope: Read, plain: scrape.ServeHTTP}))
	mux.Handle("/", s.guarded(route{scope: Read, plain: s.missing(mux)}))
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(s.guarded(route{plain: func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, fault(http.StatusForbidden, "a page of another origin asks for this: refused"))
	}}))
	return sameOrigin.Handler(s.straight(mux))
}

// straight refuses a path that mux would redirect from, in HTML: what is empty or
// dots names nothing here.
func (s *Server) straight(mux *http.ServeMux) http.Handler {
	crooked := s.guarded(route{scope: Read, plain: func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, fault(http.StatusNotFound, "%q: no such operation, see docs/api.md", r.URL.Path))
	}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.EscapedPath()
		if strings.Contains(p, "//") || strings.TrimSuffix(p, "/") != strings.TrimSuffix(path.Clean("/"+p), "/") {
			crooked.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// A route is one operation of the API.
type route struct {
	pattern string
	scope   Scope
	params  []string                         // of the query
	handle  func(*http.Request) (any, error) // its result is the JSON to send; nil: 204
	plain   http.HandlerFunc                 // in its place, with a query of its own
}

func (s *Server) routes() []route {
	return []route{
		{pattern: "GET /v1/status", scope: Read, handle: s.status},
		{pattern: "GET /v1/locks", scope: Read, params: lockParams, handle: s.locks},
		{pattern: "GET /v1/locks/{id}", scope: Read, handle: s.lock},
		{pattern: "GET /v1/locks/{id}/history", scope: Read, params: pageParams, handle: s.history},
		{pattern: "GET /v1/locks/{id}/decision", scope: Read, params: []string{"skill"}, handle: s.decision},
		{pattern: "POST /v1/locks/{id}/stale", scope: Write, handle: s.stale},
		{pattern: "POST /v1/locks/{id}/refresh", scope: Write, handle: s.refresh},
		{pattern: "POST /v1/locks/{id}/ack", scope: Write, handle: s.ack},
		{pattern: "DELETE /v1/locks/{id}/ack", scope: Write, handle: s.unack},
		{pattern: "GET /v1/silences", scope: Read, params: append([]string{"all"}, pageParams...), handle: s.silences},
		{pattern: "POST /v1/silences", scope: Write, handle: s.silence},
		{pattern: "DELETE /v1/silences/{id}", scope: Write, params: []string{"author"}, handle: s.unsilence},
		{pattern: "GET /v1/outbox", scope: Read, params: outboxParams, handle: s.outbox},
		{pattern: "POST /v1/outbox/{id}/retry", scope: Write, handle: s.retry},
		{pattern: "DELETE /v1/outbox/{id}", scope: Write, handle: s.drop},
		{pattern: "GET /v1/agents/{id}/cards", scope: Read, params: pageParams, handle: s.cards},
		{pattern: "GET /v1/agents/{id}/cards/{digest}", scope: Read, plain: s.card},
	}
}

// A statusError is an error with the status to send it with.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func fault(code int, format string, args ...any) error {
	return &statusError{code, fmt.Errorf(format, args...)}
}

// guarded lets those through who may, and sends what comes back. No browser
// takes it for anything else than it is, and nobody keeps it.
func (s *Server) guarded(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if err := s.allow(req, r.scope); err != nil {
			s.refuse(w, req, err)
			return
		}
		req.Body = http.MaxBytesReader(w, req.Body, maxBody)
		if r.plain != nil {
			r.plain(w, req)
			return
		}
		result, err := r.answer(req)
		switch {
		case err != nil:
			s.refuse(w, req, err)
		case result == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			s.writeJSON(w, http.StatusOK, result)
		}
	})
}

func (r route) answer(req *http.Request) (any, error) {
	if err := known(req, r.params); err != nil {
		return nil, err
	}
	return r.handle(req)
}

// known refuses query parameters that an operation does not have: a misspelt
// filter must not pass for none.
func known(r *http.Request, params []string) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault(http.StatusBadRequest, "the query: %w", err)
	}
	for name, values := range q {
		switch {
		case !slices.Contains(params, name):
			return fault(http.StatusBadRequest, "%q: no such parameter; there are %q", name, params)
		case len(values) > 1:
			return fault(http.StatusBadRequest, "%q: stands there %d times", name, len(values))
		}
	}
	return nil
}

// missing answers where no route of mux does: 405 where another method would be
// served, else 404.
func (s *Server) missing(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
			other := *r
			other.Method = method
			if _, pattern := mux.Handler(&other); pattern != "/" {
				allowed = append(allowed, method)
			}
		}
		if allowed == nil {
			s.refuse(w, r, fault(http.StatusNotFound, "%q: no such operation, see docs/api.md", r.URL.Path))
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.refuse(w, r, fault(http.StatusMethodNotAllowed, "%q: no %s here, but %s", r.URL.Path, r.Method, strings.Join(allowed, ", ")))
	}
}

// allow is nil where the request may be served.
func (s *Server) allow(r *http.Request, scope Scope) error {
	tokens := s.tokens.Load()
	if tokens == nil || *tokens == nil {
		if !s.isOurs(r.Host) {
			return fault(http.StatusForbidden, "host %q: without tokens the API is served to loopback names alone", r.Host)
		}
		return nil
	}
	secret, ok := bearer(r)
	if !ok {
		return fault(http.StatusUnauthorized, "want a token: Authorization: Bearer TOKEN")
	}
	has, name := tokens.scope(secret)
	switch {
	case has == 0:
		return fault(http.StatusUnauthorized, "the token is not known")
	case has < scope:
		return fault(http.StatusForbidden, "the token %q may read, and this needs write", name)
	}
	return nil
}

func bearer(r *http.Request) (secret string, ok bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// caller is the name of the token that a request came with; "": of none.
func (s *Server) caller(r *http.Request) string {
	tokens := s.tokens.Load()
	secret, ok := bearer(r)
	if tokens == nil || !ok {
		return ""
	}
	_, name := tokens.scope(secret)
	return name
}

// isOurs is whether a Host header names loopback: a page whose own name was
// made to resolve here has another one.
func (s *Server) isOurs(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback()
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	return slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(name, h) })
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusInternalServerError
	if e, ok := errors.AsType[*statusError](err); ok {
		code = e.code
	}
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="a2alockd"`)
	}
	if code >= http.StatusInternalServerError {
		s.log().ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "err", err)
	}
	s.writeJSON(w, code, map[string]string{"error": err.Error()})
}

// writeJSON sends v. What a card says is escaped as JSON has it.
func (s *Server) writeJSON(w http.ResponseWriter, code int, v any) {
	var body bytes.Buffer
	if err := report.WriteJSON(&body, v); err != nil {
		s.log().Error("an answer is no JSON", "err", err)
		http.Error(w, `{"error": "the answer cannot be written"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(code)
	_, _ = body.WriteTo(w) // the reader may be gone
}

// read decodes a JSON body, strictly.
func read(r *http.Request, v any) error {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return fault(http.StatusUnsupportedMediaType, "content type %q: want application/json", r.Header.Get("Content-Type"))
	}
	err := json.UnmarshalRead(r.Body, v, json.RejectUnknownMembers(true))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault(http.StatusRequestEntityTooLarge, "the body is over %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return fault(http.StatusBadRequest, "the body: %w", err)
	}
	return nil
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	if s.Ready != nil {
		if why := s.Ready(); why != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, why)
			return
		}
	}
	fmt.Fprintln(w, "ready")
}
