// Package slacktest is a Slack that tests and stories talk to: it holds messages
// to Slack's limits, and remembers what it took.
package slacktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// A Server is a channel with an incoming webhook (any path but the API's) and
// the API under /api/. The zero value is ready; it is safe for concurrent use.
type Server struct {
	// Token is the bot's; "" takes any.
	Token string
	// Refuse, where not nil, answers in the place of Slack with a status other
	// than 0, or, with 200, an API error in the body.
	Refuse func(r *http.Request) (status int, head http.Header, body string)
	// Took, where not nil, is told of each message that was taken.
	Took func(Post)

	mu    sync.Mutex
	posts []Post
}

// A Post is a message that was taken.
type Post struct {
	Method   string // "webhook", "chat.postMessage" or "chat.update"
	Channel  string
	ThreadTS string
	TS       string
	Text     string // of notifications
	Title    string // of the header, or the rich text in its place
	Struck   bool   // the title is struck through
	Color    string
	Sections []string
	Marked   []string // those of Sections in which Slack reads marks: *bold*
	// Broadcast is whether a message in a thread shows in the channel too.
	Broadcast bool
	At        time.Time
}

// Posts are the messages taken so far.
func (s *Server) Posts() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Post(nil), s.posts...)
}

// RoundTrip implements [http.RoundTripper]: the server without a network.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result(), nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method, isAPI := strings.CutPrefix(r.URL.Path, "/api/")
	if s.Refuse != nil {
		if status, head, body := s.Refuse(r); status != 0 {
			maps.Copy(w.Header(), head)
			w.WriteHeader(status)
			io.WriteString(w, body)
			return
		}
	}
	post, err := s.read(r, method, isAPI)
	switch {
	case err != nil && isAPI:
		fmt.Fprintf(w, `{"ok":false,"error":%q}`, err)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		s.take(&post)
		if isAPI {
			fmt.Fprintf(w, `{"ok":true,"channel":%q,"ts":%q}`, post.Channel, post.TS)
		} else {
			io.WriteString(w, "ok")
		}
	}
}

func (s *Server) take(p *Post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.At = time.Now()
	if p.TS == "" {
		p.TS = fmt.Sprintf("1700000000.%06d", len(s.posts)+1)
	}
	s.posts = append(s.posts, *p)
	if s.Took != nil {
		s.Took(*p)
	}
}

type block struct {
	Type string `json:"type"`
	Text struct {
		Type, Text string
		Verbatim   bool
	} `json:"text"`
	Elements []struct { // of a rich text
		Elements []struct {
			Type, Text string
			Style      struct{ Strike bool }
		}
	} `json:"elements"`
}

// text is what b shows.
func (b *block) text() string {
	if b.Type != "rich_text" {
		return b.Text.Text
	}
	var text strings.Builder
	for _, section := range b.Elements {
		for _, e := range section.Elements {
			text.WriteString(e.Text)
		}
	}
	return text.String()
}

// isStruck reports whether all of b is struck through.
func (b *block) isStruck() bool {
	for _, section := range b.Elements {
		for _, e := range section.Elements {
			if !e.Style.Strike {
				return false
			}
		}
	}
	return len(b.Elements) > 0
}

// isFine holds b to Slack's limits.
func (b *block) isFine() bool {
	n := len(utf16.Encode([]rune(b.text())))
	switch b.Type {
	case "header":
		return 0 < n && n <= 150 && b.Text.Type == "plain_text"
	case "section":
		return 0 < n && n <= 3000 && (b.Text.Type == "plain_text" || b.Text.Type == "mrkdwn" && b.Text.Verbatim)
	}
	return b.Type == "rich_text" && n > 0
}

type attachment struct {
	Color  string  `json:"color"`
	Blocks []block `json:"blocks"`
}

func (s *Server) read(r *http.Request, method string, isAPI bool) (Post, error) {
	var text string
	var blocks []block
	var attachments []attachment
	p := Post{Method: "webhook", Channel: "#hook"}
	if isAPI {
		if err := r.ParseForm(); err != nil {
			return p, err
		}
		if s.Token != "" && r.Form.Get("token") != s.Token && r.Header.Get("Authorization") != "Bearer "+s.Token {
			return p, errors.New("invalid_auth")
		}
		text = r.Form.Get("text")
		if json.Unmarshal([]byte(r.Form.Get("blocks")), &blocks) != nil || json.Unmarshal([]byte(r.Form.Get("attachments")), &attachments) != nil {
			return p, errors.New("invalid_blocks")
		}
		p = Post{
			Method: method, Channel: r.Form.Get("channel"), ThreadTS: r.Form.Get("thread_ts"),
			TS: r.Form.Get("ts"), Broadcast: r.Form.Get("reply_broadcast") == "true",
		}
		if method == "chat.update" && !s.has(p.TS) {
			return p, errors.New("message_not_found")
		}
	} else {
		var m struct {
			Text        string       `json:"text"`
			Blocks      []block      `json:"blocks"`
			Attachments []attachment `json:"attachments"`
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			return p, errors.New("invalid_payload")
		}
		text, blocks, attachments = m.Text, m.Blocks, m.Attachments
	}
	p.Text = text
	return p, p.fill(blocks, attachments)
}

func (s *Server) has(ts string) bool {
	for _, p := range s.Posts() {
		if p.TS == ts {
			return true
		}
	}
	return false
}

// fill checks and takes what is shown.
func (p *Post) fill(blocks []block, attachments []attachment) error {
	if p.Text == "" && len(blocks) == 0 {
		return errors.New("no_text")
	}
	total := 0
	for _, list := range append([][]block{blocks}, blocksOf(attachments)...) {
		if len(list) > 50 {
			return errors.New("invalid_blocks")
		}
		for _, b := range list {
			total += len(utf16.Encode([]rune(b.text())))
			if !b.isFine() {
				return errors.New("invalid_blocks")
			}
		}
	}
	if total > 13000 {
		return errors.New("msg_blocks_too_long")
	}
	for _, b := range blocks {
		p.Title += b.text()
		p.Struck = b.isStruck()
	}
	for _, a := range attachments {
		p.Color = a.Color
		for _, b := range a.Blocks {
			p.Sections = append(p.Sections, b.text())
			if b.Text.Type == "mrkdwn" {
				p.Marked = append(p.Marked, b.text())
			}
		}
	}
	return nil
}

func blocksOf(list []attachment) [][]block {
	var blocks [][]block
	for _, a := range list {
		blocks = append(blocks, a.Blocks)
	}
	return blocks
}

// String is p as a person would read it.
func (p Post) String() string {
	return p.Title + "\n" + strings.Join(p.Sections, "\n")
}
