// Package message says what a row of the outbox is about, for people and for
// programs: verdict, agent and workflow, owner, findings with what to do, and
// where to go on, in this order.
package message

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/store"
)

// The widths, in characters, at which text is cut; the number of findings that
// a message has.
const (
	NameWidth    = 120
	agentWidth   = 200
	TextWidth    = 400
	valueWidth   = 160
	mostFindings = 100
)

// A Message is what one row says, in the order in which it is read. Its texts
// are safe to print: foreign ones are lines of package report, without secrets.
type Message struct {
	Kind  verdict.Kind
	Class diff.Class // the verdict's, also where the message is about something else
	// Over is whether what it tells of has ended.
	Over  bool
	Title string // verdict, agent and workflow
	Head  []Fact
	// Findings are worst first; More is how many are left out, and Compatible how
	// many compatible ones beside worse.
	Findings   []Finding
	More       int
	Compatible int
	Foot       []Fact
}

// A Fact is one labelled line.
type Fact struct {
	Label, Text string
	Code        bool   // Text is a command
	Link        string // our own URL, that Text stands for
}

// A Telling is a row with what it is about. Lock, Episode and Transition are
// nil where there are none.
type Telling struct {
	Row        store.Row
	Lock       *store.Lock
	Episode    *store.Episode
	Transition *store.Transition
	// Unheard is whether a resolve comes alone: its opening was never delivered.
	Unheard bool
	Now     time.Time
}

// A Renderer makes messages of rows.
type Renderer struct {
	PublicURL string // of the daemon's API, without a slash at the end; "": no links
}

// Message renders t. Its title is never empty, save for a row that nobody could
// have made.
func (r Renderer) Message(t *Telling) *Message {
	if t.Lock == nil {
		m := &Message{Kind: t.Row.Kind, Class: t.Row.Class, Title: Line(t.Row.Text, TextWidth)}
		if m.Title != "" {
			m.Title = "a2alockd: " + m.Title
		}
		m.note(&t.Row)
		return m
	}
	l := t.Lock
	m := &Message{Kind: t.Row.Kind, Class: classNow(t), Over: t.Row.Kind == verdict.Resolved}
	agent := report.Excerpt(redact.URL(l.URL), agentWidth)
	what := headline(t)
	if what == "" {
		return m
	}
	m.Title = what + ": " + agent
	if l.Workflow != "" {
		m.Title += " for workflow " + Line(l.Workflow, NameWidth)
	}
	m.fact("verdict", standsFor(t))
	m.fact("agent", agent)
	m.fact("workflow", Line(l.Workflow, NameWidth))
	m.fact("owner", Line(l.Owner, NameWidth))
	if t.Transition != nil {
		m.fact("why", Line(t.Transition.Detail, TextWidth))
	}
	if do := whatToDo(t); do != "" {
		if seen := l.State.ValidatedAt; !seen.IsZero() {
			m.fact("last good look", moment(seen))
		}
		m.fact("do", do)
	}
	m.note(&t.Row)
	if !m.Over {
		m.findings(t)
		m.foot("fallback", Line(l.Fallback, agentWidth))
	}
	if t.Episode != nil {
		m.foot("first seen", moment(t.Episode.OpenedAt))
	}
	m.Foot = append(m.Foot, r.links(l)...)
	return m
}

// note says why a message comes to a sink that it was not meant for.
func (m *Message) note(row *store.Row) {
	switch {
	case row.Via == "":
	case row.Lock == "":
		m.fact("note", "sent here in place of sink "+row.Via)
	default:
		m.fact("note", Line(row.Text, TextWidth))
	}
}

func (r Renderer) links(l *store.Lock) []Fact {
	var list []Fact
	if r.PublicURL != "" {
		u := r.PublicURL + "/v1/locks/" + url.PathEscape(l.ID)
		list = append(list, Fact{Label: "more", Text: u, Link: u})
	}
	return append(list, Fact{Label: "try", Text: "a2alock check " + Line(shellWord(cmp.Or(l.Path, l.ID)), TextWidth), Code: true})
}

func (m *Message) fact(label, text string) {
	if text != "" {
		m.Head = append(m.Head, Fact{Label: label, Text: text})
	}
}

func (m *Message) foot(label, text string) {
	if text != "" {
		m.Foot = append(m.Foot, Fact{Label: label, Text: text})
	}
}

// classNow is the class that t is coloured by.
func classNow(t *Telling) diff.Class {
	switch {
	case t.Transition != nil && store.TellsFindings(t.Row.Kind):
		return t.Transition.Class
	case t.Row.Kind == verdict.Resolved:
		return diff.Compatible
	}
	return max(t.Row.Class, verdictClass(t.Lock.State.Verdict))
}

func verdictClass(v verdict.Verdict) diff.Class {
	class, err := diff.ParseClass(string(v))
	if err != nil {
		return diff.Compatible
	}
	return class
}

func lasting(t *Telling, before string) string {
	if t.Episode == nil {
		return ""
	}
	end := t.Episode.ClosedAt
	if end.IsZero() {
		end = t.Now
	}
	return before + span(end.Sub(t.Episode.OpenedAt))
}

// span is d in its two largest units: "4 min", "3 h 12 min", "2 d 4 h".
func span(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size {
			continue
		}
		s := fmt.Sprintf("%d %s", d/u.size, u.name)
		if i+1 < len(units)-1 && d%u.size >= units[i+1].size {
			s += fmt.Sprintf(" %d %s", d%u.size/units[i+1].size, units[i+1].name)
		}
		return s
	}
	return "less than a second"
}

func moment(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

// Beside counts the compatible findings beside worse ones; "" where there are
// none.
func (m *Message) Beside() string {
	switch m.Compatible {
	case 0:
		return ""
	case 1:
		return "and 1 compatible one"
	}
	return fmt.Sprintf("and %d compatible ones", m.Compatible)
}

// Text is the message for a log: a fact or a finding a line.
func (m *Message) Text() string {
	var b strings.Builder
	b.WriteString(m.Title)
	facts := func(list []Fact) {
		for _, f := range list {
			fmt.Fprintf(&b, "\n%s: %s", f.Label, f.Text)
		}
	}
	facts(m.Head)
	for i := range m.Findings {
		f := &m.Findings[i]
		fmt.Fprintf(&b, "\n%s %s: %s", f.Class, f.Rule, f.Text())
	}
	if m.More > 0 {
		fmt.Fprintf(&b, "\n… %d more findings", m.More)
	}
	if m.Compatible > 0 {
		b.WriteString("\n" + m.Beside())
	}
	facts(m.Foot)
	return b.String()
}

// Line is foreign text as one short line without secrets.
func Line(s string, width int) string {
	s = redact.Text(s) // of the whole: half an address hides less
	most := 8 * width
	if len(s) <= 4*most {
		return report.Excerpt(s, width)
	}
	// What nobody gets to see is not worth escaping.
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(s[most]); i++ {
		most++
	}
	return report.Excerpt(s[:most], width) + fmt.Sprintf(", and %d bytes", len(s)-most)
}

// value is a was or now: a text as it is, anything else as JSON.
func value(v any) string {
	if v == nil {
		return nothing
	}
	if s, ok := v.(string); ok {
		return Line(s, valueWidth)
	}
	data, err := compact(v)
	if err != nil {
		return "unreadable"
	}
	return Line(string(data), valueWidth)
}

// compact is v as JSON without a line break, as a report has it.
func compact(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// shellWord is s as a shell reads it as one word.
func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("./-_@+:,=%", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
