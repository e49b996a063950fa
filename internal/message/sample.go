package message

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// Sample is what a sink is told of for a try, by a row of that key.
func Sample(sink, from, key string, at time.Time) Telling {
	const id = "sample"
	return Telling{
		Now: at,
		Row: store.Row{
			Key: key, Sink: sink, Route: from, Lock: id, Kind: store.KindSample, Class: diff.Review, CreatedAt: at,
		},
		Lock: &store.Lock{
			ID: id, Path: "sample.a2a.lock.json", URL: "https://agent.example/.well-known/agent-card.json",
			Workflow: "sample", Owner: "you", Fallback: "human", State: verdict.State{Verdict: verdict.Review},
		},
		Transition: &store.Transition{
			Event: verdict.Event{Kind: store.KindSample, At: at, Class: diff.Review, Was: verdict.Compatible},
			Findings: []diff.Finding{{
				Rule: "agent-version-changed", Class: diff.Review, Was: "3.2.0", Now: "3.3.0",
				Message: "nothing happened: this is what a finding looks like",
			}},
		},
	}
}
