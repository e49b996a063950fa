package server

import (
	"cmp"
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
	all := r.URL.Query().Get("all")
	if all != "" && all != "true" && all != "false" {
		return nil, fault(http.StatusBadRequest, "all=%q: want true or false", all)
	}
	out := struct {
		Silences []store.Silence `json:"silences"`
		Next     string          `json:"next"`
	}{Silences: []store.Silence{}}
	now := time.Now()
	err = s.Store.View(func(tx *store.Tx) error {
		for {
			page, next, err := tx.Silences(p)
			for i := range page {
				if all == "true" || page[i].Holds(now) {
					out.Silences = append(out.Silences, page[i])
				}
			}
			if p.After, out.Next = next, next; err != nil || next == "" || len(out.Silences) > 0 {
				return err
			}
		}
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
		meant := ""
		if near := nearest.Meant(value, ids); near != "" {
			meant = "; did you mean " + near + "?"
		}
		return fault(http.StatusBadRequest, "match %q=%q: no such rule%s", name, value, meant)
	}
	return nil
}

// unsilence ends a silence. It stays listed as long as history does, with who
// ended it.
func (s *Server) unsilence(r *http.Request) (any, error) {
	id, by := r.PathValue("id"), cmp.Or(r.URL.Query().Get("author"), s.caller(r))
	if len(by) > maxText {
		return nil, fault(http.StatusBadRequest, "author: at most %d bytes", maxText)
	}
	now := time.Now().UTC()
	err := s.Store.Update(func(tx *store.Tx) error {
		silence, found, err := tx.Silence(id)
		switch {
		case err != nil:
			return err
		case !found:
			return fault(http.StatusNotFound, "silence %q: no such silence", id)
		case !silence.Holds(now):
			return fault(http.StatusNotFound, "silence %q: it has ended at %s", id, silence.End().Format(time.RFC3339))
		}
		silence.Removed, silence.RemovedBy = now, by
		return tx.PutSilence(silence)
	})
	if err == nil {
		s.wake()
	}
	return nil, err
}

func (s *Server) wake() {
	if s.Wake != nil {
		s.Wake()
	}
}
