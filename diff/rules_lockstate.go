package diff

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/lockfile"
)

// lockStateSubject is the subject of rules that speak of the lock, not of the
// card.
const lockStateSubject = "Evidence and lock state"

var lockStateRules = []Rule{
	claimRefutedRule,
	{
		ID:      "evidence-stale",
		Class:   Review,
		Title:   "the evidence for a required claim is older than max_evidence_age",
		Why:     "What a probe saw once says less with each release of the agent.",
		Do:      "Probe the claim again, or take the old evidence out of verified in the lock.",
		Design:  "Lockfile",
		Example: Example{Lock: `{"verified":{"quote":"probe ok 2026-01-01"},"policy":{"max_evidence_age":"30d"}}`},
		Check:   evidenceStale,
	},
	{
		ID:      "lock-stale",
		Class:   Review,
		Title:   "the lock was pinned longer ago than max_lock_age",
		Why:     "Small changes add up, and nobody has looked at them together.",
		Do:      "Look at the agent's card, then renew the lock: a2alock pin LOCK --refresh.",
		Design:  "Lockfile",
		Example: Example{Lock: `{"pinned_at":"2026-01-01T00:00:00Z","policy":{"max_lock_age":"90d"}}`},
		Check:   lockStale,
	},
	{
		ID:     "waiver-expired",
		Class:  Review,
		Title:  "a waiver does not hold any more, and its finding is back",
		Why:    "Somebody meant to deal with the finding by then.",
		Do:     "Deal with the finding, or waive it again with a new date.",
		Design: "Waivers",
		Example: Example{
			Now: `{"version":"2.0.0"}`,
			Lock: `{"waivers":[{"rule":"agent-version-changed","reason":"tried in staging","owner":"team-travel",` +
				`"until":"2026-09-30"}]}`,
			Also: []string{"agent-version-changed"},
		},
		After: true,
		Check: waiverExpired,
	},
	{
		ID:     "waiver-unused",
		Class:  Compatible,
		Title:  "a waiver matches no finding",
		Why:    "It would let a finding of tomorrow stand that nobody has seen.",
		Do:     "Take it out of waivers in the lock.",
		Design: "Waivers",
		Example: Example{Lock: `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel",` +
			`"until":"2026-12-31"}]}`},
		After: true,
		Check: waiverUnused,
	},
}

// evidenceStale looks at the evidence that is there: a claim without any is
// no worse than it was.
func evidenceStale(c *Comparison) []Finding {
	limit := c.Policy.MaxEvidenceAge
	if limit <= 0 {
		return nil
	}
	var out []Finding
	for _, claim := range requiredClaims(c.Lock) {
		e := c.Lock.Verified[claim.key]
		f := Finding{}
		switch at, ok := evidenceTime(e); {
		case !ok:
			f = found(say.Pointer("verified", claim.key), evidenceText(e), nil,
				"the evidence for %s names no day, so its age is not known", say.Quote(claim.key))
		case isAhead(at, c.At):
			f = found(say.Pointer("verified", claim.key), evidenceText(e), nil,
				"the evidence for %s is of %s, which is yet to come, so its age is not known", say.Quote(claim.key), at.Format(time.DateOnly))
		case c.At.Sub(at) > limit:
			f = found(say.Pointer("verified", claim.key), evidenceText(e), nil,
				"the evidence for %s is of %s, older than %s", say.Quote(claim.key), at.Format(time.DateOnly), days(limit))
		default:
			continue
		}
		if claim.skill != "" {
			f = f.of(claim.skill)
		}
		out = append(out, f)
	}
	return out
}

// A claim is something that the lock requires and that evidence speaks of.
type claim struct{ key, skill string }

// requiredClaims are those of the lock's evidence that a requirement rests on.
func requiredClaims(l *lockfile.Lock) []claim {
	var out []claim
	for _, key := range set.Keys(l.Verified, func(string, lockfile.Evidence) bool { return true }) {
		skill, prefixed := strings.CutPrefix(key, "skill:")
		_, plain := l.Requires.Skills[key]
		_, spelled := l.Requires.Skills[skill]
		switch {
		case key == "streaming" && l.Requires.Streaming, key == "push" && l.Requires.Push:
			out = append(out, claim{key: key})
		case key == "streaming" || key == "push":
		case prefixed && spelled:
			out = append(out, claim{key, skill})
		case plain:
			out = append(out, claim{key, key})
		}
	}
	return out
}

// evidenceTime is when the probe ran: the object's at, or the last day that the
// short text names.
func evidenceTime(e lockfile.Evidence) (time.Time, bool) {
	words := strings.Fields(e.Text)
	if e.Text == "" {
		words = []string{e.At}
	}
	for _, w := range slices.Backward(words) {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if at, err := time.Parse(layout, strings.Trim(w, ".,;()")); err == nil {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// isAhead reports whether evidence is of a moment that is yet to come. A day
// without a time is that of whoever wrote it: it begins up to 14 hours before the
// day of UTC.
func isAhead(at, now time.Time) bool {
	slack := ahead
	if at.Equal(at.Truncate(24 * time.Hour)) {
		slack += 14 * time.Hour
	}
	return !now.IsZero() && at.Sub(now) > slack
}

func evidenceText(e lockfile.Evidence) string {
	if e.Text != "" {
		return e.Text
	}
	return strings.TrimSpace(e.Result + " " + e.At)
}

func lockStale(c *Comparison) []Finding {
	limit := c.Policy.MaxLockAge
	if limit <= 0 {
		return nil
	}
	at, err := time.Parse(time.RFC3339, c.Lock.PinnedAt)
	if err != nil || c.At.Sub(at) <= limit {
		return nil
	}
	return []Finding{found("/pinned_at", c.Lock.PinnedAt, nil, "the lock was pinned %s ago, and max_lock_age is %s",
		days(c.At.Sub(at)), days(limit))}
}

// days shows a duration as people write it in a policy.
func days(d time.Duration) string {
	if d >= 24*time.Hour {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	return d.Round(time.Second).String()
}

func waiverExpired(c *Comparison) []Finding {
	var out []Finding
	for i, w := range c.known().waivers {
		if w.fault != "" && w.matches {
			out = append(out, found(say.Pointer("waivers", strconv.Itoa(i)), w.Until, nil,
				"the waiver of %s does not hold: %s", say.Quote(w.Rule), w.fault))
		}
	}
	return out
}

func waiverUnused(c *Comparison) []Finding {
	var out []Finding
	for i, w := range c.known().waivers {
		if w.matches {
			continue
		}
		msg := "the waiver of %s matches no finding"
		if strings.HasPrefix(w.Rule, "lock-") && w.Rule != "lock-stale" {
			msg = "the waiver of %s is for a change of the lock, which may take it out: after that it is of no use"
		}
		out = append(out, found(say.Pointer("waivers", strconv.Itoa(i)), w.Until, nil, msg, say.Quote(w.Rule)))
	}
	return out
}
