package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// oneKey is a public key of the examples, and otherKey another one.
const (
	oneKey   = `{"kty":"OKP","crv":"Ed25519","kid":"2026","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`
	otherKey = `{"kty":"OKP","crv":"Ed25519","kid":"2027","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}`
)

// lockTrustRules speak of evidence, trust and waivers.
var lockTrustRules = []Rule{
	{
		ID:      "lock-profile-without-evidence",
		Class:   Breaking,
		Title:   "profile_digest moved, and the evidence that was there is of the old one",
		Why:     "It reads as if somebody had tried what the agent offers now.",
		Do:      "Pin again, which drops old evidence, or probe again.",
		Section: Assurance,
		Design:  "Changes of a lock",
		Example: Example{
			Was:  `{"defaultOutputModes":["application/json"]}`,
			Now:  `{"defaultOutputModes":["application/json","text/plain"]}`,
			Lock: `{"verified":{"quote":"probe ok 2026-09-01"}}`,
			Also: []string{"output-widened"},
		},
		Review: withoutEvidence,
	},
	{
		ID:      "lock-evidence-removed",
		Class:   Review,
		Title:   "evidence went away, and the requirement stays",
		Why:     "That the claim holds is nobody's word but the card's.",
		Do:      "Probe again.",
		Section: Assurance,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"verified":{"quote":"probe ok 2026-09-01"}}`, Change: `{"verified":null}`},
		Review:  evidenceRemoved,
	},
	{
		ID:      "lock-trust-weakened",
		Class:   Breaking,
		Floor:   true,
		Title:   "the signature policy was lowered, no key of before is left, or another origin is allowed",
		Why:     "A card that was refused counts from now on.",
		Do:      "Ask whoever answers for the agent's keys, out of band.",
		Section: Assurance,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"trust":{"signature":"require"}}`, Change: `{"trust":{"signature":"if-present"}}`},
		Review:  trustWeakened,
	},
	{
		ID:      "lock-key-changed",
		Class:   Review,
		Title:   "a key was enrolled or retired",
		Why:     "Whoever holds an enrolled key can sign a card that this workflow believes.",
		Do:      "Compare the key with one that came from the agent's owner by another way.",
		Section: Assurance,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"trust":{"keys":[` + oneKey + `]}}`, Change: `{"trust":{"keys":[` + oneKey + `,` + otherKey + `]}}`},
		Review:  keyChanged,
	},
	{
		ID:    "lock-waiver-added",
		Class: Review,
		Title: "a waiver came",
		Why:   "From now on its finding stands, whoever it hurts.",
		Do:    "Agree with its reason and its end, or say no.",
		Example: Example{Change: `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel",` +
			`"until":"2026-11-30"}]}`},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverAdded,
	},
	{
		ID:    "lock-waiver-extended",
		Class: Review,
		Title: "a waiver holds longer",
		Why:   "What somebody meant to deal with by then was not dealt with.",
		Do:    "Agree with the new end, or have the finding dealt with.",
		Example: Example{
			Lock:   `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel","until":"2026-10-31"}]}`,
			Change: `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel","until":"2026-11-30"}]}`,
		},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverExtended,
	},
	{
		ID:      "lock-waiver-incomplete",
		Class:   Breaking,
		Title:   "a waiver came without a reason, an owner or an end, or for longer than the policy allows",
		Why:     "Nobody answers for it, or it never ends.",
		Do:      "Say why, who and until when, at most policy.max_waiver ahead.",
		Example: Example{Change: `{"waivers":[{"rule":"streaming-lost"}]}`, Also: []string{"lock-waiver-added"}},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverIncomplete,
	},
}

// withoutEvidence looks at the claims that are required still. Evidence is of
// the new profile where it says so; else where it is newer than what was there.
func withoutEvidence(r *Revision) []Finding {
	f := r.facts
	if f.was == nil || f.now == nil || f.was.ProfileDigest == "" || f.was.ProfileDigest == f.now.ProfileDigest {
		return nil
	}
	var out []Finding
	for _, claim := range requiredClaims(f.now) {
		was, had := f.was.Verified[claim.key]
		if now := f.now.Verified[claim.key]; had && !f.isFresh(was, now) || !had && now.ProfileDigest == f.was.ProfileDigest {
			out = append(out, claim.of(found(say.Pointer("verified", claim.key), nil, evidenceText(now),
				"the evidence for %s was made for the profile of before: %s", say.Quote(claim.key), say.Quote(evidenceText(now)))))
		}
	}
	return out
}

// of says which skill a finding about the claim affects.
func (c claim) of(f Finding) Finding {
	if c.skill == "" {
		return f
	}
	return f.of(c.skill)
}

// isFresh reports whether now was made for the profile of the new lock.
func (f *amended) isFresh(was, now lockfile.Evidence) bool {
	if now.ProfileDigest != "" {
		return now.ProfileDigest == f.now.ProfileDigest
	}
	before, dated := evidenceTime(was)
	after, ok := evidenceTime(now)
	return ok && (!dated || after.After(before))
}

func evidenceRemoved(r *Revision) []Finding {
	f := r.facts
	if f.was == nil || f.now == nil {
		return nil
	}
	var out []Finding
	for _, claim := range requiredClaims(&lockfile.Lock{Requires: f.now.Requires, Verified: f.was.Verified}) {
		if _, ok := f.now.Verified[claim.key]; !ok {
			was := evidenceText(f.was.Verified[claim.key])
			out = append(out, claim.of(found(say.Pointer("verified", claim.key), was, nil,
				"the evidence for %s is gone: %s", say.Quote(claim.key), say.Quote(was))))
		}
	}
	return out
}

// trusts are those of both sides, empty ones where they have none.
func (f *amended) trusts() (was, now lockfile.Trust, both bool) {
	if f.was == nil || f.now == nil {
		return was, now, false
	}
	return *cmp.Or(f.was.Trust, &was), *cmp.Or(f.now.Trust, &now), true
}

// strictness orders signature policies; one that is not named checks what is
// there.
func strictness(policy string) int {
	return slices.Index([]string{"ignore", "if-present", "require"}, cmp.Or(policy, "if-present"))
}

func trustWeakened(r *Revision) []Finding {
	was, now, both := r.facts.trusts()
	if !both {
		return nil
	}
	var out []Finding
	if strictness(now.Signature) < strictness(was.Signature) {
		out = append(out, found("/trust/signature", was.Signature, now.Signature, "the signature policy was %s and is %s",
			say.Quote(cmp.Or(was.Signature, "if-present")), say.Quote(cmp.Or(now.Signature, "if-present"))))
	}
	if before, after := thumbprints(was.Keys), thumbprints(now.Keys); len(before) > 0 && len(set.Without(before, after)) == len(before) {
		out = append(out, found("/trust/keys", before, after, "no key that was enrolled is left"))
	}
	for _, o := range set.Without(allowedBy(now), allowedBy(was)) {
		out = append(out, found("/trust/allowed_origins", nil, o, "calls and redirects may lead to %s now", say.Quote(o)))
	}
	return out
}

// allowedBy are the allowed origins in one form; what is none stays as it is.
func allowedBy(t lockfile.Trust) []string {
	var out []string
	for _, o := range t.AllowedOrigins {
		out = append(out, cmp.Or(compile.Origin("", o), o))
	}
	return out
}

// thumbprints name keys by what is a key in them (RFC 7638), and anything else
// by its canonical form.
func thumbprints(keys []jsontext.Value) []string {
	var out []string
	for _, key := range keys {
		var m map[string]jsontext.Value
		var kind string
		form := any(key)
		if json.Unmarshal(key, &m) == nil && json.Unmarshal(m["kty"], &kind) == nil {
			part := map[string]jsontext.Value{"kty": m["kty"]}
			for _, name := range map[string][]string{"RSA": {"e", "n"}, "EC": {"crv", "x", "y"}, "OKP": {"crv", "x"}}[kind] {
				part[name] = m[name]
				if len(m[name]) == 0 {
					part = nil
					break
				}
			}
			if len(part) > 1 {
				form = part
			}
		}
		out = append(out, strings.TrimPrefix(card.Sum(value.Canonical(form)), "sha256:"))
	}
	return out
}

func keyChanged(r *Revision) []Finding {
	was, now, both := r.facts.trusts()
	if !both {
		return nil
	}
	before, after := thumbprints(was.Keys), thumbprints(now.Keys)
	var out []Finding
	for _, key := range set.Without(after, before) {
		out = append(out, found("/trust/keys", nil, key, "a key was enrolled, with the thumbprint %s", key))
	}
	for _, key := range set.Without(before, after) {
		out = append(out, found("/trust/keys", key, nil, "a key was retired, with the thumbprint %s", key))
	}
	return out
}

// A change of a waiver: was is nil for one that came.
type waiverChange struct {
	path     string
	was, now *lockfile.Waiver
}

// waiverChanges pairs waivers by what they cover, and returns those that came or
// differ, and those that went.
func (f *amended) waiverChanges() (differ []waiverChange, gone []lockfile.Waiver) {
	if f.now == nil {
		return nil, nil
	}
	before := map[[3]string][]*lockfile.Waiver{}
	if f.was != nil {
		for i := range f.was.Waivers {
			w := &f.was.Waivers[i]
			key := [3]string{w.Rule, w.Path, w.Fingerprint}
			before[key] = append(before[key], w)
		}
	}
	for i := range f.now.Waivers {
		w := &f.now.Waivers[i]
		key := [3]string{w.Rule, w.Path, w.Fingerprint}
		c := waiverChange{path: say.Pointer("waivers", strconv.Itoa(i)), now: w}
		if list := before[key]; len(list) > 0 {
			c.was, before[key] = list[0], list[1:]
		}
		if c.was == nil || c.was.Reason != w.Reason || c.was.Owner != w.Owner || c.was.Until != w.Until || !jsondoc.Same(c.was.Extra, w.Extra) {
			differ = append(differ, c)
		}
	}
	if f.was != nil {
		for _, w := range f.was.Waivers {
			if key := [3]string{w.Rule, w.Path, w.Fingerprint}; len(before[key]) > 0 {
				gone, before[key] = append(gone, w), before[key][1:]
			}
		}
	}
	return differ, gone
}

func waiverAdded(r *Revision) []Finding {
	if r.Was != nil && r.facts.was == nil {
		return nil // nobody knows which came
	}
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		if c.was == nil {
			out = append(out, found(c.path, nil, c.now, "a waiver of %s came, until %s: %s (%s)",
				say.Quote(c.now.Rule), say.Quote(c.now.Until), say.Quote(c.now.Reason), say.Quote(c.now.Owner)))
		}
	}
	return out
}

// isLonger reports whether a waiver holds beyond the end that it had.
func (c waiverChange) isLonger() bool {
	if c.was == nil {
		return false
	}
	was, ok := Expiry(c.was.Until)
	now, ok2 := Expiry(c.now.Until)
	return ok2 && (!ok || now.After(was))
}

func waiverExtended(r *Revision) []Finding {
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		if c.isLonger() {
			out = append(out, found(c.path, c.was.Until, c.now.Until, "the waiver of %s holds until %s; it was %s",
				say.Quote(c.now.Rule), say.Quote(c.now.Until), say.Quote(c.was.Until)))
		}
	}
	return out
}

func waiverIncomplete(r *Revision) []Finding {
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		fault := faultOf(*c.now, time.Time{}) // one that is over harms nobody
		if end, ok := Expiry(c.now.Until); fault == "" && ok && r.MaxWaiver > 0 && end.Sub(r.At) > r.MaxWaiver+24*time.Hour {
			fault = fmt.Sprintf("it ends %s, more than %s ahead", c.now.Until, days(r.MaxWaiver))
		}
		if fault != "" {
			out = append(out, found(c.path, nil, c.now, "the waiver of %s: %s", say.Quote(c.now.Rule), fault))
		}
	}
	return out
}
