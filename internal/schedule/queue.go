package schedule

import "time"

// A Queue holds agents by when they are due, each once. The zero value is empty
// and ready to use. Adding, moving and taking one out cost O(log n). It is not
// safe for concurrent use.
type Queue struct{ order order[due] }

// due is when the agent id is.
type due struct {
	id string
	at time.Time
}

// Before is by time, and then by id.
func (d due) Before(o due) bool {
	if c := d.at.Compare(o.at); c != 0 {
		return c < 0
	}
	return d.id < o.id
}

// Len is how many agents wait.
func (q *Queue) Len() int { return q.order.len() }

// Push puts the agent id in, or moves it when it is there, to be due at that
// time.
func (q *Queue) Push(id string, at time.Time) { q.order.put(id, due{id, at}) }

// Remove takes the agent id out, and reports whether it was there.
func (q *Queue) Remove(id string) bool { return q.order.remove(id) }

// Peek is the agent that is due first, and when; false when none waits.
func (q *Queue) Peek() (id string, at time.Time, ok bool) {
	id, first, ok := q.order.first()
	return id, first.at, ok
}

// Pop takes out the agent that is due first, if it is due at or before now.
// Agents that are due at the same moment come in the order of their ids.
func (q *Queue) Pop(now time.Time) (id string, at time.Time, ok bool) {
	id, at, ok = q.Peek()
	if !ok || at.After(now) {
		return "", time.Time{}, false
	}
	q.Remove(id)
	return id, at, true
}
