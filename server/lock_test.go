package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

type lockPage struct {
	Locks []watch.View
	Next  string
}

func (p lockPage) ids() (ids []string) {
	for _, l := range p.Locks {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestLocksArePagedAndFiltered(t *testing.T) {
	r := newRig(t, quick, many(25))
	var ids []string
	pages := 0
	for after := ""; ; pages++ {
		p := get[lockPage](r, "/v1/locks?limit=10&after="+after)
		ids = append(ids, p.ids()...)
		if after = p.Next; after == "" {
			break
		}
	}
	if want := slices.Sorted(maps.Keys(many(25))); pages != 2 || !slices.Equal(ids, want) {
		t.Errorf("%d pages after the first with %q, want 2 with %q", pages, ids, want)
	}
	if p := get[lockPage](r, "/v1/locks?after=lock-00023x"); !slices.Equal(p.ids(), []string{"lock-00024"}) {
		t.Errorf("after an id between two: %q, want the last", p.ids())
	}
	agent := get[lockPage](r, "/v1/locks?limit=1").Locks[0].AgentID
	for query, want := range map[string][]string{
		"owner=team-3":                      {"lock-00003", "lock-00013", "lock-00023"},
		"owner=team-3&limit=2":              {"lock-00003", "lock-00013"},
		"workflow=nosuch":                   nil,
		"class=breaking":                    nil,
		"class=none&owner=team-9":           {"lock-00009", "lock-00019"},
		"freshness=fresh":                   nil,
		"freshness=ageing&owner=team-9":     {"lock-00009", "lock-00019"},
		"agent=https://agent-7.example":     {"lock-00007"},
		"agent=" + agent:                    {"lock-00000"},
		"path=lock-00004.a2a.lock.json":     {"lock-00004"},
		"path=00004.a2a.lock.json":          nil,
		"path=/nosuch/lock-00004.lock.json": nil,
	} {
		if p := get[lockPage](r, "/v1/locks?"+query); !slices.Equal(p.ids(), want) {
			t.Errorf("%s: %q, want %q", query, p.ids(), want)
		}
	}
	for _, path := range []string{"/v1/locks/nosuch", "/v1/locks/nosuch/history", "/v1/locks/nosuch/decision", "/v1/locks/lock-00001%2f"} {
		a := r.ask("GET", path, "")
		if a.code != 404 || !strings.Contains(string(a.body), "no such lock; GET /v1/locks lists them") {
			t.Errorf("GET %s = %d %s", path, a.code, a.body)
		}
	}
}

// A page is at most 200 KB, however many locks are asked for and however much
// they say; what did not fit comes next.
func TestPagesAreBounded(t *testing.T) {
	locks := many(600)
	for _, l := range locks {
		l.Fallback = strings.Repeat("ask Zoë ", 30)
	}
	r := newRig(t, quick, locks)
	n, largest := 0, 0
	for after := ""; ; {
		a := r.ask("GET", "/v1/locks?limit=500&after="+after, "")
		var p lockPage
		check(t, json.Unmarshal(a.body, &p))
		largest = max(largest, len(a.body))
		n += len(p.Locks)
		if after = p.Next; after == "" {
			break
		}
	}
	if n != len(locks) || largest > 200_000 || largest < 150_000 {
		t.Errorf("%d locks in pages of up to %d bytes, want %d in up to 200,000", n, largest, len(locks))
	}
	if a := r.ask("GET", "/v1/locks", ""); len(a.body) > 200_000 {
		t.Errorf("the default page has %d bytes", len(a.body))
	}
}

func TestLock(t *testing.T) {
	r, agent := travel(t)
	v := get[map[string]any](r, "/v1/locks/pricing")
	for name, want := range map[string]any{
		"id": "pricing", "workflow": "travel", "owner": "team-travel", "agent": agent.CardURL(), "fallback": "ask a person",
		"class": "compatible", "freshness": "fresh",
	} {
		if v[name] != want {
			t.Errorf("%s = %v, want %v", name, v[name], want)
		}
	}
	for _, name := range []string{"path", "agent_id", "since", "decided_at", "validated_at", "next_refresh", "card_digest", "skills", "history"} {
		if v[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	r.breaks(agent)
	v = get[map[string]any](r, "/v1/locks/pricing")
	if v["class"] != "breaking" || v["episode"] == nil || len(v["findings"].([]any)) == 0 || len(v["history"].([]any)) == 0 {
		t.Errorf("after the break: %v", v)
	}
	type historyPage struct {
		History []store.Transition
		Next    string
	}
	var kinds []verdict.Kind
	for after := ""; ; {
		p := get[historyPage](r, "/v1/locks/pricing/history?limit=1&after="+after)
		for _, h := range p.History {
			kinds = append(kinds, h.Kind)
		}
		if after = p.Next; after == "" {
			break
		}
	}
	if !slices.Contains(kinds, verdict.Opened) {
		t.Errorf("history = %q, want an opening", kinds)
	}
}

// members are the names in a JSON object, in order.
func members(t *testing.T, body []byte) []string {
	t.Helper()
	var names []string
	d := json.NewDecoder(strings.NewReader(string(body)))
	for depth, key := 0, false; ; {
		tok, err := d.Token()
		if err != nil {
			return names
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
			key = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = depth == 1
			continue
		}
		if depth == 1 {
			if key {
				names = append(names, tok.(string))
			}
			key = !key
		}
	}
}

func TestDecision(t *testing.T) {
	r, agent := travel(t)
	want := []string{"delegate", "degraded", "class", "freshness", "as_of", "plan", "findings", "fallback"}
	type decision struct {
		Delegate, Degraded         *bool
		Class, Freshness, Fallback string
		AsOf                       *time.Time `json:"as_of"`
		Plan                       json.RawMessage
		Findings                   []json.RawMessage
	}
	ask := func(query string) decision {
		t.Helper()
		a := r.ask("GET", "/v1/locks/pricing/decision"+query, "")
		if got := members(t, a.body); a.code != 200 || !slices.Equal(got, want) {
			t.Errorf("decision%s = %d with members %q, want %q", query, a.code, got, want)
		}
		var d decision
		check(t, json.Unmarshal(a.body, &d))
		if d.Delegate == nil || d.Degraded == nil || d.Findings == nil || d.Fallback != "ask a person" {
			t.Fatalf("decision%s = %s", query, a.body)
		}
		return d
	}
	d := ask("")
	if !*d.Delegate || *d.Degraded || d.Class != "compatible" || d.Freshness != "fresh" || d.AsOf == nil || string(d.Plan) != "null" {
		t.Errorf("decision = %+v", d)
	}
	if d = ask("?skill=itinerary-pricing"); !*d.Delegate || !strings.Contains(string(d.Plan), `"delivery": "stream"`) {
		t.Errorf("decision with a skill = %+v, plan %s", d, d.Plan)
	}
	if d = ask("?skill=nosuch"); *d.Delegate || !strings.Contains(string(d.Plan), `"refused"`) {
		t.Errorf("decision of an unknown skill = %+v, plan %s", d, d.Plan)
	}

	// What a caller met leaves the plan at once; the verdict stays.
	a := r.ask("POST", "/v1/locks/pricing/stale", `{"error": "UnsupportedOperationError", "method": "SendStreamingMessage", "skill": "itinerary-pricing", "detail": "no"}`)
	if a.code != http.StatusNoContent {
		t.Errorf("stale = %d %s", a.code, a.body)
	}
	if d = ask("?skill=itinerary-pricing"); !*d.Degraded || !strings.Contains(string(d.Plan), `"delivery": "poll"`) {
		t.Errorf("decision after a report: degraded %v, plan %s", *d.Degraded, d.Plan)
	}
	r.until("pricing", verdict.Review)
	if d = ask("?skill=itinerary-pricing"); !*d.Delegate || len(d.Findings) == 0 || d.Class != "review" {
		t.Errorf("decision after a report was judged: %s with %d findings", d.Class, len(d.Findings))
	}

	r.breaks(agent)
	if d = ask(""); *d.Delegate || d.Class != "breaking" || len(d.Findings) == 0 || string(d.Plan) != "null" {
		t.Errorf("decision after the break = %+v", d)
	}
}

func TestStale(t *testing.T) {
	r := idle(t)
	for _, tt := range []struct {
		path, body string
		code       int
		want       string
	}{
		{"/v1/locks/pricing/stale", `{"error": "UnsupportedOperationError", "method": "SendStreamingMessage"}`, 204, ""},
		{"/v1/locks/pricing/stale", `{"error": "something else", "method": "", "skill": "", "detail": "\u001b[2J"}`, 204, ""},
		{"/v1/locks/pricing/stale", `{}`, 400, "want the name of an A2A error"},
		{"/v1/locks/pricing/stale", `{"error": "` + strings.Repeat("x", 1001) + `"}`, 400, "error: over 1000 bytes"},
		{"/v1/locks/pricing/stale", `{"error": "x", "detail": "` + strings.Repeat("x", 1001) + `"}`, 400, "detail: over 1000 bytes"},
		{"/v1/locks/pricing/stale", `{"error": "x", "skill": "itinerary-pricin"}`, 400, `does not require it; it requires [\"itinerary-pricing\"]`},
		{"/v1/locks/nosuch/stale", `{"error": "x"}`, 404, "no such lock"},
	} {
		a := r.ask("POST", tt.path, tt.body)
		if a.code != tt.code || !strings.Contains(string(a.body), tt.want) {
			t.Errorf("POST %s %.60s = %d %s, want %d %s", tt.path, tt.body, a.code, a.body, tt.code, tt.want)
		}
	}
	if f := get[watch.View](r, "/v1/locks/pricing").Freshness; f != verdict.MarkedStale {
		t.Errorf("freshness = %s, want %s", f, verdict.MarkedStale)
	}
}

func TestAck(t *testing.T) {
	r, agent := travel(t)
	const path = "/v1/locks/pricing/ack"
	if a := r.ask("POST", path, `{"author": "me", "reason": "known"}`); a.code != 400 || !strings.Contains(string(a.body), "no episode is open") {
		t.Errorf("ack of nothing = %d %s", a.code, a.body)
	}
	if a := r.ask("POST", path, `{"author": "me", "reason": "known", "episode": 3}`); a.code != 409 || !strings.Contains(string(a.body), "it is compatible, and no episode is open") {
		t.Errorf("ack of an episode that is over = %d %s", a.code, a.body)
	}
	r.breaks(agent)
	v := get[watch.View](r, "/v1/locks/pricing")
	now := fmt.Sprintf(`lock "pricing": the lock has moved since; now it is breaking, with episode %d and finding_set %q`, v.Episode.Start, v.FindingSet)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for _, tt := range []struct {
		body string
		code int
		want string
	}{
		{`{"author": "me"}`, 400, "want an author and a reason"},
		{`{"author": "me", "reason": "` + strings.Repeat("x", 1001) + `"}`, 400, "at most 1000 bytes"},
		{`{"author": "me", "reason": "known", "until": "2020-01-01T00:00:00Z"}`, 400, "over already"},
		{`{"author": "me", "reason": "known", "until": "tomorrow"}`, 400, "the body: "},
		{`{"author": "me", "reason": "known", "class": "bad"}`, 400, "class: \"bad\""},
		{`{"author": "me", "reason": "known", "episode": 999}`, 409, now},
		{`{"author": "me", "reason": "known", "class": "review"}`, 409, now},
		{`{"author": "me", "reason": "known", "finding_set": ""}`, 409, now},
		{fmt.Sprintf(`{"author": "me", "reason": "known", "episode": %d, "class": "review", "finding_set": %q}`, v.Episode.Start, v.FindingSet), 409, now},
		{fmt.Sprintf(`{"author": "me", "reason": "known", "episode": %d, "class": "breaking", "finding_set": %q}`, v.Episode.Start, v.FindingSet), 204, ""},
		{`{"author": "me", "reason": "known", "until": null}`, 204, ""},
		{`{"author": "me", "reason": "known", "until": "` + later + `"}`, 204, ""},
	} {
		a := r.ask("POST", path, tt.body)
		var said struct{ Error string }
		_ = json.Unmarshal(a.body, &said) // "": there is no body
		if a.code != tt.code || !strings.Contains(said.Error, tt.want) {
			t.Errorf("ack %.80s = %d %s, want %d %s", tt.body, a.code, a.body, tt.code, tt.want)
		}
	}
	if v := get[watch.View](r, "/v1/locks/pricing"); v.Ack == nil || v.Ack.Author != "me" || v.Ack.Until.Format(time.RFC3339) != later {
		t.Errorf("ack = %+v", v.Ack)
	}
	if a := r.ask("DELETE", path, ""); a.code != 204 {
		t.Errorf("unack = %d %s", a.code, a.body)
	}
	if a := r.ask("DELETE", path, ""); a.code != 400 || !strings.Contains(string(a.body), "nothing is acknowledged") {
		t.Errorf("unack of nothing = %d %s", a.code, a.body)
	}
	if v := get[watch.View](r, "/v1/locks/pricing"); v.Ack != nil {
		t.Errorf("ack = %+v, want none", v.Ack)
	}
	for _, method := range []string{"POST", "DELETE"} {
		if a := r.ask(method, "/v1/locks/nosuch/ack", `{"author": "me", "reason": "known"}`); a.code != 404 {
			t.Errorf("%s ack of an unknown lock = %d, want 404", method, a.code)
		}
	}
	if a := r.ask("POST", "/v1/locks/nosuch/refresh", ""); a.code != 404 {
		t.Errorf("refresh of an unknown lock = %d, want 404", a.code)
	}
}

func TestCards(t *testing.T) {
	r, agent := travel(t)
	first := agent.Card()
	r.breaks(agent)
	v := get[watch.View](r, "/v1/locks/pricing")
	path := "/v1/agents/" + v.AgentID + "/cards"
	type cardPage struct {
		Cards []store.CardVersion
		Next  string
	}
	p := get[cardPage](r, path)
	if len(p.Cards) != 2 || p.Cards[0].Digest != v.CardDigest {
		t.Fatalf("cards = %+v, want two, that of now first", p.Cards)
	}
	if p := get[cardPage](r, path+"?limit=1"); len(p.Cards) != 1 || p.Next == "" {
		t.Errorf("a page of one = %+v", p)
	} else if p := get[cardPage](r, path+"?after="+p.Next); len(p.Cards) != 1 || p.Next != "" {
		t.Errorf("the page after it = %+v", p)
	}
	for i, want := range [][]byte{agent.Card(), first} {
		a := r.ask("GET", path+"/"+p.Cards[i].Digest, "")
		if a.code != 200 || string(a.body) != string(want) {
			t.Errorf("card %d = %d %s, want it byte for byte", i, a.code, a.body)
		}
		inert(t, a)
		if got := a.header.Get("Content-Disposition"); got != `attachment; filename="agent-card.json"` {
			t.Errorf("Content-Disposition = %q", got)
		}
		if got := a.header.Get("Content-Security-Policy"); got != "default-src 'none'; sandbox" {
			t.Errorf("Content-Security-Policy = %q", got)
		}
	}
	for _, missing := range []string{"/v1/agents/nosuch/cards", path + "/sha256:0", "/v1/agents/nosuch/cards/" + p.Cards[0].Digest} {
		if a := r.ask("GET", missing, ""); a.code != 404 {
			t.Errorf("GET %s = %d, want 404", missing, a.code)
		}
	}
}

// A card that is not what it seems comes as it is, and as nothing else.
func TestCardBytes(t *testing.T) {
	r, agent := travel(t)
	odd := strings.Replace(string(agenttest.Merge(agent.Card(), `{"description": "<script>\u2028</script>"}`)), "{", "{ \t\n", 1)
	agent.SetCard([]byte(odd))
	before := get[watch.View](r, "/v1/locks/pricing").CardDigest
	r.ask("POST", "/v1/locks/pricing/refresh", "")
	var v watch.View
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if v = get[watch.View](r, "/v1/locks/pricing"); v.CardDigest != before {
			break
		}
	}
	a := r.ask("GET", fmt.Sprintf("/v1/agents/%s/cards/%s", v.AgentID, v.CardDigest), "")
	if string(a.body) != odd {
		t.Errorf("card = %d %s, want %s", a.code, a.body, odd)
	}
}
