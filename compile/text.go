package compile

import (
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/set"
)

// texts gathers [Profile.Texts].
type texts struct {
	free map[string]Text
	// hidden are short members that are kept for their invisible characters
	// alone. Interfaces of one binding and version share a pointer.
	hidden map[string][]string
}

func newTexts(skills int) texts {
	return texts{free: make(map[string]Text, 2+4*skills), hidden: map[string][]string{}}
}

// add notes a free text; an absent one is none.
func (t texts) add(pointer, s string) {
	if s != "" {
		t.free[pointer] = textOf(s)
	}
}

// addList notes a set of free texts as one.
func (t texts) addList(pointer string, list []string) {
	if len(list) > 0 {
		t.free[pointer] = textOfList(list)
	}
}

// addHidden notes a member only if it holds invisible characters.
func (t texts) addHidden(pointer, s string) {
	if len(card.Hidden(s)) > 0 {
		t.hidden[pointer] = append(t.hidden[pointer], s)
	}
}

func (t texts) finish() map[string]Text {
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
