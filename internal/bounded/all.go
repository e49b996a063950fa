package bounded

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// chunk is how much of a body is read at once.
const chunk = 32 << 10

// All reads to the end, into as much room as the body needs: many may be kept for
// a while. Its error is as Read's.
func (r *Reader) All() ([]byte, error) {
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	for {
		*buffer = slices.Grow(*buffer, chunk)
		n := len(*buffer)
		m, err := r.Read((*buffer)[n : n+chunk])
		*buffer = (*buffer)[:n+m]
		switch err {
		case nil:
		case io.EOF:
			return bytes.Clone(*buffer), nil
		default:
			return nil, err
		}
	}
}

// buffers are what bodies are read into.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keep gives back a buffer, unless one long body has made it large.
func keep(buffer *[]byte) {
	if *buffer = (*buffer)[:0]; cap(*buffer) <= 4*chunk {
		buffers.Put(buffer)
	}
}
