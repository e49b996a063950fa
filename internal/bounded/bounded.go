// Package bounded reads the body of an answer, compressed or not, within limits.
package bounded

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxRatio is decoded to encoded bytes. Cards with a thousand skills cut
	// from one cloth stay well under it; a bomb is near 1000.
	maxRatio = 200
	// ratioFrom is where the ratio begins to count.
	ratioFrom = 64 << 10
	// slack is what compression of noise may add. Encoded bytes are bounded, too:
	// a gzip stream can be made of nothing but empty blocks.
	slack = 32 << 10
)

// TooLargeError is the error of a body over the limits.
type TooLargeError struct {
	Limit int64 // decoded bytes
	Bomb  bool  // it unpacks to far more than its size, whatever the limit
}

// Error says which limit it was.
func (e *TooLargeError) Error() string {
	if e.Bomb {
		return fmt.Sprintf("the body unpacks to more than %d times its size", maxRatio)
	}
	return fmt.Sprintf("the body is over the limit of %d bytes", e.Limit)
}

// EncodingError is the error of a body that is not in the encoding it says, or in one
// that nobody asked for.
type EncodingError struct{ Err error }

// Error is that of Err.
func (e *EncodingError) Error() string { return e.Err.Error() }

// Unwrap is Err.
func (e *EncodingError) Unwrap() error { return e.Err }

// A Reader reads decoded bytes. It gives what has come, as soon as it can be
// decoded, so that a stream of events is read as it arrives.
type Reader struct {
	wire  meter
	body  io.Reader // nil: gzip that has not begun
	zip   bool
	n     int64 // decoded so far
	limit int64
	err   error // once met, met again
}

// NewReader returns a Reader of body, which came with the Content-Encoding, and
// gives at most limit bytes of it; one more is a [*TooLargeError]. Encodings other
// than gzip are an [*EncodingError].
func NewReader(body io.Reader, encoding string, limit int64) (*Reader, error) {
	r := &Reader{wire: meter{r: body, left: limit + slack}, limit: limit}
	switch strings.ToLower(encoding) {
	case "", "identity":
		r.body = &r.wire
	case "gzip", "x-gzip":
		r.zip = true
	default:
		return nil, &EncodingError{fmt.Errorf("content encoding %.40q was not asked for", encoding)}
	}
	return r, nil
}

// Read reads decoded bytes into p. An empty body is one whatever its encoding.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.read(p)
	r.err = err
	return n, err
}

func (r *Reader) read(p []byte) (int, error) {
	if r.body == nil {
		z, err := gzip.NewReader(&r.wire)
		if err != nil { // io.EOF too
			return 0, r.named(err)
		}
		r.body = z
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.limit+1-r.n)])
	r.n += int64(n)
	switch {
	case r.n > r.limit:
		return 0, &TooLargeError{Limit: r.limit}
	case r.zip && r.n > ratioFrom && r.n > maxRatio*r.wire.n:
		return 0, &TooLargeError{Limit: r.limit, Bomb: true}
	}
	return n, r.named(err)
}

func (r *Reader) named(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, errOverWire):
		return &TooLargeError{Limit: r.limit}
	case corrupt, errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return &EncodingError{fmt.Errorf("the body is not the gzip it says: %w", err)}
	}
	return err
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
