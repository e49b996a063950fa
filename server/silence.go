package server

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/store"
)

// matchers are what a silence may match by.
var matchers = []string{"owner", "workflow", "agent", "class", "rule", "lock"}

// maxText bounds each text of a person, in bytes.
const maxText = 1000

func (s *Server) silences(r *http.Request) (any, error) {
	p, err := page(r)
	if err != nil {
		return nil, err
	}
	out := struct {
		Silences []store.Silence `json:"silences"`
		Next     string          `json:"next"`
	}{Silences: []store.Silence{}}
	err = s.Store.View(func(tx *store.Tx) error {
		page, next, err := tx.Silences(p)
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
	case len(in.Author) > maxText || len(in.Reason) > maxText:
		return nil, fault(http.StatusBadRequest, "author and reason: at most %d bytes each", maxText)
	case !in.Until.After(now):
		return nil, fault(http.StatusBadRequest, "until: want a moment that is still to come, as in %s", now.Add(4*time.Hour).UTC().Format(time.RFC3339))
	}
	for name, value := range in.Match {
		if !slices.Contains(matchers, name) || value == "" || len(value) > maxText {
			return nil, fault(http.StatusBadRequest, "match %q=%q: want a value of at most %d bytes for one of %s", name, value, maxText, strings.Join(matchers, ", "))
		}
		if err := matchable(name, value); err != nil {
			return nil, err
		}
	}
	silence := store.Silence{
		ID: strings.ToLower(rand.Text()[:10]), Match: in.Match, Author: in.Author, Reason: in.Reason,
		Created: now.UTC(), Until: in.Until.UTC(),
	}
	err := s.Store.Update(func(tx *store.Tx) error { return tx.PutSilence(silence) })
	return silence, err
}

// matchable refuses a class or a rule that no message can have. Owners, workflows,
// agents and locks may be patterns, or come later.
func matchable(name, value string) error {
	switch name {
	case "class":
		if _, err := diff.ParseClass(value); err != nil {
			return fault(http.StatusBadRequest, "match %q: %v", name, err)
		}
	case "rule":
		if _, ok := diff.Lookup(value); ok {
			return nil
		}
		var ids []string
		for _, r := range diff.Rules() {
			ids = append(ids, r.ID)
		}
		return fault(http.StatusBadRequest, "match %q=%q: no such rule; did you mean %s?", name, value, nearest.Sort(ids, value)[0])
	}
	return nil
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
