package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// lockPinRules speak of which agent the lock is about, and of what was recorded
// of it when.
var lockPinRules = []Rule{
	{
		ID:      "lock-agent-moved",
		Class:   Review,
		Title:   "the card's URL changed, and its origin is the same",
		Why:     "Another card may stand there, of another agent of the same host.",
		Do:      "Make sure that it is the agent that the workflow means.",
		Section: Agent,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"agent":"https://agent.example/pricing/agent-card.json"}`},
		Review:  agentMoved,
	},
	{
		ID:    "lock-agent-replaced",
		Class: Breaking,
		Title: "the card's URL has another origin",
		Why:   "It is another agent, whatever the file's name says, and the workflow's data and credentials go there.",
		Do: "Review it as a new dependency. Where it is meant, add a lock and remove this one, or waive this finding " + beforehand +
			".",
		Section: Agent,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"agent":"https://other.example/.well-known/agent-card.json"}`},
		Review:  agentReplaced,
	},
	{
		ID:      "lock-interface-changed",
		Class:   Review,
		Title:   "another binding, URL or tenant is pinned",
		Why:     "Calls go elsewhere, or in another form.",
		Do:      "Make sure that the workflow's client and its network can reach it.",
		Section: Agent,
		Design:  "Changes of a lock",
		Example: Example{
			Now:  `{"supportedInterfaces":[{"url":"https://agent.example/v2","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			Also: []string{"interface-url-changed"},
		},
		Review: pinMoved,
	},
	{
		ID:      "lock-interface-version-lowered",
		Class:   Review,
		Title:   "an older protocol version is pinned",
		Why:     "What the newer one has is lost, and the older one may end sooner.",
		Do:      "Ask the agent's owner why, or pin with a client that speaks the newer one.",
		Section: Agent,
		Design:  "Changes of a lock",
		Example: Example{
			Change: `{"interface":{"version":"0.3"}}`,
		},
		Review: versionLowered,
	},
	{
		ID:      "lock-pinned-backwards",
		Class:   Review,
		Title:   "pinned_at went back",
		Why:     "An old pin came back: a merge that went wrong, or a card of yesterday.",
		Do:      "Pin again.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"pinned_at":"2026-09-01T00:00:00Z"}`, Change: `{"pinned_at":"2026-08-01T00:00:00Z"}`},
		Review:  pinnedBackwards,
	},
	{
		ID:      "lock-pinned-future",
		Class:   Breaking,
		Title:   "pinned_at lies ahead of the clock by more than 5 minutes",
		Why:     "The lock would not grow old, and max_lock_age would never speak.",
		Do:      "Set the clock of the machine that pins, and pin again.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"pinned_at":"2026-12-01T00:00:00Z"}`},
		Review:  pinnedFuture,
	},
	{
		ID:      "lock-evidence-future",
		Class:   Breaking,
		Title:   "evidence is dated ahead of the clock",
		Why:     "It would not grow old, and each later probe would seem the older one.",
		Do:      "Set the clock of the machine that probes, and probe again.",
		Section: Assurance,
		Design:  "Changes of a lock",
		Example: Example{
			Lock:   `{"verified":{"quote":"probe ok 2026-09-01"}}`,
			Change: `{"verified":{"quote":"probe ok 2026-12-01"}}`,
		},
		Review: evidenceFuture,
	},
	{
		ID:      "lock-stale-pin",
		Class:   Review,
		Title:   "the live card is not the one that was pinned",
		Why:     "The change is reviewed against a card that the agent no longer serves.",
		Do:      "Pin again, and review that. Where the live card breaks the lock, a2alock check says what to do first.",
		Section: Agent,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"agent_version":"1.0.1"}`, Live: `{"version":"2.0.0"}`, Also: []string{"change-unclassified"}},
		Review:  stalePin,
	},
}

// agents are the cards' URLs where they differ.
func (f *amended) agents() (was, now string, differ bool) {
	if f.was == nil || f.now == nil {
		return "", "", false
	}
	return f.was.Agent, f.now.Agent, f.was.Agent != f.now.Agent
}

func agentMoved(r *Revision) []Finding {
	was, now, differ := r.facts.agents()
	if !differ || compile.Origin("", was) != compile.Origin("", now) {
		return nil
	}
	was, now = redact.URL(was), redact.URL(now)
	return []Finding{found("/agent", was, now, "the card was at %s and is at %s", say.Quote(was), say.Quote(now))}
}

func agentReplaced(r *Revision) []Finding {
	was, now, differ := r.facts.agents()
	if !differ || compile.Origin("", was) == compile.Origin("", now) {
		return nil
	}
	was, now = redact.URL(was), redact.URL(now)
	return []Finding{found("/agent", was, now, "the lock is about another agent: the card was at %s and is at %s", say.Quote(was), say.Quote(now))}
}

// pins are the interfaces that both sides record, as far as they do.
func (f *amended) pins() (was, now *pin, both bool) {
	if f.was == nil || f.now == nil {
		return nil, nil, false
	}
	was, now = pinned(&Comparison{Lock: f.was}), pinned(&Comparison{Lock: f.now})
	return was, now, was != nil && now != nil
}

func pinMoved(r *Revision) []Finding {
	was, now, both := r.facts.pins()
	if !both {
		return nil
	}
	var what []string
	if was.Binding != now.Binding {
		what = append(what, fmt.Sprintf("the binding was %s and is %s", say.Quote(was.Binding), say.Quote(now.Binding)))
	}
	moved := was.hasURL && now.hasURL && compile.NormalizeURL(was.Binding, was.URL) != compile.NormalizeURL(now.Binding, now.URL)
	if moved {
		what = append(what, fmt.Sprintf("the URL was %s and is %s", say.Quote(redact.URL(was.URL)), say.Quote(redact.URL(now.URL))))
	}
	if was.hasTenant && now.hasTenant && was.Tenant != now.Tenant {
		what = append(what, fmt.Sprintf("the tenant was %s and is %s", say.Quote(was.Tenant), say.Quote(now.Tenant)))
	}
	if len(what) == 0 {
		return nil
	}
	f := found("/interface", was.value(), now.value(), "%s", strings.Join(what, "; "))
	// Without a profile no other rule asks whose origin it is.
	origin := compile.Origin(now.Binding, now.URL)
	if moved && r.facts.profile == nil && origin != compile.Origin(was.Binding, was.URL) && !(&Comparison{Lock: r.facts.was}).allows(origin) {
		f.Class = Breaking
	}
	return []Finding{f}
}

func versionLowered(r *Revision) []Finding {
	was, now, both := r.facts.pins()
	if !both || was.Version == "" || now.Version == "" || compareVersions(now.Version, was.Version) >= 0 {
		return nil
	}
	return []Finding{found("/interface/version", was.Version, now.Version, "the protocol version was %s and is %s",
		say.Quote(was.Version), say.Quote(now.Version))}
}

// compareVersions compares Major.Minor.
func compareVersions(a, b string) int {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	x, xs, _ := strings.Cut(a, ".")
	y, ys, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(number(x), number(y)), cmp.Compare(number(xs), number(ys)))
}

// pinnedAt is when a lock was pinned; false where that is not recorded.
func pinnedAt(l *lockfile.Lock) (time.Time, bool) {
	if l == nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, l.PinnedAt)
	return at, err == nil
}

func pinnedBackwards(r *Revision) []Finding {
	was, ok := pinnedAt(r.facts.was)
	now, ok2 := pinnedAt(r.facts.now)
	if !ok || !ok2 || !now.Before(was) {
		return nil
	}
	return []Finding{found("/pinned_at", r.facts.was.PinnedAt, r.facts.now.PinnedAt, "the lock was pinned at %s, and at %s before this change",
		r.facts.now.PinnedAt, r.facts.was.PinnedAt)}
}

// ahead is how far clocks may be apart.
const ahead = 5 * time.Minute

func pinnedFuture(r *Revision) []Finding {
	now, ok := pinnedAt(r.facts.now)
	if !ok || r.At.IsZero() || now.Sub(r.At) <= ahead {
		return nil
	}
	return []Finding{found("/pinned_at", nil, r.facts.now.PinnedAt, "the lock is pinned at %s, which is yet to come", r.facts.now.PinnedAt)}
}

func evidenceFuture(r *Revision) []Finding {
	l := r.facts.now
	if l == nil {
		return nil
	}
	var out []Finding
	for _, key := range slices.Sorted(maps.Keys(l.Verified)) {
		e := l.Verified[key]
		if at, ok := evidenceTime(e); ok && isAhead(at, r.At) {
			text := evidenceText(e)
			out = append(out, found(say.Pointer("verified", key), nil, text, "the evidence for %s is of a day that is yet to come: %s",
				say.Quote(key), say.Quote(text)))
		}
	}
	return out
}

func stalePin(r *Revision) []Finding {
	l, result := r.facts.now, r.facts.fresh
	if result == nil {
		return nil
	}
	recorded, answered := l.CardDigest, r.Live.Digest
	if recorded == "" {
		recorded, answered = l.ProfileDigest, r.Live.Profile.Digest(l.RequiredSkills())
	}
	if !r.facts.lost && (recorded == answered || recorded == "" && l.Profile == nil) {
		return nil
	}
	f := found("/card_digest", l.CardDigest, r.Live.Digest, "the agent serves another card than the one that was pinned")
	if l.CardDigest == "" {
		f.Path, f.Was, f.Now = "/profile_digest", l.ProfileDigest, answered
	}
	if r.facts.lost {
		f.Message = "the agent serves the public card, not the extended one that was pinned"
	}
	var worst []string
	for _, x := range result.Findings {
		if x.Waived == nil && x.Class == result.Findings[0].Class && x.Class > Compatible && len(worst) < 3 {
			worst = append(worst, fmt.Sprintf("%s (%s)", x.Message, x.Rule))
		}
	}
	if len(worst) > 0 {
		f.Message += fmt.Sprintf("; held against it the lock is %s: %s", result.Class, strings.Join(worst, "; "))
	}
	return []Finding{f}
}
