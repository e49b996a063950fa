package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// patience is how long a run may take before it says how far it is.
const patience = time.Second

// A progress tells a person at a terminal how far a long run is, on one line
// that is gone at the end.
type progress struct {
	w    io.Writer // nil: nobody looks
	what string

	mu          sync.Mutex
	done, total int
	shown       bool
	timer       *time.Timer
}

func (a *app) progress(what string) *progress {
	p := &progress{what: what}
	if a.watched {
		p.w = a.stderr
	}
	p.timer = time.AfterFunc(patience, p.show)
	return p
}

// step says that done of total are done. It is safe for concurrent use.
func (p *progress) step(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	if p.shown {
		p.print()
	}
}

// show begins to print: the run takes long.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = true
	p.print()
}

func (p *progress) print() {
	if p.w != nil && p.total > 0 {
		fmt.Fprintf(p.w, "\r%d of %d %s", p.done, p.total, p.what)
	}
}

// end takes the line away.
func (p *progress) end() {
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown && p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}
