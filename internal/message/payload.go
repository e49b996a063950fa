package message

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// At is when what t tells happened.
func (t *Telling) At() time.Time {
	if t.Transition != nil && t.Row.Kind != store.KindReminder {
		return t.Transition.At.UTC()
	}
	return t.Row.CreatedAt.UTC()
}

// A Payload is the data of one CloudEvent.
type Payload struct {
	Kind     verdict.Kind    `json:"kind"`
	Class    diff.Class      `json:"class"`
	Verdict  verdict.Verdict `json:"verdict,omitzero"`
	Text     string          `json:"text"` // for people, as other sinks show it
	Lock     string          `json:"lock,omitzero"`
	Agent    string          `json:"agent,omitzero"`
	Workflow string          `json:"workflow,omitzero"`
	Owner    string          `json:"owner,omitzero"`
	Findings []Finding       `json:"findings,omitzero"`
	More     int             `json:"more,omitzero"` // findings that are left out
	// Compatible is how many compatible findings stand beside worse ones.
	Compatible int       `json:"compatible,omitzero"`
	Fallback   string    `json:"fallback,omitzero"`
	Since      time.Time `json:"first_seen,omitzero"`
	Ended      time.Time `json:"ended,omitzero"`
	Episode    uint64    `json:"episode,omitzero"`
	Seq        uint64    `json:"seq,omitzero"`
	Reminder   int       `json:"reminder,omitzero"` // which one it is
	URL        string    `json:"url,omitzero"`
	Command    string    `json:"command,omitzero"`
	Key        string    `json:"key,omitzero"`
}

// NewPayload is what t says for programs; m is its message.
func NewPayload(t *Telling, m *Message) *Payload {
	p := &Payload{
		Kind: t.Row.Kind, Class: m.Class, Text: m.Text(), Findings: m.Findings, More: m.More, Compatible: m.Compatible,
		Lock: t.Row.Lock, Episode: t.Row.Episode, Seq: t.Row.Seq, Reminder: t.Row.Ordinal, Key: t.Row.Key,
	}
	if l := t.Lock; l != nil {
		p.Verdict = l.State.Verdict
		p.Workflow, p.Owner, p.Fallback = Line(l.Workflow, NameWidth), Line(l.Owner, NameWidth), Line(l.Fallback, agentWidth)
	}
	if t.Episode != nil {
		p.Since, p.Ended = t.Episode.OpenedAt.UTC(), t.Episode.ClosedAt
	}
	for _, f := range append(m.Head, m.Foot...) {
		switch {
		case f.Label == "agent":
			p.Agent = f.Text
		case f.Link != "":
			p.URL = f.Link
		case f.Code:
			p.Command = f.Text
		}
	}
	return p
}
