package fetch

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
)

func TestDiscover(t *testing.T) {
	const h = "https://a.example.com"
	html := answer{body: "<!doctype html>", header: map[string]string{"Content-Type": "text/html"}}
	for _, tt := range []struct {
		name    string
		source  string
		answers map[string]answer
		final   string
		asked   []string // none: not checked
		notes   int
	}{
		{
			"a card URL goes out as it is", h + "/x/My.JSON",
			map[string]answer{h + "/x/My.JSON": {body: aCard}},
			h + "/x/My.JSON",
			[]string{h + "/x/My.JSON"},
			0,
		},
		{
			"so does one with a query", h + "/v1/card/?tenant_id=1234&",
			map[string]answer{h + "/v1/card/?tenant_id=1234&": {body: aCard}},
			h + "/v1/card/?tenant_id=1234&",
			[]string{h + "/v1/card/?tenant_id=1234&"},
			0,
		},
		{
			"or with an empty query", h + "/card?",
			map[string]answer{h + "/card?": {body: aCard}},
			h + "/card?",
			[]string{h + "/card?"},
			0,
		},
		{
			"a card URL answers HTML", h + "/card.json",
			map[string]answer{h + "/card.json": html},
			h + "/card.json", nil, 1, // the bytes are the parser's to judge
		},
		{
			"at the origin", h,
			map[string]answer{h + wellKnown: {body: aCard}, h + legacy: {body: aCard}},
			h + wellKnown,
			[]string{h + wellKnown},
			0,
		},
		{
			"a slash at the end", h + "/",
			map[string]answer{h + wellKnown: {body: aCard}},
			h + wellKnown,
			[]string{h + wellKnown},
			0,
		},
		{
			"under its own path", h + "/agents/a%2Fb/",
			map[string]answer{h + "/agents/a%2Fb" + wellKnown: {body: aCard}, h + wellKnown: {body: `{"name":"other"}`}},
			h + "/agents/a%2Fb" + wellKnown,
			[]string{h + "/agents/a%2Fb" + wellKnown},
			0,
		},
		{
			"then at the origin", h + "/agents/x",
			map[string]answer{h + wellKnown: {body: aCard}},
			h + wellKnown,
			[]string{h + "/agents/x" + wellKnown, h + wellKnown},
			0,
		},
		{
			"410 is a miss, too", h + "/agents/x",
			map[string]answer{h + "/agents/x" + wellKnown: {status: 410}, h + wellKnown: {body: aCard}},
			h + wellKnown, nil, 0,
		},
		{
			"then the legacy name", h + "/agents/x",
			map[string]answer{h + "/agents/x" + legacy: {body: aCard}},
			h + "/agents/x" + legacy,
			[]string{h + "/agents/x" + wellKnown, h + wellKnown, h + "/agents/x" + legacy},
			1,
		},
		{
			"and at the origin", h + "/agents/x",
			map[string]answer{h + legacy: {body: aCard}},
			h + legacy, nil, 1,
		},
		{
			"then the URL as given", h + "/agents/x/",
			map[string]answer{h + "/agents/x/": {body: aCard}},
			h + "/agents/x/",
			[]string{h + "/agents/x" + wellKnown, h + wellKnown, h + "/agents/x" + legacy, h + legacy, h + "/agents/x/"},
			0,
		},
		{
			"a site of one page answers for every path", h + "/agents/x",
			map[string]answer{h + "/agents/x" + wellKnown: html, h + wellKnown: html, h + "/agents/x" + legacy: {body: "\ufeff \r\n" + aCard}},
			h + "/agents/x" + legacy, nil, 1,
		},
		{
			"a list is no card either", h,
			map[string]answer{h + wellKnown: {body: "[]"}, h + legacy: {body: aCard}},
			h + legacy, nil, 1,
		},
		{
			"what is an object answers", h,
			map[string]answer{h + wellKnown: {body: `{"error":"x"}`}, h + legacy: {body: aCard}},
			h + wellKnown, nil, 0,
		},
		{
			"a redirect inside the origin", h,
			map[string]answer{h + wellKnown: {location: "/cards/1"}, h + "/cards/1": {body: aCard}},
			h + "/cards/1",
			[]string{h + wellKnown, h + "/cards/1"},
			1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, c := newWorld(t, tt.answers)
			r, err := c.Discover(t.Context(), tt.source, "")
			if err != nil {
				t.Fatal(err)
			}
			if r.Final != tt.final || len(r.Notes) != tt.notes {
				t.Errorf("Discover(%q) = %s with notes %q, want %s with %d", tt.source, r.Final, r.Notes, tt.final, tt.notes)
			}
			if tt.asked != nil && !slices.Equal(w.urls(), tt.asked) {
				t.Errorf("asked for %v, want %v", w.urls(), tt.asked)
			}
		})
	}
}

func TestDiscoverStops(t *testing.T) {
	const h = "https://a.example.com"
	const wk = h + "/x" + wellKnown
	found := answer{body: aCard}
	for _, tt := range []struct {
		name   string
		source string
		answer answer
		state  card.State
		want   string
	}{
		{"at 401", h + "/x", answer{status: 401}, AuthRequired, wk + " answered 401 Unauthorized"},
		{"at 403", h + "/x", answer{status: 403}, AuthRequired, wk + " answered 403 Forbidden"},
		{"at 500", h + "/x", answer{status: 500}, Unreachable, wk + " answered 500 Internal Server Error"},
		{"at 429", h + "/x", answer{status: 429}, Unreachable, wk + " answered 429 Too Many Requests"},
		{"at an empty body", h + "/x", answer{}, Unreachable, wk + " answered 200 OK: the body is empty"},
		{"at a long body", h + "/x", answer{body: strings.Repeat("x", 1001)}, card.TooLarge, wk + ": the body has 1001 bytes, over the limit of 1000"},
		{
			"at another origin", h + "/x",
			answer{location: "https://b.example.com/c?key=geheim"},
			Unreachable,
			wk + " (redirected to https://b.example.com/c?key=REDACTED): that is another origin: pin that URL if you trust it",
		},
		{
			"at another origin that has nothing", h + "/x",
			answer{location: "https://b.example.com/missing"},
			Unreachable,
			wk + " (redirected to https://b.example.com/missing): that is another origin: pin that URL if you trust it",
		},
		{
			"at a refused redirect", h + "/x",
			answer{location: "https://127.0.0.1/"},
			Unreachable,
			wk + ": redirect to https://127.0.0.1/ refused: 127.0.0.1 is a loopback address",
		},
		{
			"a card URL at another origin", h + "/card.json",
			answer{location: "https://b.example.com/c?key=geheim"},
			Unreachable,
			h + "/card.json (redirected to https://b.example.com/c?key=REDACTED): that is another origin: pin that URL if you trust it",
		},
		{"a card URL at 404", h + "/card.json", answer{status: 404}, NotFound, h + "/card.json answered 404 Not Found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := newWorld(t, map[string]answer{
				wk: tt.answer, h + "/card.json": tt.answer,
				h + wellKnown: found, h + legacy: found, h + "/card.json" + wellKnown: found,
				"https://b.example.com/c?key=geheim": found,
			})
			c.Bytes = 1000
			_, err := c.Discover(t.Context(), tt.source, "")
			failed(t, err, tt.state, tt.want)
		})
	}
}

func TestDiscoverListsWhatItTried(t *testing.T) {
	const h = "https://a.example.com"
	_, c := newWorld(t, map[string]answer{h + legacy: {status: 410}})
	_, err := c.Discover(t.Context(), h+"/x", "")
	e := failed(t, err, NotFound, `https://a.example.com/x: no card found
  https://a.example.com/x/.well-known/agent-card.json answered 404 Not Found
  https://a.example.com/.well-known/agent-card.json answered 404 Not Found
  https://a.example.com/x/.well-known/agent.json answered 404 Not Found
  https://a.example.com/.well-known/agent.json answered 410 Gone
  https://a.example.com/x answered 404 Not Found`)
	if len(e.Tried) != 5 {
		t.Errorf("Tried has %d errors, want 5", len(e.Tried))
	}

	page := answer{body: "<html>", header: map[string]string{"Content-Type": "text/html\u202e"}}
	_, c = newWorld(t, map[string]answer{h + "/": page})
	_, err = c.Discover(t.Context(), h, "")
	failed(t, err, card.NotJSON, `https://a.example.com: no card found
  https://a.example.com/.well-known/agent-card.json answered 404 Not Found
  https://a.example.com/.well-known/agent.json answered 404 Not Found
  https://a.example.com answered 200 OK: no JSON object (content type "text/html\u202e")`)
}
