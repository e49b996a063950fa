package lockfile

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/duration"
	"github.com/a2alock/a2alock/internal/shape"
)

// places are by JSON pointer, with * for any name or index. Arrays are sets
// unless they are marked as lists (docs/design.md, Lockfile).
func places() map[string]shape.Place {
	places := map[string]shape.Place{
		"":              {Required: []string{"agent", "requires"}},
		"/lock_version": {Check: lockVersion},
		"/agent":        {Check: agentURL},
		"/fallback":     {Check: noSecret},
		"/pinned_at":    {Check: moment},

		"/card_digest":    {Check: digest},
		"/profile_digest": {Check: digest},

		"/interface":         {Required: []string{"binding", "version"}},
		"/interface/binding": {Check: notEmpty},
		"/interface/version": {Check: majorMinor},
		"/interface/url":     {Check: noSecret},

		"/requires":                   {Required: []string{"skills"}},
		"/requires/skills":            {Filled: "skill"},
		"/requires/skills/*":          {Required: []string{"input", "output"}},
		"/requires/skills/*/input":    {Filled: "media type"},
		"/requires/skills/*/input/*":  {Check: notEmpty},
		"/requires/skills/*/output":   {Filled: "media type", List: true},
		"/requires/skills/*/output/*": {Check: notEmpty},
		"/requires/extensions/*":      {Check: notEmpty},

		"/profile/provider/url":      {Check: noSecret},
		"/profile/interface/url":     {Check: noSecret},
		"/profile/interfaces":        {List: true},
		"/profile/interfaces/*/url":  {Check: noSecret},
		"/profile/skills/*/security": {List: true},
		"/profile/other_skills/*":    {Check: digest},
		"/profile/texts/*":           {Required: []string{"digest"}},
		"/profile/texts/*/digest":    {Check: digest},

		"/verified/*":                {Required: []string{"result"}, Check: notEmpty, Object: reflect.TypeFor[evidence]()},
		"/verified/*/at":             {Check: momentOrDay},
		"/verified/*/profile_digest": {Check: digest},
		"/trust/signature":           {Check: oneOf("ignore", "if-present", "require")},
		"/policy/text_policy":        {Check: oneOf("off", "compatible", "review")},
		"/policy/max_lock_age":       {Check: age},
		"/policy/max_evidence_age":   {Check: age},
		"/waivers":                   {By: []string{"rule", "path"}},
		"/waivers/*":                 {Required: []string{"rule"}},
		"/waivers/*/rule":            {Check: notEmpty},
	}
	// The addresses of schemes, which a profile has with their names and where
	// they are used.
	for _, scheme := range []string{"/profile/schemes/*", "/profile/skills/*/security/*/schemes/*"} {
		for _, member := range []string{
			"/oauth2_metadata_url", "/openid_connect_url", "/flows/*/authorization_url",
			"/flows/*/token_url", "/flows/*/refresh_url", "/flows/*/device_authorization_url",
		} {
			places[scheme+member] = shape.Place{Check: noSecret}
		}
	}
	return places
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

func digest(text string) string {
	hex, ok := strings.CutPrefix(text, "sha256:")
	if !ok || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return quote(text) + ": want sha256: and 64 hex digits"
	}
	return ""
}

func majorMinor(text string) string {
	major, minor, ok := strings.Cut(text, ".")
	if !ok || major == "" || minor == "" || strings.Trim(major+minor, "0123456789") != "" {
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

// age is off, or a duration above zero, as in a2alock.yaml.
func age(text string) string {
	if d, err := duration.Parse(text); text != "off" && (err != nil || d <= 0) {
		return quote(text) + ": want off, or a duration such as 90d or 12h"
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

// noSecret refuses an address with userinfo, also one too odd to parse.
func noSecret(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return secretFault
	}
	if _, rest, ok := strings.Cut(text, "//"); ok {
		authority, _, _ := strings.Cut(rest, "/")
		authority, _, _ = strings.Cut(authority, "?")
		authority, _, _ = strings.Cut(authority, "#")
		if strings.Contains(authority, "@") {
			return secretFault
		}
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
