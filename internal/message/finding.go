package message

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A Finding is one difference as people read it.
type Finding struct {
	Rule    string `json:"rule"`
	Class   string `json:"class"`
	Message string `json:"message"`
	Was     string `json:"was,omitzero"`
	Now     string `json:"now,omitzero"`
	Do      string `json:"do,omitzero"`
	New     bool   `json:"new,omitzero"` // to an episode that had begun before
}

// findingsOf are the findings that t tells: those of its transition, or, in a
// message about something else, those that stand.
func findingsOf(t *Telling) []diff.Finding {
	if t.Transition != nil && len(t.Transition.Findings) > 0 {
		return t.Transition.Findings
	}
	return t.Lock.State.Findings
}

func (m *Message) findings(t *Telling) {
	news := newsOf(t)
	list := slices.DeleteFunc(slices.Clone(findingsOf(t)), func(f diff.Finding) bool { return f.Waived != nil })
	if all := len(list); slices.ContainsFunc(list, func(f diff.Finding) bool { return counts(&f) }) {
		list = slices.DeleteFunc(list, func(f diff.Finding) bool { return !counts(&f) })
		m.Compatible = all - len(list)
	}
	slices.SortStableFunc(list, func(a, b diff.Finding) int { return cmp.Compare(b.Class, a.Class) })
	if m.More = max(0, len(list)-mostFindings); m.More > 0 {
		list = list[:mostFindings]
	}
	for i := range list {
		f := &list[i]
		told := Finding{Rule: Line(f.Rule, NameWidth), Class: f.Class.String(), Message: Line(f.Message, TextWidth), New: isNew(f, news)}
		if f.Was != nil || f.Now != nil {
			told.Was, told.Now = value(f.Was), value(f.Now)
		}
		if rule, ok := diff.Lookup(f.Rule); ok && f.Class > diff.Compatible {
			told.Do = rule.Do
		}
		m.Findings = append(m.Findings, told)
	}
}

// Text is the finding on one line, the class and the rule aside. Of one that
// needs nothing done, and of digests, the message says enough.
func (f *Finding) Text() string {
	s := f.Message
	if f.New {
		s = "new: " + s
	}
	if f.Do != "" && !strings.HasPrefix(f.Was+f.Now, "sha256:") && f.Was+f.Now != "" && !(says(s, f.Was) && says(s, f.Now)) {
		s += " (" + f.Was + " → " + f.Now + ")"
	}
	if f.Do == "" {
		return s
	}
	return strings.TrimSuffix(s, ".") + ". " + f.Do
}

// nothing stands for a side of a finding that is not there.
const nothing = "nothing"

// says reports whether the text holds the value as words of its own.
func says(text, value string) bool {
	if value == "" || value == nothing {
		return true
	}
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(value):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		at += i + len(value)
	}
}

// counts reports whether the finding speaks against the agent.
func counts(f *diff.Finding) bool { return f.Waived == nil && f.Class > diff.Compatible }

// newsOf are the marks of the findings that t tells and its episode had not told
// before, sorted; nil where it began with t, or where that is not known any more.
func newsOf(t *Telling) []string {
	e := t.Lock.State.Episode
	if t.Transition == nil || t.Row.Kind != verdict.Changed && t.Row.Kind != verdict.Worsened ||
		e == nil || e.NewsBy != t.Transition.Seq || e.News > len(e.Told) {
		return nil
	}
	return slices.Sorted(slices.Values(e.Told[len(e.Told)-e.News:]))
}

// isNew reports whether a part of f is among the news.
func isNew(f *diff.Finding, news []string) bool {
	return slices.ContainsFunc(findings.Marks([]diff.Finding{*f}), func(mark string) bool {
		_, found := slices.BinarySearch(news, mark)
		return found
	})
}
