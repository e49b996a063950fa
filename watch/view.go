package watch

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A View is where one lock stands, for people and programs that ask.
type View struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	Info
	AgentID   string            `json:"agent_id"`
	Class     verdict.Verdict   `json:"class"`
	Freshness verdict.Freshness `json:"freshness"`
	// Since is when Class became what it is; Validated when the agent last
	// confirmed the card that it rests on. Null: never.
	Since     *time.Time `json:"since"`
	DecidedAt *time.Time `json:"decided_at"`
	Validated *time.Time `json:"validated_at"`
	// NextRefresh is when the agent is asked next; null while it is being asked.
	NextRefresh *time.Time       `json:"next_refresh"`
	CardDigest  string           `json:"card_digest,omitzero"`
	Pending     bool             `json:"pending,omitzero"` // something worse waits for its confirmation
	Gone        string           `json:"gone,omitzero"`    // why nothing could be decided since
	Broken      string           `json:"broken,omitzero"`  // why the file is no lock now; the last good one holds
	Episode     *verdict.Episode `json:"episode,omitzero"`
	Ack         *verdict.Ack     `json:"ack,omitzero"`
	Skills      []string         `json:"skills"`
	Findings    []diff.Finding   `json:"findings,omitzero"` // of one lock alone, not in a list
}

// A Filter chooses locks; what is "" chooses all.
type Filter struct {
	Class, Freshness, Owner, Workflow, Agent string
	// Path is that of the lock's file, or how it ends.
	Path string
}

// Locks are up to limit views that f chooses, in the order of ids after the one
// named, without findings; next is where the next page begins, "" at the end.
func (e *Engine) Locks(f Filter, after string, limit int) (page []View, next string) {
	e.mu.RLock()
	ids := slices.Sorted(maps.Keys(e.locks))
	e.mu.RUnlock()
	start, found := slices.BinarySearch(ids, after)
	if found {
		start++
	}
	page = []View{}
	for _, id := range ids[start:] {
		v, ok := e.view(id, f)
		if !ok {
			continue
		}
		if len(page) == limit {
			return page, page[limit-1].ID
		}
		v.Findings = nil
		page = append(page, v)
	}
	return page, ""
}

func (f Filter) chooses(v View) bool {
	return (f.Class == "" || f.Class == string(v.Class)) &&
		(f.Freshness == "" || f.Freshness == string(v.Freshness)) &&
		(f.Owner == "" || f.Owner == v.Owner) &&
		(f.Workflow == "" || f.Workflow == v.Workflow) &&
		(f.Agent == "" || f.Agent == v.AgentID || strings.HasPrefix(v.Agent, f.Agent)) &&
		(f.Path == "" || f.Path == v.Path || strings.HasSuffix(filepath.ToSlash(v.Path), "/"+f.Path))
}

// Lock is the view of one lock, with its findings.
func (e *Engine) Lock(id string) (View, bool) { return e.view(id, Filter{}) }

// view is the view of a lock that f chooses.
func (e *Engine) view(id string, f Filter) (View, bool) {
	now := e.Wall()
	e.mu.RLock()
	defer e.mu.RUnlock()
	w, ok := e.locks[id]
	if !ok {
		return View{}, false
	}
	v := View{ID: w.id, Path: w.path, Info: w.Info, Class: verdict.None, Skills: w.skills}
	if w.broken != nil {
		v.Broken = w.broken.Error()
	}
	s := w.state.Load()
	v.Class, v.Since, v.DecidedAt, v.Validated = s.Verdict, moment(s.Since), moment(s.DecidedAt), moment(s.ValidatedAt)
	if v.Class == "" {
		v.Class = verdict.None
	}
	v.CardDigest, v.Gone, v.Episode, v.Ack, v.Findings = s.CardDigest, s.Gone, s.Episode, s.Ack, s.Findings
	v.Pending = s.Pending != nil
	if w.agent == nil { // never was a lock
		v.Freshness = verdict.Expired
		return v, f.chooses(v)
	}
	v.AgentID, v.Freshness = w.agent.id, s.Freshness(now, w.agent.params)
	if !f.chooses(v) {
		return v, false // before the schedule is asked, which takes longest
	}
	if !w.agent.flying {
		v.NextRefresh = moment(w.agent.requestAt(e, now).at)
	}
	return v, true
}

// moment is t for JSON: in UTC, nil where it is none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// Counts are what the engine holds, counted at one moment.
type Counts struct {
	Now      time.Time
	Agents   int
	Flights  int // requests under way, waiting ones among them
	Paused   int // hosts that asked us to wait
	Locks    map[Standing]int
	Open     map[verdict.Verdict]int // episodes, by class
	Oldest   time.Time               // the oldest validation; zero: there is none
	LastRun  *time.Time
	NextRun  *time.Time
	Broken   []string // ids of locks whose files cannot be read now
	Silent   bool     // the network is suspected to be gone
	PerAgent []Age    // only where the configuration asks for it
}

// A Standing is a class and how far it may be trusted.
type Standing struct {
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

// Counts looks at every lock and agent.
func (e *Engine) Counts() Counts {
	now := e.Wall()
	d := &e.cfg.Load().Config.Daemon
	c := Counts{Now: now, Locks: map[Standing]int{}, Open: map[verdict.Verdict]int{}}
	_, _, c.Paused = e.cfg.Load().client.Gates.Gauges(time.Now())
	e.mu.RLock()
	defer e.mu.RUnlock()
	c.Agents, c.Silent = len(e.agents), e.outage.Suspected()
	var last time.Time
	for _, id := range slices.Sorted(maps.Keys(e.locks)) {
		w := e.locks[id]
		if w.broken != nil {
			c.Broken = append(c.Broken, id)
		}
		if w.agent == nil {
			continue
		}
		s := w.state.Load()
		class := s.Verdict
		if class == "" {
			class = verdict.None
		}
		c.Locks[Standing{class, s.Freshness(now, w.agent.params)}]++
		if s.Episode != nil {
			c.Open[class]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.agents)) {
		a := e.agents[id]
		if a.flying {
			c.Flights++
		}
		last = latest(last, a.last)
		v := a.seen.Validated
		if !v.IsZero() && (c.Oldest.IsZero() || v.Before(c.Oldest)) {
			c.Oldest = v
		}
		if d.PerAgent && !v.IsZero() {
			c.addAge(id, max(0, now.Sub(v).Seconds()), d.PerAgentCap)
		}
	}
	c.LastRun = moment(last)
	if _, due, ok := e.queue.Peek(); ok {
		c.NextRun = moment(due)
	}
	return c
}

// addAge adds an agent; of those beyond the cap the oldest stands for all.
func (c *Counts) addAge(agent string, age float64, most int) {
	n := len(c.PerAgent)
	switch {
	case n < most:
		c.PerAgent = append(c.PerAgent, Age{agent, age})
	case n == most:
		c.PerAgent = append(c.PerAgent, Age{overflow, age})
	default:
		c.PerAgent[n-1].Age = max(c.PerAgent[n-1].Age, age)
	}
}
