package diff

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/mod/semver"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/say"
)

var identityRules = []Rule{
	{
		ID:      "agent-version-changed",
		Class:   Review,
		Title:   "the agent's version differs, or went away",
		Why:     "A release can change behaviour that no card shows. Half of such changes change nothing else.",
		Do:      "Read the agent's release notes, then pin again. policy.rules may call it compatible.",
		Spec:    "4.4.1",
		Example: Example{Was: `{"version":"3.2.0"}`, Now: `{"version":"3.3.0"}`},
		Check:   versionChanged,
	},
	{
		ID:      "agent-version-decreased",
		Class:   Review,
		Title:   "the agent's version went down",
		Why:     "The agent was rolled back, or another deployment answers: what was built on the newer one may be gone.",
		Do:      "Ask the agent's owner which release is meant to run.",
		Spec:    "4.4.1",
		Example: Example{Was: `{"version":"3.10.0"}`, Now: `{"version":"3.9.1"}`},
		Check:   versionDecreased,
	},
	{
		ID:      "agent-renamed",
		Class:   Review,
		Title:   "the agent has another name",
		Why:     "The same address may belong to another product now.",
		Do:      "Make sure that it is still the agent that the workflow means.",
		Spec:    "4.4.1",
		Example: Example{Was: `{"name":"Pricing"}`, Now: `{"name":"Booking"}`},
		Check:   agentRenamed,
	},
	{
		ID:    "provider-changed",
		Class: Review,
		Title: "another organization or host stands behind the agent, or none any more",
		Why:   "Contracts and data agreements are made with a provider, and the agent may have changed hands.",
		Do:    "Ask who runs the agent now.",
		Spec:  "4.4.2",
		Example: Example{
			Was: `{"provider":{"organization":"Partner","url":"https://partner.example"}}`,
			Now: `{"provider":{"organization":"Other","url":"https://other.example"}}`,
		},
		Check: providerChanged,
	},
}

// pinnedVersion also answers for a lock without a profile.
func pinnedVersion(c *Comparison) string {
	if was := c.Lock.Profile; was != nil {
		return was.AgentVersion
	}
	return c.Lock.AgentVersion
}

func versionChanged(c *Comparison) []Finding {
	was, now := pinnedVersion(c), c.Now.AgentVersion
	switch {
	case was == "" || was == now:
		return nil
	case now == "":
		return []Finding{found("/agent_version", was, now, "the agent's version was %s, and it names none now", say.Quote(was))}
	}
	return []Finding{found("/agent_version", was, now, "the agent's version was %s and is %s", say.Quote(was), say.Quote(now))}
}

func versionDecreased(c *Comparison) []Finding {
	was, now := pinnedVersion(c), c.Now.AgentVersion
	before, ok := semantic(was)
	after, ok2 := semantic(now)
	if !ok || !ok2 || semver.Compare(after, before) >= 0 {
		return nil
	}
	return []Finding{found("/agent_version", was, now, "the agent's version went down from %s to %s", say.Quote(was), say.Quote(now))}
}

// semantic gives v the "v" that package semver wants. The two short forms that
// it takes beyond semver.org are no versions here: "2" may as well be a count,
// and "2025.10" a month.
func semantic(v string) (string, bool) {
	v = "v" + strings.TrimPrefix(v, "v")
	return v, semver.IsValid(v) && strings.HasPrefix(v, semver.Canonical(v))
}

func agentRenamed(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil || was.Name == "" || fold(was.Name) == fold(c.Now.Name) {
		return nil
	}
	return []Finding{found("/name", was.Name, c.Now.Name, "the agent was called %s and is called %s",
		say.Quote(was.Name), say.Quote(c.Now.Name))}
}

// fold leaves of a name what tells it from others.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func providerChanged(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil || p.Provider == nil {
		return nil
	}
	was, now := p.Provider, c.Now.Provider
	if now == nil {
		if *was == (card.Provider{}) {
			return nil
		}
		return []Finding{found("/provider", was, nil, "the card no longer names a provider; it was %s", say.Quote(was.Organization))}
	}
	host, newHost := hostOf(was.URL), hostOf(now.URL)
	switch {
	case was.Organization != "" && was.Organization != now.Organization:
		return []Finding{found("/provider", was, now, "the provider was %s and is %s",
			say.Quote(was.Organization), say.Quote(now.Organization))}
	case host != "" && host != newHost:
		return []Finding{found("/provider", was, now, "the provider's host was %s and is %s", say.Quote(host), say.Quote(newHost))}
	}
	return nil
}

// hostOf is the host of a provider's URL, which may lack its scheme; what is
// no URL at all stands for itself.
func hostOf(u string) string {
	if !strings.Contains(u, "://") && u != "" {
		u = "https://" + u
	}
	p, err := url.Parse(u)
	if err != nil || p.Hostname() == "" {
		return u
	}
	return strings.ToLower(p.Hostname())
}
