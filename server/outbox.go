package server

import (
	"net/http"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

// A message is a row of the outbox, by its own id. WebhookID is the id by which
// its receiver knows what it went into; "": it was not tried yet.
type message struct {
	ID        string `json:"id"`
	WebhookID string `json:"webhook_id,omitzero"`
	store.Row
}

func messageOf(row store.Row) message {
	m := message{ID: webhook.ID(row.Key), Row: row}
	if row.Flush != "" {
		m.WebhookID = webhook.ID(row.Flush)
	}
	return m
}

var outboxParams = append([]string{"state", "sink"}, pageParams...)

func (s *Server) outbox(r *http.Request) (any, error) {
	p, err := numbered(r)
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
		rows, next, err := tx.Rows(store.RowQuery{State: state, Sink: q.Get("sink")}, p)
		for _, row := range rows {
			out.Messages = append(out.Messages, messageOf(row))
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
			if row.Flush != "" {
				row.Alone()
			}
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
		row.End(store.Dead, store.Dropped, time.Now().UTC())
		return nil
	})
}

// changeRow changes the message that the path names.
func (s *Server) changeRow(r *http.Request, change func(*store.Row) error) error {
	id := r.PathValue("id")
	var refusal error
	found := false
	sum, _ := webhook.HashOf(id) // nil finds nothing
	err := s.Store.Update(func(tx *store.Tx) error {
		row, ok, err := tx.RowByHash(sum)
		if found = ok && webhook.ID(row.Key) == id; err != nil || !found {
			return err
		}
		if refusal = change(&row); refusal != nil {
			return nil
		}
		return tx.PutRow(row)
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
