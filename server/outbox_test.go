package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

type silencePage struct {
	Silences []store.Silence
	Next     string
}

func TestSilences(t *testing.T) {
	r := idle(t)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for _, tt := range []struct{ body, want string }{
		{`{}`, "match: want at least one of owner"},
		{`{"match": {"owner": "a"}}`, "want an author and a reason"},
		{`{"match": {"owner": "a"}, "author": "me", "reason": "x"}`, "until: want a moment that is still to come"},
		{`{"match": {"owner": "a"}, "author": "me", "reason": "x", "until": "2020-01-01T00:00:00Z"}`, "still to come"},
		{`{"match": {"color": "a"}, "author": "me", "reason": "x", "until": "` + later + `"}`, `match \"color\"=\"a\": want`},
		{`{"match": {"owner": ""}, "author": "me", "reason": "x", "until": "` + later + `"}`, `match \"owner\"=\"\": want`},
		{`{"match": {"owner": "` + strings.Repeat("x", 1001) + `"}, "author": "me", "reason": "x", "until": "` + later + `"}`, `at most 1000 bytes`},
		{`{"match": {"owner": "a"}, "author": "me", "reason": "` + strings.Repeat("x", 1001) + `", "until": "` + later + `"}`, "at most 1000 bytes"},
		{`{"match": {"class": "braking"}, "author": "me", "reason": "x", "until": "` + later + `"}`, `match \"class\": `},
		{`{"match": {"rule": "streaming-los"}, "author": "me", "reason": "x", "until": "` + later + `"}`, `did you mean streaming-lost?`},
		{`{"match": {"owner": 7}, "author": "me", "reason": "x", "until": "` + later + `"}`, "the body: "},
		{`{"match": {"owner": "\u001b[2J"}, "author": "me", "id": "x", "reason": "x", "until": "` + later + `"}`, "the body: "},
	} {
		if a := r.ask("POST", "/v1/silences", tt.body); a.code != 400 || !strings.Contains(string(a.body), tt.want) {
			t.Errorf("silence %.80s = %d %s, want 400 %s", tt.body, a.code, a.body, tt.want)
		}
	}
	if p := get[silencePage](r, "/v1/silences"); p.Silences == nil || len(p.Silences) != 0 {
		t.Errorf("silences = %+v, want an empty list", p)
	}
	var made []store.Silence // by id, as they are listed
	for i := range 3 {
		a := r.ask("POST", "/v1/silences", fmt.Sprintf(`{"match": {"owner": "team-%d", "class": "review"}, "author": "me", "reason": "they move", "until": %q}`, i, later))
		var s store.Silence
		check(t, json.Unmarshal(a.body, &s))
		if a.code != 200 || len(s.ID) != 10 || s.Match["class"] != "review" || s.Until.Format(time.RFC3339) != later {
			t.Errorf("silence = %d %s", a.code, a.body)
		}
		made = append(made, s)
	}
	slices.SortFunc(made, func(a, b store.Silence) int { return strings.Compare(a.ID, b.ID) })
	p := get[silencePage](r, "/v1/silences?limit=2")
	next := get[silencePage](r, "/v1/silences?after="+p.Next)
	if len(p.Silences) != 2 || len(next.Silences) != 1 || next.Next != "" {
		t.Errorf("pages = %+v, %+v", p, next)
	}
	for _, want := range []int{204, 404} {
		if a := r.ask("DELETE", "/v1/silences/"+made[0].ID, ""); a.code != want {
			t.Errorf("unsilence = %d %s, want %d", a.code, a.body, want)
		}
	}
	if r.woken == 0 {
		t.Error("the deliveries were not woken")
	}
	if a := r.ask("DELETE", "/v1/silences/"+made[1].ID+"?author=ferry", ""); a.code != 204 {
		t.Errorf("unsilence = %d %s", a.code, a.body)
	}
	if p := get[silencePage](r, "/v1/silences?limit=1"); len(p.Silences) != 1 || p.Silences[0].ID != made[2].ID {
		t.Errorf("silences that hold = %+v, want the third", p)
	}
	for _, s := range get[silencePage](r, "/v1/silences?all=true").Silences {
		want := map[string]string{made[0].ID: "", made[1].ID: "ferry"}[s.ID]
		if removed := s.ID != made[2].ID; s.Removed.IsZero() == removed || s.RemovedBy != want {
			t.Errorf("of all: %+v, want removed %v by %q", s, removed, want)
		}
	}
	if a := r.ask("GET", "/v1/silences?all=yes", ""); a.code != 400 || !strings.Contains(string(a.body), "want true or false") {
		t.Errorf("all=yes: %d %s", a.code, a.body)
	}
}

// Whoever ends a silence and says no name is known by that of the token.
func TestSilenceEndedByAToken(t *testing.T) {
	r := idle(t)
	accept(t, r, [3]string{"operator", "write", "w-secret"})
	const as = "Authorization: Bearer w-secret"
	var s store.Silence
	body := fmt.Sprintf(`{"match": {"owner": "a"}, "author": "me", "reason": "x", "until": %q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
	check(t, json.Unmarshal(r.ask("POST", "/v1/silences", body, as).body, &s))
	if a := r.ask("DELETE", "/v1/silences/"+s.ID+"?author="+strings.Repeat("x", 1001), "", as); a.code != 400 {
		t.Errorf("a long author: %d %s", a.code, a.body)
	}
	if a := r.ask("DELETE", "/v1/silences/"+s.ID, "", as); a.code != 204 {
		t.Errorf("unsilence = %d %s", a.code, a.body)
	}
	if a := r.ask("GET", "/v1/silences?all=true", "", as); !strings.Contains(string(a.body), `"removed_by": "operator"`) {
		t.Errorf("silences = %s", a.body)
	}
}

func TestOutbox(t *testing.T) {
	r, agent := travel(t)
	type outboxPage struct {
		Messages []message
		Next     string
	}
	if p := get[outboxPage](r, "/v1/outbox"); p.Messages == nil || len(p.Messages) != 0 {
		t.Errorf("outbox = %+v, want an empty list", p)
	}
	r.breaks(agent)
	p := get[outboxPage](r, "/v1/outbox?state=waiting&sink=ops")
	if len(p.Messages) != 1 || p.Messages[0].Kind != "opened" || p.Messages[0].ID != webhook.ID(p.Messages[0].Key) {
		t.Fatalf("outbox = %+v, want an opening", p)
	}
	m := p.Messages[0]
	for _, query := range []string{"state=dead", "sink=nosuch"} {
		if p := get[outboxPage](r, "/v1/outbox?"+query); len(p.Messages) != 0 {
			t.Errorf("outbox?%s = %+v, want nothing", query, p)
		}
	}
	if a := r.ask("GET", "/v1/outbox?state=asleep", ""); a.code != 400 || !strings.Contains(string(a.body), "want waiting, delivered, superseded or dead") {
		t.Errorf("outbox?state=asleep = %d %s", a.code, a.body)
	}
	state := func() store.Row { return get[outboxPage](r, "/v1/outbox").Messages[0].Row }
	steps := []struct {
		method, path string
		code         int
		state        store.RowState
		reason       string
	}{
		{"POST", "/retry", 204, store.Waiting, ""},
		{"DELETE", "", 204, store.Dead, "dropped by hand"},
		{"DELETE", "", 409, store.Dead, "dropped by hand"},
		{"POST", "/retry", 204, store.Waiting, "dropped by hand"},
	}
	for i, s := range steps {
		a := r.ask(s.method, "/v1/outbox/"+m.ID+s.path, "")
		if got := state(); a.code != s.code || got.State != s.state || got.Reason != s.reason {
			t.Errorf("step %d = %d %s, then %+v; want %d, %s", i, a.code, a.body, got, s.code, s.state)
		}
	}
	if got := state(); !got.EndedAt.IsZero() || got.Attempts != 0 {
		t.Errorf("a message that is tried again = %+v", got)
	}
	check(t, r.store.Update(func(tx *store.Tx) error {
		row := state()
		row.State = store.Delivered
		return tx.PutRow(row)
	}))
	for _, s := range []struct{ method, path string }{{"POST", "/retry"}, {"DELETE", ""}} {
		if a := r.ask(s.method, "/v1/outbox/"+m.ID+s.path, ""); a.code != 409 || !strings.Contains(string(a.body), "delivered") {
			t.Errorf("%s of one that was delivered = %d %s, want 409", s.method, a.code, a.body)
		}
		if a := r.ask(s.method, "/v1/outbox/nosuch"+s.path, ""); a.code != 404 {
			t.Errorf("%s of an unknown one = %d, want 404", s.method, a.code)
		}
	}

	// What went into a group is known by the group's id, until it is sent alone.
	change := func(change func(*store.Row)) {
		check(t, r.store.Update(func(tx *store.Tx) error {
			row := state()
			change(&row)
			return tx.PutRow(row)
		}))
	}
	webhookID := func() string { return get[outboxPage](r, "/v1/outbox").Messages[0].WebhookID }
	if id := webhookID(); id != "" {
		t.Errorf("before it was tried, webhook_id is %q", id)
	}
	change(func(row *store.Row) { row.State, row.Flush, row.Together = store.Dead, "flush|"+row.Key, 2 })
	if id := webhookID(); id != webhook.ID("flush|"+m.Key) {
		t.Errorf("in a group, webhook_id is %q", id)
	}
	if a := r.ask("POST", "/v1/outbox/"+m.ID+"/retry", ""); a.code != 204 || webhookID() != m.ID || state().Together != 0 {
		t.Errorf("retry = %d, then webhook_id is %q, want %q", a.code, webhookID(), m.ID)
	}
	if r.woken < 3 {
		t.Errorf("the deliveries were woken %d times, want 3", r.woken)
	}

	// Pages, oldest first.
	check(t, r.store.Update(func(tx *store.Tx) error {
		for i := range 5 {
			if _, err := tx.InsertRow(store.Row{Key: fmt.Sprint("key ", i), Sink: "ops", Kind: "reminder", State: store.Waiting, CreatedAt: time.Now(), DueAt: time.Now().Add(time.Hour)}); err != nil {
				return err
			}
		}
		return nil
	}))
	var numbers []uint64
	for after := ""; ; {
		p := get[outboxPage](r, "/v1/outbox?limit=2&after="+after)
		for _, m := range p.Messages {
			numbers = append(numbers, m.Number)
		}
		if after = p.Next; after == "" {
			break
		}
	}
	if len(numbers) != 6 || !slices.IsSorted(numbers) {
		t.Errorf("messages %v, want six in order", numbers)
	}
}
