package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

// The sizes of a page.
const (
	defaultLimit = 100
	maxLimit     = 500
)

// limit is how many entries the request asks for.
func limit(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fault(http.StatusBadRequest, "limit=%q: want a number from 1 to %d", text, maxLimit)
	}
	return n, nil
}

// known refuses query parameters that an operation does not have: a misspelt
// filter must not pass for none.
func known(r *http.Request, names ...string) error {
next:
	for name := range r.URL.Query() {
		for _, n := range names {
			if n == name {
				continue next
			}
		}
		return fault(http.StatusBadRequest, "%q: no such parameter; there are %q", name, names)
	}
	return nil
}

func (s *Server) status(r *http.Request) (any, error) {
	if err := known(r); err != nil {
		return nil, err
	}
	return s.overview()
}

func (s *Server) locks(r *http.Request) (any, error) {
	if err := known(r, "after", "limit", "class", "freshness", "owner", "workflow", "agent"); err != nil {
		return nil, err
	}
	n, err := limit(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	f := watch.Filter{
		Class: q.Get("class"), Freshness: q.Get("freshness"), Owner: q.Get("owner"),
		Workflow: q.Get("workflow"), Agent: q.Get("agent"),
	}
	page, next := s.Engine.Locks(f, q.Get("after"), n)
	return struct {
		Locks []watch.View `json:"locks"`
		Next  string       `json:"next"` // for after; "" at the end
	}{page, next}, nil
}

func (s *Server) lock(r *http.Request) (any, error) {
	if err := known(r); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	v, ok := s.Engine.Lock(id)
	if !ok {
		return nil, noLock(id)
	}
	history, next, err := s.transitions(id, "", 20)
	if err != nil {
		return nil, err
	}
	return struct {
		watch.View
		History []store.Transition `json:"history"` // newest first
		Next    string             `json:"next"`    // for /history?after=
	}{v, history, next}, nil
}

func noLock(id string) error {
	return fault(http.StatusNotFound, "lock %q: no such lock; GET /v1/locks lists them", id)
}

func (s *Server) history(r *http.Request) (any, error) {
	if err := known(r, "after", "limit"); err != nil {
		return nil, err
	}
	n, err := limit(r)
	if err != nil {
		return nil, err
	}
	history, next, err := s.transitions(r.PathValue("id"), r.URL.Query().Get("after"), n)
	if err != nil {
		return nil, err
	}
	return struct {
		History []store.Transition `json:"history"`
		Next    string             `json:"next"`
	}{history, next}, nil
}

func (s *Server) transitions(id, after string, n int) (history []store.Transition, next string, err error) {
	err = s.Store.View(func(tx *store.Tx) error {
		history, next, err = tx.Transitions(id, store.Page{After: after, Limit: n})
		return err
	})
	if history == nil {
		history = []store.Transition{}
	}
	return history, next, err
}

func (s *Server) decision(r *http.Request) (any, error) {
	if err := known(r, "skill"); err != nil {
		return nil, err
	}
	d, err := s.Engine.Decide(r.PathValue("id"), r.URL.Query().Get("skill"))
	return d, asStatus(r, err)
}

func (s *Server) stale(r *http.Request) (any, error) {
	var in watch.Runtime
	if err := read(r, &in); err != nil {
		return nil, err
	}
	return nil, asStatus(r, s.Engine.Report(r.Context(), r.PathValue("id"), in))
}

func (s *Server) refresh(r *http.Request) (any, error) {
	return nil, asStatus(r, s.Engine.Refresh(r.PathValue("id")))
}

// An ackRequest acknowledges the open episode of a lock.
type ackRequest struct {
	Author string     `json:"author"`
	Reason string     `json:"reason"`
	Until  *time.Time `json:"until"` // null: until it clears
}

func (s *Server) ack(r *http.Request) (any, error) {
	var in ackRequest
	if err := read(r, &in); err != nil {
		return nil, err
	}
	var until time.Time
	if in.Until != nil {
		until = *in.Until
	}
	return nil, asStatus(r, s.Engine.Ack(r.Context(), r.PathValue("id"), in.Author, in.Reason, until))
}

func (s *Server) unack(r *http.Request) (any, error) {
	return nil, asStatus(r, s.Engine.Unack(r.Context(), r.PathValue("id")))
}

// asStatus gives an error of the engine its status.
func asStatus(r *http.Request, err error) error {
	if errors.Is(err, watch.ErrNoLock) {
		return noLock(r.PathValue("id"))
	}
	if in, ok := errors.AsType[*watch.InputError](err); ok {
		return fault(http.StatusBadRequest, "%w", in)
	}
	return err
}
