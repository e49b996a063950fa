// Package lanes runs one goroutine for each name of a set, and goes over to
// another set without disturbing what both have in common.
package lanes

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrReplaced is the cause by which a turn ends when the set becomes another.
var ErrReplaced = errors.New("replaced")

// cutAfter is how long what was replaced may go on with what it was at.
const cutAfter = 20 * time.Second

// A Set is what runs at present. Its exported fields are set before it is used.
type Set[T comparable] struct {
	// Run works as of until turn ends, whose cause is ErrReplaced where another
	// set came. What it is at then is cut short when hard ends.
	Run func(turn, hard context.Context, of T)
	// Gone is called when one has ended whose name is in the set no more.
	Gone func()

	mu    sync.Mutex
	lanes map[string]*lane[T]
	wg    sync.WaitGroup
}

type lane[T comparable] struct {
	of   T
	stop func()
	over chan struct{}
}

// Turn makes want what runs. Who is in it already goes on, the others are
// replaced, and cut short after 20 s. Of one name only one runs at a time: the
// next begins when the last has ended. All end with ctx.
func (s *Set[T]) Turn(ctx, hard context.Context, want map[string]T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lanes == nil {
		s.lanes = map[string]*lane[T]{}
	}
	for name, l := range s.lanes {
		if of, ok := want[name]; !ok || of != l.of {
			l.stop()
		}
	}
	for name, of := range want {
		if old := s.lanes[name]; old == nil || old.of != of {
			s.begin(ctx, hard, name, of)
		}
	}
}

func (s *Set[T]) begin(ctx, hard context.Context, name string, of T) {
	turn, end := context.WithCancelCause(ctx)
	hard, cut := context.WithCancel(hard)
	stop := sync.OnceFunc(func() {
		end(ErrReplaced)
		cutLater(hard, cut, cutAfter)
	})
	l, before := &lane[T]{of: of, stop: stop, over: make(chan struct{})}, s.lanes[name]
	s.lanes[name] = l
	s.wg.Go(func() {
		if before != nil {
			<-before.over
		}
		s.Run(turn, hard, of)
		cut()
		end(nil)
		s.mu.Lock()
		last := s.lanes[name] == l
		if last {
			delete(s.lanes, name)
		}
		s.mu.Unlock()
		close(l.over)
		if last && context.Cause(turn) == ErrReplaced {
			s.Gone()
		}
	})
}

// Has reports whether something runs under name.
func (s *Set[T]) Has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lanes[name] != nil
}

// Wait returns when all have ended.
func (s *Set[T]) Wait() { s.wg.Wait() }

// Grace is a context that ends by cut, or so long after ctx.
func Grace(ctx context.Context, grace time.Duration) (hard context.Context, cut func()) {
	hard, cut = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { cutLater(hard, cut, grace) })
	return hard, cut
}

func cutLater(ctx context.Context, cut func(), after time.Duration) {
	timer := time.AfterFunc(after, cut)
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// Loop calls step at once, whenever wake rings, and at the time that step gave,
// until turn ends.
func Loop(turn context.Context, wake <-chan struct{}, step func() time.Time) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-turn.Done():
			return
		case <-wake:
		case <-timer.C:
		}
		timer.Reset(max(time.Until(step()), 0))
	}
}

// Ring wakes who waits for c, which holds one.
func Ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has rung
	}
}
