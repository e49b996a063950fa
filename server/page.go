package server

import (
	"net/http"
	"strconv"

	"github.com/a2alock/a2alock/store"
)

// The sizes of a page.
const (
	defaultLimit = 100
	maxLimit     = 500
)

// pageParams are the parameters of what comes in pages.
var pageParams = []string{"after", "limit"}

// page is the part of a list that the request asks for.
func page(r *http.Request) (store.Page, error) {
	q := r.URL.Query()
	p := store.Page{After: q.Get("after"), Limit: defaultLimit}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			return p, fault(http.StatusBadRequest, "limit=%q: want a number from 1 to %d", text, maxLimit)
		}
		p.Limit = n
	}
	return p, nil
}

// numbered is page for a list whose pages end in numbers.
func numbered(r *http.Request) (store.Page, error) {
	p, err := page(r)
	if err != nil || p.After == "" {
		return p, err
	}
	if _, err := strconv.ParseUint(p.After, 10, 48); err != nil {
		return p, fault(http.StatusBadRequest, "after=%q: want the next of the page before", p.After)
	}
	return p, nil
}
