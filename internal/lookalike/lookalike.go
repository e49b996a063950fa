// Package lookalike tells host names that are written to be taken for others.
//
// It goes by UTS 39: the letters of one label are of one script, or of those
// that one language writes together (Latin with Han and kana, bopomofo or hangul:
// "highly restrictive"). A label that is all of another script is told too, when
// each of its letters looks like a Latin one.
package lookalike

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// maxHost is more than the 253 characters of a host take, however written:
// Punycode takes time by the square, and a card may hold any text.
const maxHost = 1024

// Host says what is odd about a host, in whichever form: a sentence for a
// finding, "" for nothing. The label in it is quoted, in both forms where they
// differ. What is too long for a host is none.
func Host(host string) string {
	if len(host) > maxHost {
		return ""
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for i, label := range labels {
		labels[i] = unicodeForm(label)
	}
	top := only(scriptsOf(labels[len(labels)-1]))
	for i, label := range labels {
		scripts := scriptsOf(label)
		if !together(scripts) {
			return fmt.Sprintf("the label %s mixes %s letters", quote(label), list(scripts))
		}
		script := only(scripts)
		// In a domain of its own script a word is a word: "оса" under "рф".
		if script == "" || script == "Latin" || script == top && i < len(labels)-1 {
			continue
		}
		if like, ok := latin(label); ok {
			return fmt.Sprintf("the label %s is all %s, and looks like %q", quote(label), script, like)
		}
	}
	return ""
}

// unicodeForm is a label as people see it; one that cannot be read stays.
func unicodeForm(label string) string {
	u, err := idna.Punycode.ToUnicode(label)
	if err != nil {
		return label
	}
	return strings.ToLower(u)
}

func quote(label string) string {
	ascii, err := idna.Punycode.ToASCII(label)
	if err != nil || ascii == label || strings.Trim(ascii, letters) != "" {
		return fmt.Sprintf("%q", label)
	}
	return fmt.Sprintf("%q (%s)", label, ascii)
}

// letters are those of a host's ASCII form; what holds others is for %q alone.
const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// writing are the scripts that are looked for first; every other is in
// [unicode.Scripts].
var writing = []string{"Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}

// scriptsOf are those of the letters in label; digits, signs and combining marks
// are of none.
func scriptsOf(label string) map[string]bool {
	found := map[string]bool{}
	for _, r := range label {
		if s := scriptOf(r); s != "Common" && s != "Inherited" {
			found[s] = true
		}
	}
	return found
}

func scriptOf(r rune) string {
	for _, s := range writing {
		if unicode.Is(unicode.Scripts[s], r) {
			return s
		}
	}
	for s, table := range unicode.Scripts { // a letter is in one of them at most
		if unicode.Is(table, r) {
			return s
		}
	}
	return "unknown"
}

// allowed are the scripts that one language writes together.
var allowed = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
}

func together(scripts map[string]bool) bool {
	if len(scripts) < 2 {
		return true
	}
	return slices.ContainsFunc(allowed, func(set []string) bool {
		for s := range scripts {
			if !slices.Contains(set, s) {
				return false
			}
		}
		return true
	})
}

// only is the script of a label that has one.
func only(scripts map[string]bool) string {
	if len(scripts) != 1 {
		return ""
	}
	for s := range scripts {
		return s
	}
	return ""
}

func list(scripts map[string]bool) string {
	names := slices.Sorted(maps.Keys(scripts))
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// alike are the letters that look like a Latin one in common typefaces, from
// the confusables of UTS 39 and what browsers add to them.
var alike = map[rune]string{
	// Cyrillic
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'н': "h", 'і': "i", 'ї': "i", 'ј': "j", 'к': "k",
	'ӏ': "l", 'м': "m", 'п': "n", 'о': "o", 'р': "p", 'ԛ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'ц': "u", 'ѵ': "v", 'ԝ': "w",
	'ш': "w", 'щ': "w", 'ѡ': "w", 'х': "x", 'у': "y", 'ү': "y", 'ў': "y", 'ь': "b", 'ъ': "b", 'ҽ': "e", 'ԍ': "g",
	// Greek
	'α': "a", 'β': "b", 'ϲ': "c", 'ε': "e", 'ι': "i", 'ί': "i", 'κ': "k", 'η': "n", 'ν': "v", 'ο': "o", 'ό': "o", 'σ': "o",
	'ρ': "p", 'τ': "t", 'υ': "u", 'ω': "w", 'χ': "x", 'γ': "y", 'ϳ': "j", 'ά': "a",
	// Armenian
	'ա': "w", 'գ': "q", 'զ': "q", 'հ': "h", 'ո': "n", 'ս': "u", 'ց': "g", 'օ': "o", 'ք': "p", 'յ': "j",
}

// latin is label as it looks in Latin letters; false where a letter of it looks
// like none, or there is none.
func latin(label string) (string, bool) {
	var b strings.Builder
	for _, r := range label {
		l, ok := alike[r]
		switch {
		case ok:
			b.WriteString(l)
		case r < 0x80:
			b.WriteRune(r)
		default:
			return "", false
		}
	}
	return b.String(), true
}
