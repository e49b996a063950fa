package secret

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A Veil takes credentials out of texts; make it with [Over]. It is safe for
// concurrent use.
type Veil struct {
	whole *strings.Replacer
	names *strings.Replacer // of long ones alone
	cut   map[string][]form // by the first bytes: where a text was cut off
}

// A form is one way in which a credential stands in messages and in JSON.
type form struct{ text, shown string }

const (
	visible    = 4 // of a credential of fewer letters there is nothing to hide
	head       = 8 // of one that was cut off this much is enough to know it
	longestCut = 330
)

// Over makes a veil for what was found.
func Over(hits []Hit) *Veil {
	var forms []form
	for _, h := range hits {
		if len(h.raw) >= visible {
			forms = append(forms, formsOf(h)...)
		}
	}
	slices.SortStableFunc(forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	v := &Veil{cut: map[string][]form{}}
	var pairs, long []string
	for _, f := range forms {
		pairs = append(pairs, f.text, f.shown)
		if len(f.text) >= short {
			long = append(long, f.text, f.shown)
		}
		if len(f.text) > head {
			v.cut[f.text[:head]] = append(v.cut[f.text[:head]], f)
		}
	}
	v.whole, v.names = strings.NewReplacer(pairs...), strings.NewReplacer(long...)
	return v
}

func formsOf(h Hit) []form {
	list := []form{{h.raw, h.Shown}}
	texts := []string{strconv.Quote(h.raw)}
	if text, err := json.Marshal(h.raw); err == nil {
		texts = append(texts, string(text))
	}
	for _, q := range texts {
		if q = q[1 : len(q)-1]; q != h.raw {
			list = append(list, form{q, h.Shown})
		}
	}
	return list
}

// Hide is s with what was found taken out of it, also where it stands quoted or
// was cut off with a "…".
func (v *Veil) Hide(s string) string {
	s = v.whole.Replace(s)
	if len(v.cut) == 0 || !strings.Contains(s, "…") {
		return s
	}
	var b strings.Builder
	for rest := s; ; {
		before, after, found := strings.Cut(rest, "…")
		if !found {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(v.uncut(before))
		rest = after
	}
}

// uncut is s, which ended in "…", without the beginning of a credential there.
func (v *Veil) uncut(s string) string {
	for i := max(0, len(s)-longestCut); i+head <= len(s); i++ {
		for _, f := range v.cut[s[i:i+head]] {
			if strings.HasPrefix(f.text, s[i:]) {
				return s[:i] + f.shown
			}
		}
	}
	return s + "…"
}

// Name is a pointer with what was found taken out of it, words aside that a
// member may well be called.
func (v *Veil) Name(s string) string { return v.names.Replace(s) }
