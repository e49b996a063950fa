// Package watch is the daemon's engine: it refreshes every locked agent on
// schedule, judges its locks, remembers what happened and answers whether to
// delegate.
//
// An [Engine] asks each (agent, identity) once, however many locks are about
// it. What comes back is held against each lock by package diff, goes through
// the state machine of package verdict, and is written to the store in one
// transaction with the messages that follow from it; only then does it hold.
// Nothing is decided outside of the state machine, and nothing is sent from
// here: package notify takes messages from the store.
//
// Locks and configuration are read by [Engine.Reload], all or nothing; a lock
// that breaks keeps its last good text.
package watch
