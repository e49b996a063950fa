package diff

import (
	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/whole"
)

// Cards compares two cards as Compare does a card and a lock: old becomes a
// lock that needs all that old offers, for a client that can satisfy all of old
// and knows nothing else. base carries the policy and the moment.
//
// The error is a *[card.DocumentError] when old has no interface that any
// client could call, and so offers nothing that could break. A new card that
// cannot be judged is an undecided result.
func Cards(was, now []byte, o card.Options, base Comparison) (*Result, error) {
	c, err := card.Parse(was, o)
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		return nil, err
	}
	cl := whole.Client(c)
	before := compile.Read(was, cl, o)
	if before.Err != nil {
		return nil, before.Err
	}
	if !before.Profile.Usable {
		return nil, &card.DocumentError{State: card.Invalid, Msg: "no client can call the agent: " + before.Profile.Reason}
	}
	base.Client, base.HoldsAll = cl, true
	return Judge(whole.Lock(before), compile.Read(now, cl, o), base), nil
}
