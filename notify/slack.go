package notify

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/store"
)

// A slackSink posts to a channel. A bot's messages about one episode stand in
// one thread, whose first message is edited when the episode ends.
type slackSink struct {
	client slack.Client
	public string
}

// The colours at the side of a message.
const (
	red    = "#c62828"
	yellow = "#f9a825"
	green  = "#2e7d32"
)

func (s *slackSink) send(ctx context.Context, d *delivery) (store.Thread, error) {
	if len(d.messages) > 1 {
		at, err := s.client.Post(ctx, s.digest(d), slack.Thread{})
		return store.Thread{Channel: at.Channel, TS: at.TS, Shared: true}, err
	}
	m := slackMessage(d.messages[0])
	if mayBeRepeat(d.tellings[0]) {
		m.Head = append(m.Head, slack.Section{Label: "note", Text: "this may be a repeat: Slack did not say whether it took the message before"})
	}
	if !s.client.IsBot() || d.thread.TS == "" {
		at, err := s.client.Post(ctx, m, slack.Thread{})
		return store.Thread{Channel: at.Channel, TS: at.TS}, err
	}
	thread := slack.Thread{Channel: d.thread.Channel, TS: d.thread.TS}
	if d.messages[0].Over && d.opening != nil && !d.thread.Shared {
		// The edit comes first: it can be done twice, the line in the thread
		// cannot.
		opening := slackMessage(d.opening)
		opening.Over, opening.Color = true, green
		opening.Head = append([]slack.Section{{Label: "over", Text: d.messages[0].Title}}, opening.Head...)
		if err := s.client.Update(ctx, opening, thread); err != nil {
			return d.thread, err
		}
	}
	if d.messages[0].Over {
		m = &slack.Message{Title: m.Title, Color: green, Head: m.Foot[:min(1, len(m.Foot))]}
	}
	m.Broadcast = d.messages[0].Kind == verdict.Worsened
	_, err := s.client.Post(ctx, m, thread)
	return d.thread, err
}

// mayBeRepeat reports whether an earlier attempt may have been taken. Slack has
// no id by which it would drop the second.
func mayBeRepeat(t *telling) bool {
	return t.unsure || t.Row.Attempts > 0 && strings.HasPrefix(t.Row.Reason, slackFailed)
}

// slackFailed begins the reason of a row after an answer that says nothing of
// the message.
const slackFailed = "Slack answered 5"

func slackMessage(m *message.Message) *slack.Message {
	out := &slack.Message{
		Title: m.Title, Color: colour(m), Head: slackFacts(m.Head), Foot: slackFacts(m.Foot),
		More: m.More, Things: "findings",
	}
	for i := range m.Findings {
		f := &m.Findings[i]
		out.List = append(out.List, slack.Section{Label: f.Class + " " + f.Rule, Text: f.Text()})
	}
	if m.Compatible > 0 {
		out.Foot = append([]slack.Section{{Text: m.Beside()}}, out.Foot...)
	}
	return out
}

func slackFacts(facts []message.Fact) []slack.Section {
	var list []slack.Section
	for _, f := range facts {
		list = append(list, slack.Section{Label: f.Label, Text: f.Text, Code: f.Code, Link: f.Link})
	}
	return list
}

func colour(m *message.Message) string {
	switch {
	case m.Over || m.Class == diff.Compatible:
		return green
	case m.Class == diff.Breaking:
		return red
	}
	return yellow
}

// digest is many messages as one, the worst first.
func (s *slackSink) digest(d *delivery) *slack.Message {
	out := &slack.Message{Things: "messages", Color: green}
	locks, worst, most := map[string]bool{}, diff.Compatible, digestFindings
	if len(d.messages) > digestMessages {
		most = 1
	}
	for _, class := range []diff.Class{diff.Breaking, diff.Review, diff.Compatible} {
		for i, m := range d.messages {
			if m.Class != class {
				continue
			}
			if out.Color == green { // the worst that is not over
				out.Color = colour(m)
			}
			worst = max(worst, class)
			if lock := d.tellings[i].Row.Lock; lock != "" {
				locks[lock] = true
			}
			out.List = append(out.List, slack.Section{Text: digested(m, most)})
		}
	}
	plural := "s"
	if len(locks) == 1 {
		plural = ""
	}
	out.Title = fmt.Sprintf("%s: %d messages about %d lock%s", worst, len(d.messages), len(locks), plural)
	if s.public != "" {
		out.Foot = append(out.Foot, slack.Section{Label: "more", Text: s.public + "/v1/locks", Link: s.public + "/v1/locks"})
	}
	out.Foot = append(out.Foot, slack.Section{Label: "try", Text: "a2alock status", Code: true})
	return out
}

// What of one message stands in a digest: so many findings, one where there are
// more messages than digestMessages, each of so many characters.
const (
	digestFindings = 3
	digestMessages = 8
	digestWidth    = 240
)

// digested is a message in a few lines: verdict, agent, workflow, owner, the
// worst findings with what to do, and the command.
func digested(m *message.Message, most int) string {
	var b strings.Builder
	b.WriteString(m.Title)
	for _, f := range m.Head {
		if f.Label == "owner" || f.Label == "verdict" || f.Label == "do" {
			b.WriteString("\n" + f.Label + ": " + report.Excerpt(f.Text, digestWidth))
		}
	}
	shown := 0
	for i := range m.Findings {
		f := &m.Findings[i]
		if shown == most || shown > 0 && f.Class != m.Findings[0].Class {
			break
		}
		b.WriteString("\n" + f.Class + " " + f.Rule + ": " + report.Excerpt(f.Text(), digestWidth))
		shown++
	}
	if more := len(m.Findings) - shown + m.More + m.Compatible; more > 0 {
		fmt.Fprintf(&b, "\n… %d more findings", more)
	}
	for _, f := range m.Foot {
		if f.Code {
			b.WriteString("\n" + f.Text)
		}
	}
	return b.String()
}
