package server

import (
	"net/http"

	"github.com/a2alock/a2alock/store"
)

// cards are the versions of an agent's card, newest first.
func (s *Server) cards(r *http.Request) (any, error) {
	p, err := numbered(r)
	if err != nil {
		return nil, err
	}
	out := struct {
		Cards []store.CardVersion `json:"cards"`
		Next  string              `json:"next"`
	}{Cards: []store.CardVersion{}}
	err = s.Store.View(func(tx *store.Tx) error {
		page, next, err := tx.CardVersions(r.PathValue("id"), p)
		out.Cards, out.Next = append(out.Cards, page...), next
		return err
	})
	if err == nil && len(out.Cards) == 0 && p.After == "" {
		return nil, fault(http.StatusNotFound, "agent %q: no card of it is known; GET /v1/locks names agents", r.PathValue("id"))
	}
	return out, err
}

// card is one card, byte for byte as it came. Whoever wrote it is not us, so
// nothing takes it for a page.
func (s *Server) card(w http.ResponseWriter, r *http.Request) {
	if err := known(r, nil); err != nil {
		s.refuse(w, r, err)
		return
	}
	agent, digest := r.PathValue("id"), r.PathValue("digest")
	var body []byte
	err := s.Store.View(func(tx *store.Tx) error {
		for p := (store.Page{Limit: 500}); ; {
			page, next, err := tx.CardVersions(agent, p)
			if err != nil {
				return err
			}
			for _, v := range page {
				if v.Digest != digest || v.Body == "" {
					continue
				}
				raw, ok, err := tx.Body(v.Body)
				if ok {
					body = raw
				}
				return err
			}
			if p.After = next; next == "" {
				return nil
			}
		}
	})
	switch {
	case err != nil:
		s.refuse(w, r, err)
		return
	case body == nil:
		s.refuse(w, r, fault(http.StatusNotFound, "card %q of agent %q: not kept", digest, agent))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", `attachment; filename="agent-card.json"`)
	_, _ = w.Write(body)
}
