package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// A partner is an agent that shows each caller another card.
type partner struct {
	*httptest.Server

	mu     sync.Mutex
	public []byte // the card; to callers without a token it may be another
	bare   []byte
	shows  map[string]showing // by token; "none" is a call without one, "any" every other
	saw    []string
}

// A showing is an extended card, or what comes in its place: an HTTP status, or
// a JSON-RPC code where it is negative.
type showing struct {
	card []byte
	code int
}

func newPartner() *partner {
	p := &partner{shows: map[string]showing{}}
	p.Server = httptest.NewServer(p)
	return p
}

func (p *partner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	known := p.shows[token].card != nil || p.shows[token].code != 0
	who := token
	switch {
	case token == "":
		who = "none"
	case !known:
		who = "any"
	}
	p.saw = append(p.saw, strings.TrimPrefix(r.URL.Path, "/")+"="+who)
	if r.Method == http.MethodGet {
		if p.public == nil || r.URL.Path != "/card.json" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if who == "none" && p.bare != nil {
			w.Write(p.bare)
			return
		}
		w.Write(p.public)
		return
	}
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params map[string]any  `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil || call.Method != "GetExtendedAgentCard" || call.Params == nil {
		http.Error(w, "want a call of GetExtendedAgentCard with params", http.StatusBadRequest)
		return
	}
	s, ok := p.shows[who]
	switch {
	case !ok:
		w.Header().Set("WWW-Authenticate", `Bearer realm="partner"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	case s.code > 0:
		w.WriteHeader(s.code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if s.code < 0 {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"not here"}}`, call.ID, s.code)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, s.card)
}

func partnerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: partner public FILE [FILE without a token], shows WHO FILE|CODE, hides WHO, forget, or saw [PATH=WHO]…")
	}
	p := ts.Value("partner").(*partner)
	p.mu.Lock()
	defer p.mu.Unlock()
	content := func(name string) []byte {
		return []byte(strings.ReplaceAll(ts.ReadFile(name), "http://partner.test", p.URL))
	}
	switch {
	case args[0] == "public" && len(args) == 2:
		p.public, p.bare = content(args[1]), nil
	case args[0] == "public" && len(args) == 3:
		p.public, p.bare = content(args[1]), content(args[2])
	case args[0] == "shows" && len(args) == 3:
		var s showing
		if code, err := strconv.Atoi(args[2]); err == nil {
			s.code = code
		} else {
			s.card = content(args[2])
		}
		p.shows[args[1]] = s
	case args[0] == "hides" && len(args) == 2:
		delete(p.shows, args[1])
	case args[0] == "forget" && len(args) == 1:
		p.saw = nil
	case args[0] == "saw":
		if !slices.Equal(p.saw, args[1:]) {
			ts.Fatalf("the partner saw %q, want %q", p.saw, args[1:])
		}
		p.saw = nil
	default:
		ts.Fatalf("partner %q: no such order", args)
	}
}
