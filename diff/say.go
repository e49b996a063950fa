package diff

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
)

// byRule stands for the class of the rule itself, in findings whose check has
// no reason to say otherwise.
const byRule Class = -1

// found makes a finding of the class of its rule.
func found(path string, was, now any, format string, args ...any) Finding {
	return Finding{Class: byRule, Path: path, Was: was, Now: now, Message: fmt.Sprintf(format, args...)}
}

// of says which skill f affects.
func (f Finding) of(skill string) Finding {
	f.Skills = []string{skill}
	return f
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// pointer makes an RFC 6901 pointer of unescaped tokens.
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		_, _ = escaper.WriteString(&b, t) // a Builder never fails
	}
	return b.String()
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// inside takes the name and what follows it out of a pointer like
// /skills/NAME/rest; ok is false when p lies elsewhere.
func inside(p, collection string) (name, rest string, ok bool) {
	p, ok = strings.CutPrefix(p, collection)
	if !ok {
		return "", "", false
	}
	name, rest, _ = strings.Cut(p, "/")
	return unescaper.Replace(name), rest, true
}

// Lengths at which messages are cut; Was and Now of a finding keep all.
const (
	longestText = 120
	longestList = 5
)

// quote shows foreign text in a message.
func quote(s string) string {
	if len(s) > longestText {
		cut := longestText
		for cut > 0 && s[cut]&0xC0 == 0x80 { // not in the middle of a rune
			cut--
		}
		s = s[:cut] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// list shows several foreign texts in a message.
func list(s []string) string {
	var b strings.Builder
	for i, item := range s {
		if i == longestList {
			fmt.Fprintf(&b, " and %d more", len(s)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(item))
	}
	return b.String()
}

// verb picks the word for one or for many.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sameJSON compares two values however they are written: a profile that was
// read from a lock has its raw members indented.
func sameJSON(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, err := card.Canonical(a)
	if err != nil {
		return false
	}
	y, err := card.Canonical(b)
	return err == nil && bytes.Equal(x, y)
}

// raw is a JSON value for a finding; nil where there is none.
func raw(v jsontext.Value) any {
	if len(v) == 0 {
		return nil
	}
	return v
}
