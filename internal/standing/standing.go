// Package standing is what a reader is told of locks and agents: where one lock
// stands, and how many stand where.
package standing

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A View is where one lock stands, for people and programs that ask.
type View struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	lockset.Info
	AgentID   string            `json:"agent_id"`
	Class     verdict.Verdict   `json:"class"`
	Freshness verdict.Freshness `json:"freshness"`
	// Since is when Class became what it is; Validated when the agent last
	// confirmed the card that it rests on. Null: never.
	Since     *time.Time `json:"since"`
	DecidedAt *time.Time `json:"decided_at"`
	Validated *time.Time `json:"validated_at"`
	// NextRefresh is when the agent is asked next; null while it is being asked.
	NextRefresh *time.Time `json:"next_refresh"`
	CardDigest  string     `json:"card_digest,omitzero"`
	FindingSet  string     `json:"finding_set,omitzero"` // a digest of the findings that count
	// Pending is a worse answer that waits for its confirmation, Better a better
	// one that has to hold for min_stable, Dispute that answers disagree.
	Pending *Waiting `json:"pending,omitzero"`
	Better  *Waiting `json:"better,omitzero"`
	Dispute *Waiting `json:"dispute,omitzero"`
	// Suppressed is that the lock keeps changing: decisions go by the worst.
	Suppressed *verdict.Suppression `json:"suppressed,omitzero"`

	Gone     string           `json:"gone,omitzero"`   // why nothing could be decided since
	Broken   string           `json:"broken,omitzero"` // why the file is no lock now; the last good one holds
	Episode  *verdict.Episode `json:"episode,omitzero"`
	Ack      *verdict.Ack     `json:"ack,omitzero"`
	Skills   []string         `json:"skills"`
	Answer   *Answer          `json:"answer,omitzero"`   // of one lock alone, not in a list
	Findings []diff.Finding   `json:"findings,omitzero"` // of one lock alone, not in a list
}

// An Answer is what is worth a note of the agent's last answer, and of those who
// passed it on.
type Answer struct {
	fetch.Caches
	// Note is for whoever runs the agent.
	Note string `json:"note,omitzero"`
}

// AnswerOf is what caches said, and whether the server's validators never match;
// nil where there is nothing to say.
func AnswerOf(caches fetch.Caches, ignored bool) *Answer {
	a := Answer{Caches: caches}
	if ignored {
		a.Note = "the validator never matches: the server sends the whole card each time, although it has not changed"
	}
	if a == (Answer{}) {
		return nil
	}
	return &a
}

// A Waiting is what may yet become the verdict, and since when.
type Waiting struct {
	Verdict verdict.Verdict `json:"verdict"`
	Since   time.Time       `json:"since"`
}

// Of is the view of a lock whose file is f, by its state.
func Of(f *lockset.File, s *verdict.State) View {
	v := View{
		ID: f.ID, Path: f.Path, Info: f.Info, Skills: f.Skills,
		Class: Class(s), Freshness: verdict.Ageing, Since: Moment(s.Since), DecidedAt: Moment(s.DecidedAt), Validated: Moment(s.AsOf()),
		CardDigest: s.CardDigest, FindingSet: s.FindingSet, Gone: s.Gone, Episode: s.Episode, Ack: s.Ack, Findings: s.Findings,
	}
	if x := s.Pending; x != nil {
		v.Pending = &Waiting{verdict.Of(x.Class), x.At.UTC()}
	}
	if x := s.Better; x != nil {
		v.Better = &Waiting{verdict.Of(x.Class), x.Since.UTC()}
	}
	if x := s.Dispute; x.IsOn() {
		v.Dispute = &Waiting{verdict.Of(x.Worst().Class), x.Began.UTC()}
	}
	if f.Broken != nil {
		v.Broken = f.Broken.Error()
	}
	return v
}

// Class is the verdict of s in words.
func Class(s *verdict.State) verdict.Verdict {
	if s.Verdict == "" {
		return verdict.None
	}
	return s.Verdict
}

// Moment is t for JSON: in UTC, nil where it is none.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// A Filter chooses locks; what is "" chooses all.
type Filter struct {
	Class, Freshness, Owner, Workflow, Agent string
	// Path is that of the lock's file, or how it ends.
	Path string
}

// Chooses reports whether f chooses the lock.
func (f Filter) Chooses(v *View) bool {
	return (f.Class == "" || f.Class == string(v.Class)) &&
		(f.Freshness == "" || f.Freshness == string(v.Freshness)) &&
		(f.Owner == "" || f.Owner == v.Owner) &&
		(f.Workflow == "" || f.Workflow == v.Workflow) &&
		(f.Agent == "" || f.Agent == v.AgentID || strings.HasPrefix(v.Agent, f.Agent)) &&
		(f.Path == "" || f.Path == v.Path || strings.HasSuffix(filepath.ToSlash(v.Path), "/"+f.Path))
}

// Counts are what a daemon holds, counted at one moment.
type Counts struct {
	Now     time.Time
	Agents  int
	Flights int // requests under way, waiting ones among them
	Paused  int // hosts that asked us to wait
	Locks   map[Group]int
	Open    map[verdict.Verdict]int // episodes, by class
	Oldest  time.Time               // the oldest validation; zero: there is none
	LastRun *time.Time
	NextRun *time.Time // the next request; moments of the clock alone aside
	Broken  []string   // ids of locks whose files cannot be read now
	Silent  bool       // the network is suspected to be gone
	// Unwritten and Unread are since when and why the store cannot be written, and
	// the locks not be read again; "": they can.
	Unwritten, Unread string
	PerAgent          []Age // only where the configuration asks for it
}

// A Group is a class and how far it may be trusted.
type Group struct {
	Class     verdict.Verdict
	Freshness verdict.Freshness
}

// An Age is how long ago an agent was validated, in seconds.
type Age struct {
	Agent string
	Age   float64
}

// overflow stands for the agents beyond the cap of metrics.
const overflow = "overflow"

// AddAge adds an agent that was validated then; of those beyond most the oldest
// stands for all.
func (c *Counts) AddAge(agent string, validated time.Time, most int) {
	age := max(0, c.Now.Sub(validated).Seconds())
	switch n := len(c.PerAgent); {
	case n < most:
		c.PerAgent = append(c.PerAgent, Age{agent, age})
	case n == most:
		c.PerAgent = append(c.PerAgent, Age{overflow, age})
	default:
		c.PerAgent[n-1].Age = max(c.PerAgent[n-1].Age, age)
	}
}
