package slack

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/internal/slacktest"
)

// huge is a message over all limits, with all that Slack would take for markup.
func huge() *Message {
	text := strings.Repeat("<!channel> & <https://evil.example|click> 🧨 ", 500)
	m := &Message{Title: text, Color: "#c62828", Things: "findings", More: 3}
	for range 4 {
		m.Head = append(m.Head, Section{Label: "<@U1>", Text: text})
	}
	for range 400 {
		m.List = append(m.List, Section{Label: "breaking skill-removed", Text: text})
	}
	m.Foot = []Section{
		{Label: "more", Text: "https://daemon.example/v1/locks/a|b", Link: "https://daemon.example/v1/locks/a|b<c>?x=1&y=2"},
		{Label: "try", Text: "a2alock check `x`", Code: true},
	}
	return m
}

func TestPostHoldsToTheLimits(t *testing.T) {
	many := huge()
	many.List = nil
	for range 100 {
		many.List = append(many.List, Section{Label: "l", Text: "short"})
	}
	for name, m := range map[string]*Message{"long": huge(), "many": many, "over": {Title: huge().Title, Over: true}} {
		for _, c := range []Client{{WebhookURL: "https://hooks.example/x"}, {Token: "xoxb-1", Channel: "C1", APIURL: "https://slack.example/api/"}} {
			server := &slacktest.Server{}
			c.Transport = server
			if _, err := c.Post(t.Context(), m, Thread{}); err != nil {
				t.Errorf("%s, bot %v: Post = %v", name, c.IsBot(), err)
				continue
			}
			taken := server.Posts()[0]
			post := strings.Join(taken.Sections, "\n") + taken.Text
			if !taken.Struck { // rich text, which is not parsed
				post += taken.Title
			}
			for _, bad := range []string{"<!", "<@", "<https://evil", "& <"} {
				if strings.Contains(post, bad) {
					t.Errorf("%s: the post holds %q", name, bad)
				}
			}
			if name != "over" && !strings.Contains(post, " more findings") {
				t.Errorf("%s: the post does not say what it leaves out", name)
			}
			if name != "over" && !strings.Contains(post, "more: <https://daemon.example/v1/locks/a%7Cb%3Cc%3E?x=1&amp;y=2>") {
				t.Errorf("%s: our own link is missing:\n%s", name, post)
			}
		}
	}
}

// What stands in a card is shown as it stands there.
func TestMarksAreText(t *testing.T) {
	const marks = "*b* _i_ ~s~ `c` ```d```\n> q\n• <!here> <@U1> <#C1> <https://e.example|x> @all :tada: & &lt;"
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(marks)
	for _, m := range []*Message{
		{Title: marks, Head: []Section{{Label: marks, Text: marks}}, List: []Section{{Text: marks}}, Foot: []Section{{Text: marks, Link: "javascript:" + marks}}},
		{Title: marks, Over: true, Foot: []Section{{Label: marks, Text: marks, Code: true}}},
		{Title: "t", Foot: []Section{{Label: "try", Text: "a2alock check " + marks, Code: true}, {Label: "more", Text: marks, Link: "https://daemon.example/*b*"}}},
	} {
		for _, c := range []Client{{WebhookURL: "https://hooks.example/x"}, {Token: "xoxb-1", Channel: "C1", APIURL: "https://slack.example/api/"}} {
			server := &slacktest.Server{}
			c.Transport = server
			if _, err := c.Post(t.Context(), m, Thread{}); err != nil {
				t.Fatal(err)
			}
			post := server.Posts()[0]
			switch {
			case post.Struck != m.Over:
				t.Errorf("the title is struck through: %v", post.Struck)
			case post.Struck && post.Title != marks: // rich text knows no escapes
				t.Errorf("title %q, want %q", post.Title, marks)
			case !post.Struck && m.Title == marks && post.Title != escaped:
				t.Errorf("title %q, want %q", post.Title, escaped)
			}
			for i, text := range post.Sections {
				if !slices.Contains(post.Marked, text) && !strings.HasSuffix(text, escaped) {
					t.Errorf("section %d is %q, want %q in it", i, text, escaped)
				}
			}
			want := []string(nil)
			if m.Title == "t" {
				want = []string{"try: `a2alock check " + strings.ReplaceAll(escaped, "`", "ˋ") + "`", "more: <https://daemon.example/*b*>"}
			}
			if !slices.Equal(post.Marked, want) {
				t.Errorf("marked are %q, want %q", post.Marked, want)
			}
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		s     string
		limit int
		want  string
	}{
		{"short", 40, "short"},
		{strings.Repeat("a", 40), 40, strings.Repeat("a", 40)},
		{strings.Repeat("a", 41), 40, strings.Repeat("a", 20) + " … 21 more"},
		{strings.Repeat("&", 41), 40, "&amp;&amp;&amp;&amp; … 37 more"},
		{strings.Repeat("🧨", 41), 40, strings.Repeat("🧨", 10) + " … 31 more"},
	}
	for _, tt := range tests {
		got := cut(tt.s, tt.limit)
		if got != tt.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.s, tt.limit, got, tt.want)
		}
		if length(got) > tt.limit {
			t.Errorf("cut(%q, %d) is %d long", tt.s, tt.limit, length(got))
		}
	}
}

func TestErrors(t *testing.T) {
	canary := "T0/B0/canarycanary"
	hook := Client{WebhookURL: "https://hooks.example/services/" + canary}
	bot := Client{Token: "xoxb-" + canary, Channel: "C1", APIURL: "https://slack.example/api/"}
	tests := []struct {
		name   string
		client Client
		status int
		head   http.Header
		body   string
		want   Error
	}{
		{"limited", hook, 429, http.Header{"Retry-After": {"30"}}, "", Error{429, "", 30 * time.Second}},
		{"limited without a number", hook, 429, http.Header{"Retry-After": {"soon"}}, "slow down", Error{429, "slow down", 0}},
		{"limited without a word", hook, 429, nil, "", Error{429, "", 0}},
		{"blocks", hook, 400, nil, "invalid_blocks", Error{400, "invalid_blocks", 0}},
		{"gone", hook, 410, nil, "channel_is_archived", Error{410, "channel_is_archived", 0}},
		{"moved", hook, 302, http.Header{"Location": {"https://elsewhere.example/"}}, "", Error{302, "", 0}},
		{"down", hook, 503, http.Header{"Retry-After": {"7"}}, "<html>", Error{503, "<html>", 7 * time.Second}},
		{"a page", hook, 200, nil, "<html>", Error{503, "200 without ok: <html>", 0}},
		{"ok and more", hook, 200, nil, "ok, later", Error{503, "200 without ok: ok, later", 0}},
		{"nothing", hook, 200, nil, "", Error{503, "200 without ok:", 0}},
		{"bot limited", bot, 429, http.Header{"Retry-After": {"30"}}, "", Error{429, "", 30 * time.Second}},
		{"bot limited in words", bot, 200, nil, `{"ok":false,"error":"ratelimited"}`, Error{429, "ratelimited", 0}},
		{"bot token", bot, 200, nil, `{"ok":false,"error":"token_revoked"}`, Error{401, "token_revoked", 0}},
		{"bot channel", bot, 200, nil, `{"ok":false,"error":"channel_not_found"}`, Error{404, "channel_not_found", 0}},
		{
			"bot blocks", bot, 200, nil, `{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["[ERROR] too long"]}}`,
			Error{400, "invalid_blocks: [ERROR] too long", 0},
		},
		{"bot down", bot, 200, nil, `{"ok":false,"error":"internal_error"}`, Error{503, "internal_error", 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			server := httptest.NewServer(&slacktest.Server{Refuse: func(*http.Request) (int, http.Header, string) {
				calls++
				return tt.status, tt.head, tt.body
			}})
			defer server.Close()
			c := tt.client
			if c.IsBot() {
				c.APIURL = server.URL + "/api/"
			} else {
				c.WebhookURL = server.URL + "/services/" + canary
			}
			_, err := c.Post(t.Context(), &Message{Title: "x"}, Thread{})
			got, ok := errors.AsType[*Error](err)
			if !ok || *got != tt.want {
				t.Errorf("Post = %#v, want %#v", err, tt.want)
			}
			if calls != 1 {
				t.Errorf("the server saw %d requests, want 1", calls)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestErrorsHideTheURL(t *testing.T) {
	for _, c := range []Client{
		{WebhookURL: "http://127.0.0.1:1/canary"},
		{WebhookURL: "http://[canary"},
		{Token: "canary", Channel: "C1", APIURL: "http://127.0.0.1:1/api/"},
		{Token: "canary", Channel: "C1", APIURL: "http://[canary/"},
	} {
		if _, err := c.Post(t.Context(), &Message{Title: "x"}, Thread{}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("Post = %v, want an error without the secret", err)
		}
	}
}

func TestUpdateOfWhatIsGone(t *testing.T) {
	server := &slacktest.Server{}
	c := Client{Token: "xoxb-1", Channel: "C1", APIURL: "https://slack.example/api/", Transport: server}
	if err := c.Update(t.Context(), &Message{Title: "x"}, Thread{"C1", "1.2"}); err != nil {
		t.Errorf("Update of a message that was deleted = %v, want nil", err)
	}
	at, err := c.Post(t.Context(), &Message{Title: "breaking: a~b", Color: "#c62828"}, Thread{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Post(t.Context(), &Message{Title: "worse", Broadcast: true}, at); err != nil {
		t.Fatal(err)
	}
	if err := c.Update(t.Context(), &Message{Title: "breaking: a~b", Over: true, Color: "#2e7d32"}, at); err != nil {
		t.Fatal(err)
	}
	posts := server.Posts()
	if p := posts[1]; p.ThreadTS != at.TS || !p.Broadcast || p.Channel != at.Channel {
		t.Errorf("in the thread: %+v", p)
	}
	if p := posts[2]; p.Method != "chat.update" || p.TS != at.TS || p.Title != "breaking: a~b" || !p.Struck || p.Color != "#2e7d32" {
		t.Errorf("the edit: %+v", p)
	}
}

// A body says nothing until it is closed.
type body struct {
	closed chan struct{}
	close  func()
}

func (b *body) Read([]byte) (int, error) { <-b.closed; return 0, io.ErrClosedPipe }

func (b *body) Close() error { b.close(); return nil }

type answer func() *http.Response

func (f answer) RoundTrip(*http.Request) (*http.Response, error) { return f(), nil }

func TestPostEndsWhereTheAnswerDoesNot(t *testing.T) {
	for code, after := range map[int]time.Duration{101: 0, 503: sendTimeout, 200: sendTimeout} {
		synctest.Test(t, func(t *testing.T) {
			closed := make(chan struct{})
			silent := &body{closed, sync.OnceFunc(func() { close(closed) })}
			transport := answer(func() *http.Response { return &http.Response{StatusCode: code, Body: silent} })
			for _, c := range []Client{
				{WebhookURL: "https://hooks.example/x", Transport: transport},
				{Token: "xoxb-1", Channel: "C1", APIURL: "https://slack.example/api/", Transport: transport},
			} {
				begun := time.Now()
				_, err := c.Post(t.Context(), &Message{Title: "x"}, Thread{})
				if got, ok := errors.AsType[*Error](err); err == nil || code != 200 && (!ok || got.Code != code) {
					t.Errorf("%d, bot %v: Post = %v", code, c.IsBot(), err)
				}
				if got := time.Since(begun); got != after {
					t.Errorf("%d, bot %v: Post took %s, want %s", code, c.IsBot(), got, after)
				}
				<-closed
				closed = make(chan struct{})
				silent.closed, silent.close = closed, sync.OnceFunc(func() { close(closed) })
			}
		})
	}
}
