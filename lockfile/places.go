package lockfile

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/duration"
)

// A place holds what the Go types cannot say of one place in a lock.
type place struct {
	required []string                 // members that must be there
	filled   string                   // what at least one of must be there
	check    func(text string) string // the fault of a value, "" for none
	list     bool                     // an array whose order has a meaning
}

// places are by JSON pointer, with * for any name or index. Arrays are sets
// unless they are marked as lists (docs/design.md, Lockfile).
var places = map[string]place{
	"":              {required: []string{"agent", "requires"}},
	"/lock_version": {check: lockVersion},
	"/agent":        {check: agentURL},
	"/fallback":     {check: noSecret},
	"/pinned_at":    {check: moment},

	"/card_digest":    {check: digest},
	"/profile_digest": {check: digest},

	"/interface":         {required: []string{"binding", "version"}},
	"/interface/binding": {check: notEmpty},
	"/interface/version": {check: majorMinor},
	"/interface/url":     {check: noSecret},

	"/requires":                   {required: []string{"skills"}},
	"/requires/skills":            {filled: "skill"},
	"/requires/skills/*":          {required: []string{"input", "output"}},
	"/requires/skills/*/input":    {filled: "media type"},
	"/requires/skills/*/input/*":  {check: notEmpty},
	"/requires/skills/*/output":   {filled: "media type", list: true},
	"/requires/skills/*/output/*": {check: notEmpty},
	"/requires/extensions/*":      {check: notEmpty},

	"/profile/interfaces":        {list: true},
	"/profile/skills/*/security": {list: true},
	"/profile/other_skills/*":    {check: digest},
	"/profile/texts/*":           {required: []string{"digest"}},
	"/profile/texts/*/digest":    {check: digest},
	"/verified/*":                {required: []string{"result"}, check: notEmpty},
	"/verified/*/at":             {check: momentOrDay},
	"/verified/*/profile_digest": {check: digest},
	"/trust/signature":           {check: oneOf("ignore", "if-present", "require")},
	"/policy/text_policy":        {check: oneOf("off", "compatible", "review")},
	"/policy/max_lock_age":       {check: age},
	"/policy/max_evidence_age":   {check: age},
	"/waivers/*":                 {required: []string{"rule"}},
	"/waivers/*/rule":            {check: notEmpty},
}

func lockVersion(text string) string {
	v, err := strconv.Atoi(text)
	switch {
	case err != nil || v < 1:
		return fmt.Sprintf("%s: want 1", clip(text))
	case v > 1:
		return fmt.Sprintf("%d: written by a newer a2alock; this one reads up to 1", v)
	}
	return ""
}

func notEmpty(text string) string {
	if text == "" {
		return "empty"
	}
	return ""
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func digest(text string) string {
	if !digestForm.MatchString(text) {
		return quote(text) + ": want sha256: and 64 hex digits"
	}
	return ""
}

var majorMinorForm = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func majorMinor(text string) string {
	if !majorMinorForm.MatchString(text) {
		return quote(text) + ": want Major.Minor such as 1.0"
	}
	return ""
}

func moment(text string) string {
	// time.Parse would let hours of one digit and a comma pass.
	if err := new(time.Time).UnmarshalText([]byte(text)); err != nil {
		return quote(text) + ": want a time such as 2026-10-02T08:30:00Z"
	}
	return ""
}

func momentOrDay(text string) string {
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return ""
	}
	return moment(text)
}

// age is a duration as in a2alock.yaml, above zero.
func age(text string) string {
	if d, err := duration.Parse(text); err != nil || d <= 0 {
		return quote(text) + ": want a duration such as 90d or 12h"
	}
	return ""
}

func oneOf(words ...string) func(string) string {
	return func(text string) string {
		if !slices.Contains(words, text) {
			return fmt.Sprintf("%s: want one of %s", quote(text), strings.Join(words, ", "))
		}
		return ""
	}
}

const secretFault = "credentials in the URL: a lock holds no secret"

// noSecret refuses an address with userinfo.
func noSecret(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return secretFault
	}
	return ""
}

func agentURL(text string) string {
	if fault := noSecret(text); fault != "" {
		return fault
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return quoteURL(text) + ": want the card's absolute http or https URL"
	case strings.Contains(text, "#"):
		return quoteURL(text) + ": a card's URL has no fragment"
	}
	return ""
}

// quoteURL quotes what may be shown of a URL: queries hold tokens, and what
// stands before an @ may be a password although the URL is too odd to parse.
func quoteURL(text string) string {
	if strings.Contains(text, "@") {
		return "the address"
	}
	before, _, query := strings.Cut(text, "?")
	if query {
		before += "?…"
	}
	return quote(before)
}

// quote shows foreign text in one line of bounded length.
func quote(text string) string { return strconv.Quote(clip(text)) }

func clip(text string) string {
	if r := []rune(text); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return text
}
