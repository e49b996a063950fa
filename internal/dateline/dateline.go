// Package dateline reads what time it was for the server that gave an answer.
package dateline

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/internal/cachecontrol"
)

// A Reader reads Date headers. Answers of one second nearly all have the same,
// whoever gave them, so it reads that once. The zero Reader is ready to use, and
// safe for concurrent use.
type Reader struct{ last atomic.Pointer[date] }

type date struct {
	text string
	at   time.Time
}

// Of is what a server's clock said when a cache, or else the server, gave the
// answer with this header: its Date, and the time that caches have kept it. Zero
// where it says none that can be read.
func (r *Reader) Of(header http.Header) time.Time {
	text := header.Get("Date")
	if text == "" {
		return time.Time{} // an error costs more than a date
	}
	d := r.last.Load()
	if d == nil || d.text != text {
		at, _ := http.ParseTime(text) // zero with an error
		d = &date{text, at}
		r.last.Store(d)
	}
	if d.at.IsZero() {
		return d.at
	}
	age, _ := cachecontrol.Delta(header.Get("Age"))
	return d.at.Add(age)
}
