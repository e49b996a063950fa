package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A site serves what a script gave it, and 404 for all else.
type site struct {
	*httptest.Server

	mu    sync.Mutex
	pages map[string]page // by path, with the query where there is one
	asked []string
}

// A page is one answer of a site.
type page struct {
	code     int
	location string
	body     []byte
}

func newSite() *site {
	s := &site{pages: map[string]page{}}
	s.Server = httptest.NewServer(s)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.RequestURI)
	p, ok := s.pages[r.RequestURI]
	if !ok {
		p.code = http.StatusNotFound
	}
	w.Header().Set("Content-Type", "application/json")
	if p.location != "" {
		w.Header().Set("Location", p.location)
	}
	w.WriteHeader(p.code)
	w.Write(p.body)
}

func siteCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: site PATH FILE|CODE [URL], or site asked [PATH]…")
	}
	s := ts.Value("site").(*site)
	s.mu.Lock()
	defer s.mu.Unlock()
	if args[0] == "asked" {
		if !slices.Equal(s.asked, args[1:]) {
			ts.Fatalf("the site was asked for %q, want %q", s.asked, args[1:])
		}
		s.asked = nil
		return
	}
	p := page{code: http.StatusOK}
	if code, err := strconv.Atoi(args[1]); err == nil {
		p.code = code
	} else {
		p.body = []byte(strings.ReplaceAll(ts.ReadFile(args[1]), "http://site.test", s.URL))
	}
	if len(args) > 2 {
		p.location = args[2]
	}
	s.pages[args[0]] = p
}
