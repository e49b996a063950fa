package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/bounded"
)

// chunk is how much of a body is read at once.
const chunk = 32 << 10

// readBody reads the decoded body of a 200, at most limit bytes of it. Its
// error is an [*Error] where the body is too large.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	encoding := strings.Join(res.Header.Values("Content-Encoding"), ",")
	body, err := bounded.NewReader(res.Body, encoding, limit)
	if err != nil {
		return nil, err
	}
	if encoding == "" && res.ContentLength > limit {
		return nil, tooLarge(fmt.Errorf("the body has %d bytes, over the limit of %d", res.ContentLength, limit))
	}
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	for {
		*buffer = slices.Grow(*buffer, chunk)
		n := len(*buffer)
		m, err := body.Read((*buffer)[n : n+chunk])
		*buffer = (*buffer)[:n+m]
		_, large := errors.AsType[*bounded.TooLargeError](err)
		_, odd := errors.AsType[*bounded.EncodingError](err)
		switch {
		case err == nil:
		case err == io.EOF:
			return bytes.Clone(*buffer), nil
		case large:
			return nil, tooLarge(err)
		case odd:
			return nil, err
		default:
			return nil, fmt.Errorf("reading the body: %w", err)
		}
	}
}

func tooLarge(err error) *Error { return &Error{State: card.TooLarge, Err: err} }

// buffers are what bodies are read into. A body is kept for as long as it waits to
// be written, and thousands may wait: each has the room that it needs.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keep gives back a buffer, unless one long body has made it large.
func keep(buffer *[]byte) {
	if *buffer = (*buffer)[:0]; cap(*buffer) <= 4*chunk {
		buffers.Put(buffer)
	}
}
