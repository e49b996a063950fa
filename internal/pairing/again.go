package pairing

import (
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// Again are further pairs among those that [Of] gave: a lock that says now what
// another one said before, by workflow, agent and identity, while that one's file
// says something else. Its own place is the surer sign of what became of a lock, and
// not the only one: who gives a lock's name away, and lets another file take it over,
// has changed both.
func Again(pairs []Pair) []Pair {
	gone := map[key]*Lock{}
	for _, p := range pairs {
		if p.Was == nil || p.Was.Lock == nil {
			continue
		}
		if k := workOf(p.Was.Lock); p.Now == nil || p.Now.Lock == nil || workOf(p.Now.Lock) != k {
			gone[k] = p.Was
		}
	}
	var again []Pair
	for _, p := range pairs {
		if p.Now == nil || p.Now.Lock == nil {
			continue
		}
		k := workOf(p.Now.Lock)
		isNew := p.Was == nil || p.Was.Lock == nil || workOf(p.Was.Lock) != k
		if was := gone[k]; isNew && was != nil && was != p.Was {
			again = append(again, Pair{Was: was, Now: p.Now})
		}
	}
	return again
}

// workOf is what a lock is for.
func workOf(l *lockfile.Lock) key {
	return key{l.Workflow, compile.Origin("", l.Agent), l.Identity}
}
