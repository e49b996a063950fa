// Package packed is the binary form of small records: times whose bytes are
// ordered as they are, texts of which a digest takes half its room, and a
// [Reader] that takes a record apart.
package packed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ErrShort reports a record that ends too early.
var ErrShort = errors.New("cut off")

const digestPrefix = "sha256:"

// ParseDigest is the 32 bytes of "sha256:" and 64 hex digits.
func ParseDigest(s string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(digits) != 2*sha256.Size || strings.ToLower(digits) != digits {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// FormatDigest is the text of a SHA-256.
func FormatDigest(sum []byte) string { return digestPrefix + hex.EncodeToString(sum) }

// The kinds of text in a binary record.
const (
	plainText  = 0
	digestText = 1 // 32 bytes stand for the text of a digest
)

// PackText is s with a byte before it that says how it is packed.
func PackText(s string) []byte {
	if sum, ok := ParseDigest(s); ok {
		return append([]byte{digestText}, sum...)
	}
	return append([]byte{plainText}, s...)
}

// UnpackText reads what PackText wrote.
func UnpackText(b []byte) (string, error) {
	switch {
	case len(b) == 0:
		return "", ErrShort
	case b[0] == plainText:
		return string(b[1:]), nil
	case b[0] == digestText && len(b) == 1+sha256.Size:
		return FormatDigest(b[1:]), nil
	}
	return "", fmt.Errorf("text of kind %d", b[0])
}

// A Reader takes a binary record apart; after the first fault it gives zeros.
type Reader struct {
	Data []byte // what is left
	Err  error  // the first fault
}

// Take is the next n bytes.
func (r *Reader) Take(n int) []byte {
	if n < 0 || n > len(r.Data) {
		r.Err, r.Data = ErrShort, nil
		return make([]byte, max(0, min(n, 64)))
	}
	b := r.Data[:n]
	r.Data = r.Data[n:]
	return b
}

// Byte is the next byte.
func (r *Reader) Byte() byte { return r.Take(1)[0] }

// Time reads what AppendTime wrote.
func (r *Reader) Time() time.Time { return ReadTime(r.Take(8)) }

// Uvarint reads what [binary.AppendUvarint] wrote.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Data)
	if n <= 0 {
		r.Err, r.Data = ErrShort, nil
		return 0
	}
	r.Data = r.Data[n:]
	return v
}

// Text reads what AppendText wrote.
func (r *Reader) Text() string {
	s, err := UnpackText(r.Take(int(min(r.Uvarint(), math.MaxInt32))))
	if r.Err == nil {
		r.Err = err
	}
	return s
}

// AppendText appends s; a digest takes half the room of its text.
func AppendText(b []byte, s string) []byte {
	packed := PackText(s)
	return append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
}

// noTime stands for the zero time.
const noTime = math.MinInt64

// AppendTime appends t in a form whose bytes are ordered as the times are.
func AppendTime(b []byte, t time.Time) []byte {
	n := int64(noTime)
	switch {
	case t.IsZero():
	case t.Year() < 1700: // out of what 64 bits of nanoseconds hold
		n = noTime + 1
	case t.Year() > 2200:
		n = math.MaxInt64
	default:
		n = t.UnixNano()
	}
	return binary.BigEndian.AppendUint64(b, uint64(n)^1<<63)
}

// ReadTime reads what AppendTime wrote, in UTC.
func ReadTime(b []byte) time.Time {
	n := int64(binary.BigEndian.Uint64(b) ^ 1<<63)
	if n == noTime {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
