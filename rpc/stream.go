package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

var errNoEvent = errors.New("the stream ended without an event")

// firstEvent returns the data of the first event in a stream that has any, as soon
// as it is whole. Comments and other fields are passed over; an event that the end
// of the stream cuts off counts, since servers forget the last empty line. No line
// is longer than limit.
func firstEvent(r io.Reader, limit int64) ([]byte, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), int(limit)+2)
	var data [][]byte
	for lines.Scan() {
		line := bytes.TrimPrefix(lines.Bytes(), []byte("\xEF\xBB\xBF"))
		if len(line) == 0 && data != nil {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.Clone(bytes.TrimPrefix(value, []byte(" "))))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	joined := bytes.Join(data, []byte("\n"))
	if len(joined) == 0 {
		return nil, errNoEvent
	}
	return joined, nil
}
