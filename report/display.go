package report

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
)

// maxListed is how many entries of a list are shown.
const maxListed = 20

// display shows a was or now on one line: a text as it is, a list of texts with
// commas, anything else as JSON. What looks like a secret in a URL stays out, as
// it does of the messages of findings: people paste what they read.
func display(v any) string {
	data, err := json.Marshal(v, json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.EscapeForHTML(false))
	if err != nil {
		return "(unreadable)"
	}
	data = []byte(redact.Text(string(data)))
	if s, ok := asText(data, ""); ok {
		return cut(s, valueWidth)
	}
	if string(data) == "null" {
		return "(nothing)"
	}
	var list []jsontext.Value
	if json.Unmarshal(data, &list, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return cut(Line(string(data)), valueWidth)
	}
	return displayList(list)
}

func displayList(list []jsontext.Value) string {
	if len(list) == 0 {
		return "(none)"
	}
	var b strings.Builder
	for i, e := range list {
		s, ok := asText(e, `("[{,`)
		if !ok {
			s = Line(string(e))
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cut(s, valueWidth))
		if left := len(list) - 1 - i; left > 0 && (i+1 == maxListed || b.Len() > 2*valueWidth) {
			fmt.Fprintf(&b, " … %d more", left)
			break
		}
	}
	return b.String()
}

// asText shows a JSON string: bare, or quoted where without quotes it would be
// taken for something else, as with any of the characters in odd.
func asText(data jsontext.Value, odd string) (string, bool) {
	var s string
	if data.Kind() != '"' || json.Unmarshal(data, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return "", false
	}
	if s == "" || strings.TrimSpace(s) != s || strings.HasPrefix(s, "(") || strings.ContainsAny(s, odd) {
		return `"` + Line(s) + `"`, true
	}
	return Line(s), true
}

// whenUndecided says what to do about the state of a lock that is not drift; ""
// where that is not known.
func whenUndecided(l *Lock) string {
	if l.State == card.Invalid && l.Identity != "" {
		return "Run a2alock validate on the agent with the lock's --identity, and send what it says to whoever runs it."
	}
	return map[card.State]string{
		"never-checked": "Put the card where it is looked for, or leave out --cards: the agent is asked then.",
		"unreachable":   "Check again in a while. If it stays, ask whoever runs the agent; if the address was refused, see network in a2alock.yaml.",
		"auth-required": "Where the lock names an identity, see that its credential is still good; else ask whoever runs the agent who may read its card.",
		"not-found":     "Find out where the card has gone, and pin it from there.",
		"not-json":      "Look at what the URL answers with; a proxy or a login page is the usual cause.",
		card.NotACard:   "Look at what the URL answers with, and pin the agent from the URL of its card.",
		card.Invalid:    "Run a2alock validate on the agent, and send what it says to whoever runs it.",
		diff.NoBase:     "Mend the earlier side, as the detail says: what changed cannot be told without it.",
		card.TooLarge:   "If the card is meant to be that large, raise limits in a2alock.yaml.",
	}[l.State]
}
