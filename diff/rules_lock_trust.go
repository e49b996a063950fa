package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
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

// lockTrustRules speak of evidence and trust.
var lockTrustRules = []Rule{
	{
		ID:    "lock-profile-without-evidence",
		Class: Breaking,
		Title: "profile_digest moved, and the evidence that was there is of the old one",
		Why:   "It reads as if somebody had tried what the agent offers now.",
		Do: "Pin again, which drops old evidence, or probe again. Of two probes on one day the time tells which is newer: " +
			"write {result, at, profile_digest}, or the time in the short text.",
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
