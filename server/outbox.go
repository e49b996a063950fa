package server

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

// matchers are what a silence may match by.
var matchers = []string{"owner", "workflow", "agent", "class", "rule", "lock"}

func (s *Server) silences(r *http.Request) (any, error) {
	if err := known(r, "after", "limit"); err != nil {
		return nil, err
	}
	n, err := limit(r)
	if err != nil {
		return nil, err
	}
	out := struct {
		Silences []store.Silence `json:"silences"`
		Next     string          `json:"next"`
	}{Silences: []store.Silence{}}
	err = s.Store.View(func(tx *store.Tx) error {
		page, next, err := tx.Silences(store.Page{After: r.URL.Query().Get("after"), Limit: n})
		out.Silences, out.Next = append(out.Silences, page...), next
		return err
	})
	return out, err
}

// A silenceRequest asks for a silence.
type silenceRequest struct {
	Match  map[string]string `json:"match"`
	Author string            `json:"author"`
	Reason string            `json:"reason"`
	Until  time.Time         `json:"until"`
}

func (s *Server) silence(r *http.Request) (any, error) {
	var in silenceRequest
	if err := read(r, &in); err != nil {
		return nil, err
	}
	now := time.Now()
	switch {
	case len(in.Match) == 0:
		return nil, fault(http.StatusBadRequest, "match: want at least one of %s", strings.Join(matchers, ", "))
	case in.Author == "" || in.Reason == "":
		return nil, fault(http.StatusBadRequest, "want an author and a reason")
	case !in.Until.After(now):
		return nil, fault(http.StatusBadRequest, "until: want a moment that is still to come, as in %s", now.Add(4*time.Hour).UTC().Format(time.RFC3339))
	}
	for name, value := range in.Match {
		if !slices.Contains(matchers, name) || value == "" {
			return nil, fault(http.StatusBadRequest, "match %q=%q: want a value for one of %s", name, value, strings.Join(matchers, ", "))
		}
	}
	silence := store.Silence{
		ID: strings.ToLower(rand.Text()[:10]), Match: in.Match, Author: in.Author, Reason: in.Reason,
		Created: now.UTC(), Until: in.Until.UTC(),
	}
	err := s.Store.Update(func(tx *store.Tx) error { return tx.PutSilence(silence) })
	return silence, err
}

func (s *Server) unsilence(r *http.Request) (any, error) {
	id := r.PathValue("id")
	found := false
	err := s.Store.Update(func(tx *store.Tx) (err error) {
		if _, found, err = tx.Silence(id); err != nil || !found {
			return err
		}
		return tx.DeleteSilence(id)
	})
	if err == nil && !found {
		return nil, fault(http.StatusNotFound, "silence %q: no such silence", id)
	}
	s.wake()
	return nil, err
}

func (s *Server) wake() {
	if s.Wake != nil {
		s.Wake()
	}
}

// A message is a row of the outbox, by the id that its receiver knows.
type message struct {
	ID string `json:"id"`
	store.Row
}

func (s *Server) outbox(r *http.Request) (any, error) {
	if err := known(r, "after", "limit", "state", "sink"); err != nil {
		return nil, err
	}
	n, err := limit(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	state := store.RowState(q.Get("state"))
	if !slices.Contains([]store.RowState{"", store.Waiting, store.Delivered, store.Superseded, store.Dead}, state) {
		return nil, fault(http.StatusBadRequest, "state=%q: want waiting, delivered, superseded or dead", state)
	}
	out := struct {
		Messages []message `json:"messages"`
		Next     string    `json:"next"`
	}{Messages: []message{}}
	err = s.Store.View(func(tx *store.Tx) error {
		rows, next, err := tx.Rows(store.RowQuery{State: state, Sink: q.Get("sink")}, store.Page{After: q.Get("after"), Limit: n})
		for _, row := range rows {
			out.Messages = append(out.Messages, message{webhook.ID(row.Key), row})
		}
		out.Next = next
		return err
	})
	return out, err
}

// retry makes a message due at once, one that was given up too.
func (s *Server) retry(r *http.Request) (any, error) {
	return nil, s.changeRow(r, func(row *store.Row) error {
		switch row.State {
		case store.Delivered:
			return fault(http.StatusConflict, "message %s was delivered", r.PathValue("id"))
		case store.Dead, store.Superseded:
			row.FirstAt, row.Attempts = time.Time{}, 0
		}
		row.State, row.DueAt, row.EndedAt = store.Waiting, time.Now().UTC(), time.Time{}
		return nil
	})
}

// drop gives a message up.
func (s *Server) drop(r *http.Request) (any, error) {
	return nil, s.changeRow(r, func(row *store.Row) error {
		if row.State != store.Waiting {
			return fault(http.StatusConflict, "message %s is %s already", r.PathValue("id"), row.State)
		}
		row.State, row.Reason, row.EndedAt = store.Dead, "dropped by hand", time.Now().UTC()
		return nil
	})
}

// changeRow changes the message that the path names.
func (s *Server) changeRow(r *http.Request, change func(*store.Row) error) error {
	id := r.PathValue("id")
	var refusal error
	found := false
	err := s.Store.Update(func(tx *store.Tx) error {
		for p := (store.Page{Limit: 500}); ; {
			rows, next, err := tx.Rows(store.RowQuery{}, p)
			if err != nil {
				return err
			}
			for _, row := range rows {
				if webhook.ID(row.Key) != id {
					continue
				}
				found = true
				if refusal = change(&row); refusal != nil {
					return nil
				}
				return tx.PutRow(row)
			}
			if p.After = next; next == "" {
				return nil
			}
		}
	})
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return refusal
	case !found:
		return fault(http.StatusNotFound, "message %q: no such message; GET /v1/outbox lists them", id)
	}
	s.wake()
	return nil
}
