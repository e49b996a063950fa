package store

import (
	"errors"
	"fmt"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/records"
)

// Agent is the agent with this ID.
func (tx *Tx) Agent(id string) (a Agent, ok bool, err error) {
	return records.One[Agent](tx.tx, agents, []byte(id))
}

// PutAgent keeps a under its ID. The Body that it names is kept with it.
func (tx *Tx) PutAgent(a Agent) error {
	was, _, err := tx.Agent(a.ID)
	if err != nil && !isRecordError(err) { // what cannot be read is replaced
		return err
	}
	if err := tx.tx.MoveBody(was.Body, a.Body); err != nil {
		return fmt.Errorf("agent %q: %w", a.ID, err)
	}
	return records.Save(tx.tx, agents, []byte(a.ID), a)
}

// DeleteAgent drops the agent and its Seen. Its card versions stay until they
// are trimmed.
func (tx *Tx) DeleteAgent(id string) error {
	was, _, err := tx.Agent(id)
	if err != nil && !isRecordError(err) {
		return err
	}
	if err := tx.tx.MoveBody(was.Body, ""); err != nil {
		return err
	}
	if err := tx.tx.Drop(seens.Bucket, []byte(id)); err != nil {
		return err
	}
	return tx.tx.Drop(agents.Bucket, []byte(id))
}

// Agents are the agents by ID.
func (tx *Tx) Agents(p Page) (page []Agent, next string, err error) {
	return records.List[Agent](tx.tx, agents, p)
}

func isRecordError(err error) bool {
	_, ok := errors.AsType[*RecordError](err)
	return ok
}

// seenSize is the length of a Seen, two times. All are of one length, so that
// writing one anew moves nothing and takes no room.
const seenSize = 16

// Seen is when the agent was last run and validated, zero for one that never
// was.
func (tx *Tx) Seen(id string) (Seen, error) {
	data, err := tx.tx.Get(seens.Bucket, []byte(id))
	if err != nil || data == nil {
		return Seen{}, err
	}
	return readSeen([]byte(id), data)
}

func readSeen(id, data []byte) (Seen, error) {
	if len(data) != seenSize {
		return Seen{}, &RecordError{Kind: "seen", Key: string(id), Err: records.ErrShort}
	}
	return Seen{Slot: records.ReadTime(data), Validated: records.ReadTime(data[8:])}, nil
}

// PutSeen keeps s for the agent, to the nanosecond and in UTC.
func (tx *Tx) PutSeen(id string, s Seen) error {
	return tx.tx.Put(seens.Bucket, []byte(id), records.AppendTime(records.AppendTime(make([]byte, 0, seenSize), s.Slot), s.Validated))
}

// Seens is Seen of every agent that has one, by ID: what a start reads.
func (tx *Tx) Seens() (map[string]Seen, error) {
	all := map[string]Seen{}
	for e, err := range tx.tx.All(seens.Bucket, nil) {
		if err != nil {
			return nil, err
		}
		if all[string(e.Key)], err = readSeen(e.Key, e.Value); err != nil {
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
