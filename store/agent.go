package store

import (
	"fmt"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/mend"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// Agent is the agent with this ID.
func (tx *Tx) Agent(id string) (a Agent, ok bool, err error) {
	return records.One[Agent](tx.tx, kept.Agents, []byte(id))
}

// PutAgent keeps a under its ID. The Body that it names is kept with it.
func (tx *Tx) PutAgent(a Agent) error {
	was, _, err := tx.Agent(a.ID)
	if err != nil && !IsRecord(err) { // what cannot be read is replaced
		return err
	}
	if err := tx.tx.MoveBody(was.Body, a.Body); err != nil {
		return fmt.Errorf("agent %q: %w", a.ID, err)
	}
	return records.Save(tx.tx, kept.Agents, []byte(a.ID), a)
}

// DeleteAgent drops the agent and its Seen. Its card versions stay until they
// are trimmed.
func (tx *Tx) DeleteAgent(id string) error {
	was, _, err := tx.Agent(id)
	if err != nil && !IsRecord(err) {
		return err
	}
	if err := tx.tx.MoveBody(was.Body, ""); err != nil {
		return err
	}
	if err := tx.tx.Drop(kept.Seens.Bucket, []byte(id)); err != nil {
		return err
	}
	return tx.tx.Drop(kept.Agents.Bucket, []byte(id))
}

// Agents are the agents by ID.
func (tx *Tx) Agents(p Page) (page []Agent, next string, err error) {
	return records.List[Agent](tx.tx, kept.Agents, p)
}

// IsRecord reports whether err is of one record that cannot be read.
func IsRecord(err error) bool { return mend.IsRecord(err) }

// readAgent is a [mend.AgentReader].
func readAgent(key, data []byte) (any, string, string, error) {
	var a Agent
	err := kept.Agents.Decode(key, data, &a)
	return a, a.ID, a.Body, err
}

// Seen is when the agent was last run and validated, zero for one that never
// was.
func (tx *Tx) Seen(id string) (Seen, error) {
	data, err := tx.tx.Get(kept.Seens.Bucket, []byte(id))
	if err != nil || data == nil {
		return Seen{}, err
	}
	s, err := kept.ReadSeen([]byte(id), data)
	tx.tx.Skip(err)
	return s, err
}

// PutSeen keeps s for the agent, to the nanosecond and in UTC.
func (tx *Tx) PutSeen(id string, s Seen) error {
	return tx.tx.Put(kept.Seens.Bucket, []byte(id), packed.AppendTime(packed.AppendTime(make([]byte, 0, kept.SeenSize), s.Slot), s.Validated))
}

// Seens is Seen of every agent that has one, by ID: what a start reads.
func (tx *Tx) Seens() (map[string]Seen, error) {
	all := map[string]Seen{}
	for e, err := range tx.tx.All(kept.Seens.Bucket, nil) {
		if err != nil {
			return nil, err
		}
		if all[string(e.Key)], err = kept.ReadSeen(e.Key, e.Value); err != nil && !tx.tx.Skip(err) {
			return nil, err
		}
	}
	return all, nil
}

// PutCardVersion adds a card that the agent showed, numbered by its Seq, or puts
// it anew. The Body that it names is kept with it.
func (tx *Tx) PutCardVersion(v CardVersion) error { return history.PutVersion(tx.tx, v) }

// CardVersions are the cards that the agent showed, the newest first.
func (tx *Tx) CardVersions(agent string, p Page) (page []CardVersion, next string, err error) {
	return history.ListVersions(tx.tx, agent, p)
}
