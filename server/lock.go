package server

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

func (s *Server) status(r *http.Request) (any, error) {
	return s.overview()
}

var (
	lockParams = append([]string{"class", "freshness", "owner", "workflow", "agent", "path"}, pageParams...)

	classes     = []verdict.Verdict{"", verdict.None, verdict.Compatible, verdict.Review, verdict.Breaking}
	freshnesses = []verdict.Freshness{
		"", verdict.Fresh, verdict.Ageing, verdict.MarkedStale, verdict.Unreachable, verdict.Invalid, verdict.Disputed, verdict.Expired,
	}
)

func (s *Server) locks(r *http.Request) (any, error) {
	p, err := page(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	f := watch.Filter{
		Class: q.Get("class"), Freshness: q.Get("freshness"), Owner: q.Get("owner"),
		Workflow: q.Get("workflow"), Agent: q.Get("agent"), Path: q.Get("path"),
	}
	if !slices.Contains(classes, verdict.Verdict(f.Class)) {
		return nil, fault(http.StatusBadRequest, "class=%q: want one of %q", f.Class, classes[1:])
	}
	if !slices.Contains(freshnesses, verdict.Freshness(f.Freshness)) {
		return nil, fault(http.StatusBadRequest, "freshness=%q: want one of %q", f.Freshness, freshnesses[1:])
	}
	locks, next := s.Engine.Locks(f, p.After, p.Limit)
	shown, err := fitting(locks)
	if err != nil {
		return nil, err
	}
	if len(shown) < len(locks) {
		next = locks[len(shown)-1].ID
	}
	return struct {
		Locks []jsontext.Value `json:"locks"`
		Next  string           `json:"next"` // for after; "" at the end
	}{shown, next}, nil
}

// maxPage is how large a page of locks may get, in bytes, of which [report.WriteJSON]
// may need some for escapes.
const maxPage = 180_000

// fitting are as many of the locks as make a page, and at least one.
func fitting(locks []watch.View) ([]jsontext.Value, error) {
	shown := make([]jsontext.Value, 0, len(locks))
	size := 0
	for _, l := range locks {
		text, err := json.Marshal(l, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.WithIndentPrefix("    "), jsontext.WithIndent("  "))
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxPage && len(shown) > 0 {
			break
		}
		shown = append(shown, text)
	}
	return shown, nil
}

func (s *Server) lock(r *http.Request) (any, error) {
	id := r.PathValue("id")
	v, ok := s.Engine.Lock(id)
	if !ok {
		return nil, noLock(id)
	}
	history, next, err := s.transitions(id, store.Page{Limit: 20})
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
	p, err := numbered(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	history, next, err := s.transitions(id, p)
	if err != nil {
		return nil, err
	}
	// A lock that is gone has a history for as long as the store keeps it.
	if _, ok := s.Engine.Lock(id); !ok && len(history) == 0 && p.After == "" {
		return nil, noLock(id)
	}
	return struct {
		History []store.Transition `json:"history"`
		Next    string             `json:"next"`
	}{history, next}, nil
}

func (s *Server) transitions(id string, p store.Page) (history []store.Transition, next string, err error) {
	err = s.Store.View(func(tx *store.Tx) error {
		history, next, err = tx.Transitions(id, p)
		return err
	})
	if history == nil {
		history = []store.Transition{}
	}
	return history, next, err
}

func (s *Server) decision(r *http.Request) (any, error) {
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
	return nil, asStatus(r, s.Engine.Refresh(r.Context(), r.PathValue("id")))
}

// An ackRequest acknowledges the open episode of a lock, as far as the lock is
// still what the caller saw: the last three may be left out.
type ackRequest struct {
	Author     string          `json:"author"`
	Reason     string          `json:"reason"`
	Until      *time.Time      `json:"until"` // null: until it clears
	Episode    uint64          `json:"episode"`
	Class      verdict.Verdict `json:"class"`
	FindingSet *string         `json:"finding_set"`
}

func (s *Server) ack(r *http.Request) (any, error) {
	var in ackRequest
	if err := read(r, &in); err != nil {
		return nil, err
	}
	if !slices.Contains(classes, in.Class) {
		return nil, fault(http.StatusBadRequest, "class: %q: want one of %q", in.Class, classes[1:])
	}
	a := watch.Ack{
		Author: in.Author, Reason: in.Reason,
		Seen: watch.Seen{Episode: in.Episode, Class: in.Class, FindingSet: in.FindingSet},
	}
	if in.Until != nil {
		a.Until = *in.Until
	}
	return nil, asStatus(r, s.Engine.Ack(r.Context(), r.PathValue("id"), a))
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
	if moved, ok := errors.AsType[*watch.MovedError](err); ok {
		return fault(http.StatusConflict, "lock %q: %w", r.PathValue("id"), moved)
	}
	return err
}
