package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/card"
)

const (
	// maxRatio is decoded to encoded bytes. Cards with a thousand skills cut
	// from one cloth stay well under it; a bomb is near 1000.
	maxRatio = 200
	// ratioFrom is where the ratio begins to count.
	ratioFrom = 64 << 10
	chunk     = 32 << 10
)

// readBody reads the decoded body of a 200, at most limit bytes of it. Its
// error is an [*Error] where the body is too large.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	tooLarge := func(format string, args ...any) error {
		return &Error{State: card.TooLarge, Err: fmt.Errorf(format, args...)}
	}
	// Encoded bytes are bounded, too: a gzip stream can be made of nothing but
	// empty blocks. Compression of noise adds less than a chunk.
	wire := &meter{r: res.Body, left: limit + chunk}
	var body io.Reader = wire
	zipped := false
	switch encoding := strings.ToLower(strings.Join(res.Header.Values("Content-Encoding"), ",")); encoding {
	case "", "identity":
		if res.ContentLength > limit {
			return nil, tooLarge("the body has %d bytes, over the limit of %d", res.ContentLength, limit)
		}
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(wire)
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the body is not the gzip it says: %w", err)
		}
		body, zipped = z, true
	default:
		return nil, fmt.Errorf("content encoding %q was not asked for", encoding)
	}
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	for {
		*buffer = slices.Grow(*buffer, chunk)
		n := len(*buffer)
		m, err := body.Read((*buffer)[n : n+chunk])
		data := (*buffer)[:n+m]
		*buffer = data
		switch {
		case int64(len(data)) > limit, errors.Is(err, errOverWire):
			return nil, tooLarge("the body is over the limit of %d bytes", limit)
		case zipped && len(data) > ratioFrom && int64(len(data)) > maxRatio*wire.n:
			return nil, tooLarge("the body unpacks to more than %d times its size", maxRatio)
		case err == io.EOF:
			return bytes.Clone(data), nil
		case err != nil:
			return nil, fmt.Errorf("reading the body: %w", err)
		}
	}
}

// buffers are what bodies are read into. A body is kept for as long as it waits to
// be written, and thousands may wait: each has the room that it needs.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keep gives back a buffer, unless one long body has made it large.
func keep(buffer *[]byte) {
	if *buffer = (*buffer)[:0]; cap(*buffer) <= 4*chunk {
		buffers.Put(buffer)
	}
}

var errOverWire = errors.New("too many encoded bytes")

// A meter counts what comes off the wire, and stops at left.
type meter struct {
	r       io.Reader
	n, left int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.n >= m.left {
		return 0, errOverWire
	}
	p = p[:min(int64(len(p)), m.left-m.n)]
	n, err := m.r.Read(p)
	m.n += int64(n)
	return n, err
}
