package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// Waived is the waiver that lets a finding stand.
type Waived struct {
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	Until  string `json:"until"`
}

// fingerprintLength is how many hex digits of the digest make a fingerprint:
// enough that no two findings of one lock share one.
const fingerprintLength = 16

// fingerprint names a finding by what it says: the same rule, path, was and now
// have the same one in every run, whatever the class, the wording or the skills.
// It is over the form of RFC 8785, and so depends on no order of members either.
func fingerprint(rule, path string, was, now jsontext.Value) string {
	text := slices.Concat([]byte{'['}, value.Canonical(rule), []byte{','}, value.Canonical(path), []byte{','}, was, []byte{','}, now, []byte{']'})
	return strings.TrimPrefix(card.Sum(text), "sha256:")[:fingerprintLength]
}

// A waiver is one of the lock's with what became of it.
type waiver struct {
	lockfile.Waiver
	fault   string // why it does not hold; "" when it does
	matches bool   // it names a finding, whether it holds or not
}

// waive marks the findings that a waiver lets stand, and keeps what became of
// each waiver for the rules about them.
func waive(c *Comparison, findings []Finding) {
	c.known().waivers = excuse(c.Lock.Waivers, findings, c.At)
}

// excuse marks the findings that one of list lets stand at a moment, and returns
// what became of each waiver.
func excuse(list []lockfile.Waiver, findings []Finding, at time.Time) []waiver {
	waivers := make([]waiver, len(list))
	for i, w := range list {
		waivers[i] = waiver{Waiver: w, fault: faultOf(w, at)}
		for n := range findings {
			f := &findings[n]
			if !covers(w, f) {
				continue
			}
			waivers[i].matches = true
			if waivers[i].fault == "" && f.Waived == nil {
				f.Waived = &Waived{Reason: w.Reason, Owner: w.Owner, Until: w.Until}
			}
		}
	}
	return waivers
}

// covers reports whether w names f: by its rule, and by its path and
// fingerprint where it has them.
func covers(w lockfile.Waiver, f *Finding) bool {
	return w.Rule == f.Rule && (w.Path == "" || w.Path == f.Path) &&
		(w.Fingerprint == "" || w.Fingerprint == f.Fingerprint)
}

// faultOf says why a waiver does not hold at a moment. Someone must answer for
// it, and it must end: without a reason, an owner or a readable date it is as
// good as expired.
func faultOf(w lockfile.Waiver, at time.Time) string {
	switch end, ok := Expiry(w.Until); {
	case say.Visible(w.Reason) == "":
		return "it has no reason"
	case say.Visible(w.Owner) == "":
		return "it has no owner"
	case w.Until == "":
		return "it has no end"
	case !ok:
		return fmt.Sprintf("its end %s is no date", say.Quote(w.Until))
	case !at.Before(end):
		return "it ended " + w.Until
	}
	return ""
}

// Expiry returns the moment from which a waiver with this until no longer
// holds: an RFC 3339 time, or the end of a day (UTC).
func Expiry(until string) (time.Time, bool) {
	if day, err := time.Parse(time.DateOnly, until); err == nil {
		return day.AddDate(0, 0, 1), true
	}
	at, err := time.Parse(time.RFC3339, until)
	return at, err == nil
}
