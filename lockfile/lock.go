// Package lockfile reads, writes, finds and pins a2a.lock.json: the record of
// what one workflow needs of one remote agent.
//
// A lock is one JSON object, found anywhere in a tree by its suffix
// a2a.lock.json. This is a whole one:
//
//	{
//	  "agent": "https://pricing.partner.example/.well-known/agent-card.json",
//	  "requires": {
//	    "skills": {
//	      "quote": {"input": ["application/json"], "output": ["application/json"]}
//	    }
//	  }
//	}
//
// [Parse] reads strictly and reports every fault at once, each a [*Fault] with
// its JSON pointer. [Format] writes the one canonical form. Members that this
// version does not know survive both, at every level. [Pin] makes a lock from
// a compiled profile, or renews one. [Schema] is the format as JSON Schema.
package lockfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
)

// A Lock is one a2a.lock.json: what one workflow needs of one agent, and what
// was true when it was pinned. The members stand in writing order; those that
// are not recorded are absent.
type Lock struct {
	LockVersion int    `json:"lock_version,omitzero"` // 1; 0 when absent, which means 1
	Workflow    string `json:"workflow,omitzero"`
	Owner       string `json:"owner,omitzero"`
	Agent       string `json:"agent"` // the card's exact URL
	Identity    string `json:"identity,omitzero"`
	Fallback    string `json:"fallback,omitzero"`

	PinnedAt      string `json:"pinned_at,omitzero"` // RFC 3339, UTC
	CardDigest    string `json:"card_digest,omitzero"`
	ProfileDigest string `json:"profile_digest,omitzero"`
	AgentVersion  string `json:"agent_version,omitzero"`

	Interface *Interface `json:"interface,omitzero"`
	Requires  Requires   `json:"requires"`

	// Profile is what the card compiled to when it was pinned; nil in a lock
	// that does not record it.
	Profile  *compile.Profile    `json:"profile,omitzero"`
	Verified map[string]Evidence `json:"verified,omitzero"`
	Trust    *Trust              `json:"trust,omitzero"`
	Policy   *Policy             `json:"policy,omitzero"`
	Waivers  []Waiver            `json:"waivers,omitzero"`

	// Extra are members that this version does not know; they survive.
	Extra jsontext.Value `json:",embed"`

	// Path is the file it was read from, "" for one that was made.
	Path string `json:"-"`
}

// IsExtended is whether l was pinned from the extended card of its identity. What
// an identity reads may be the agent's only card; where no profile says which it
// was, it is taken for the extended one.
func (l *Lock) IsExtended() bool {
	return l.Identity != "" && (l.Profile == nil || l.Profile.ExtendedCard)
}

// Interface is the pinned interface. An empty URL is one that the lock does
// not record; its tenant is not recorded then either, unless it is there.
type Interface struct {
	Binding string         `json:"binding"`
	Version string         `json:"version"` // Major.Minor
	URL     string         `json:"url,omitzero"`
	Tenant  string         `json:"tenant,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}

// Requires is what the workflow needs.
type Requires struct {
	Streaming  bool            `json:"streaming"`
	Push       bool            `json:"push"`
	Skills     map[string]Need `json:"skills"`
	Extensions []string        `json:"extensions"`
	Extra      jsontext.Value  `json:",embed"`
}

// A Need is what the workflow needs of one skill.
type Need struct {
	Input  []string `json:"input"`  // what we send; a sorted set
	Output []string `json:"output"` // what we can use, in order of preference
	// Scopes are what the workflow's credential carries; nil when not recorded.
	Scopes []string `json:"scopes,omitzero"`
	// Schemes is the alternative the client meant to use, by name: empty means
	// that none was needed, nil that it is not recorded.
	Schemes []string `json:"schemes,omitzero"`
	// Assumed is set where the card declared no media types and the person who
	// pinned named them.
	Assumed bool           `json:"assumed,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}

// Evidence is what a probe saw of one claim: a short text, or an object.
type Evidence struct {
	Text string // the short form; "" when it is an object

	Result        string
	At            string
	ProfileDigest string
	Detail        string
	Extra         jsontext.Value
}

// Trust is which signatures and origins the lock trusts.
type Trust struct {
	Signature      string           `json:"signature,omitzero"` // ignore, if-present, require
	Keys           []jsontext.Value `json:"keys,omitzero"`
	AllowedOrigins []string         `json:"allowed_origins,omitzero"`
	Extra          jsontext.Value   `json:",embed"`
}

// Policy overrides the configured policy for one lock. Ages are as in
// a2alock.yaml: durations (Go's, plus d), or "off".
type Policy struct {
	Rules          map[string]string `json:"rules,omitzero"`
	TextPolicy     string            `json:"text_policy,omitzero"`
	MaxLockAge     string            `json:"max_lock_age,omitzero"`
	MaxEvidenceAge string            `json:"max_evidence_age,omitzero"`
	SettleByProbe  jsontext.Value    `json:"settle_by_probe,omitzero"`
	Extra          jsontext.Value    `json:",embed"`
}

// A Waiver lets one finding stand for a while.
type Waiver struct {
	Rule        string         `json:"rule"`
	Path        string         `json:"path,omitzero"`
	Fingerprint string         `json:"fingerprint,omitzero"`
	Reason      string         `json:"reason,omitzero"`
	Owner       string         `json:"owner,omitzero"`
	Until       string         `json:"until,omitzero"` // a day, or an RFC 3339 time
	Extra       jsontext.Value `json:",embed"`
}

// RequiredSkills returns the ids of the skills that the lock requires, sorted.
func (l *Lock) RequiredSkills() []string {
	return slices.Sorted(maps.Keys(l.Requires.Skills))
}

// Beyond says, a line each, what the lock requires and the client cl cannot do:
// the agent may offer it, and the workflow would still not get it.
func (l *Lock) Beyond(cl *compile.Client) []string {
	var lines []string
	if l.Requires.Streaming && !cl.Streaming {
		lines = append(lines, "the lock requires streaming, and the client cannot stream: see client.streaming in a2alock.yaml")
	}
	if l.Requires.Push && cl.PushEndpoint == "" {
		lines = append(lines, "the lock requires push, and the client has no client.push_endpoint in a2alock.yaml")
	}
	for _, uri := range l.Requires.Extensions {
		if !slices.Contains(cl.Extensions, uri) {
			lines = append(lines, fmt.Sprintf("the lock requires extension %s, which client.extensions in a2alock.yaml does not name", quote(uri)))
		}
	}
	return lines
}

// Unsupported returns why this version cannot judge the lock, joined: members
// that ask for what is not built. Passing over one would give a verdict on less
// than the lock asks for. It returns nil for any other lock.
func (l *Lock) Unsupported() error {
	var errs []error
	add := func(pointer, msg string) {
		errs = append(errs, &Fault{Path: l.Path, Pointer: pointer, Msg: msg})
	}
	if t := l.Trust; t != nil {
		if t.Signature != "" && t.Signature != "ignore" {
			add("/trust/signature", quote(t.Signature)+": signatures are not verified yet")
		}
		if len(t.Keys) > 0 && t.Signature != "ignore" {
			add("/trust/keys", "signatures are not verified yet")
		}
	}
	if l.Policy != nil && asks(l.Policy.SettleByProbe) {
		add("/policy/settle_by_probe", "probes are not supported yet")
	}
	return errors.Join(errs...)
}

// asks reports whether a switch of any form is on.
func asks(v jsontext.Value) bool {
	return len(v) > 0 && v.Kind() != 'f' && v.Kind() != 'n'
}
