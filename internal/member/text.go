// Package member gathers members of a card by JSON pointers that have names
// instead of indexes, so that a reordered card gives the same: its texts without
// repeating them, and what its schema does not know.
package member

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/set"
)

// A Text stands for a free text of the card without repeating it.
type Text struct {
	// Digest is "sha256:" and 64 hex digits over its UTF-8 bytes. A list of
	// texts (tags, examples) is a set: its digest is over the sorted JSON array
	// of its members, each once, in the form of RFC 8785.
	Digest string `json:"digest"`
	// Hidden are the invisible characters in it, each once, as "U+200B",
	// sorted; [card.IsHidden] says which those are.
	Hidden []string       `json:"hidden,omitzero"`
	Extra  jsontext.Value `json:",embed"`
}

// Texts gathers the texts of one card; make it with [NewTexts].
type Texts struct {
	free map[string]Text
	// hidden are short members that are kept for their invisible characters
	// alone. Interfaces of one binding and version share a pointer.
	hidden map[string][]string
}

// NewTexts has room for about n texts.
func NewTexts(n int) Texts {
	return Texts{free: make(map[string]Text, n), hidden: map[string][]string{}}
}

// Add notes a free text; an absent one is none.
func (t Texts) Add(pointer, s string) {
	if s != "" {
		t.free[pointer] = textOf(s)
	}
}

// AddList notes a set of free texts as one.
func (t Texts) AddList(pointer string, list []string) {
	if len(list) > 0 {
		t.free[pointer] = textOfList(list)
	}
}

// AddHidden notes a member only if it holds invisible characters.
func (t Texts) AddHidden(pointer, s string) {
	if len(card.Hidden(s)) > 0 {
		t.hidden[pointer] = append(t.hidden[pointer], s)
	}
}

// Finish returns what was gathered, by pointer. Nothing is added afterwards.
func (t Texts) Finish() map[string]Text {
	for pointer, list := range t.hidden {
		if different := set.Of(list); len(different) == 1 {
			t.free[pointer] = textOf(different[0])
		} else {
			t.free[pointer] = textOfList(different)
		}
	}
	return t.free
}

func textOf(s string) Text {
	out := Text{Digest: card.Sum([]byte(s))}
	if hidden := card.Hidden(s); len(hidden) > 0 {
		out.Hidden = hidden
	}
	return out
}

func textOfList(list []string) Text {
	list = set.Of(list)
	var hidden []string
	for _, s := range list {
		hidden = append(hidden, card.Hidden(s)...)
	}
	slices.Sort(hidden)
	return Text{Digest: card.Sum(jsondoc.CanonicalTexts(list)), Hidden: slices.Compact(hidden)}
}
