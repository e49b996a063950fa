package credential

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
)

// redacted stands where a value would stand.
const redacted = "[redacted]"

// maxFile is the greatest file that is read for a value.
const maxFile = 64 << 10

// A Value is a secret: a text, or the file that it is read from whenever it is
// used. However it is printed, logged or encoded, it is "[redacted]". The zero
// Value is none, and cannot be used.
type Value struct {
	// A func, since package fmt prints what is in an unexported field of another
	// struct without asking Format.
	text func() string
	file string
}

// Literal is the value text.
func Literal(text string) Value { return Value{text: func() string { return text }} }

// File is the value that the file at path holds, without a line break at its
// end.
func File(path string) Value { return Value{file: path} }

// IsZero reports whether v is none.
func (v Value) IsZero() bool { return v.text == nil && v.file == "" }

// Equal reports whether v and o are the same text, or the same file.
func (v Value) Equal(o Value) bool {
	if v.text == nil || o.text == nil {
		return v.text == nil && o.text == nil && v.file == o.file
	}
	return v.text() == o.text()
}

// Format implements [fmt.Formatter].
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// String implements [fmt.Stringer].
func (Value) String() string { return redacted }

// LogValue implements [slog.LogValuer].
func (Value) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements [encoding.TextMarshaler].
func (Value) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON implements [json.Marshaler].
func (Value) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// read is the value as it is now; warn is told of a file that others may read.
// The error says what is wrong, and quotes nothing of the value.
func (v Value) read(warn func(string)) (string, error) {
	switch {
	case v.text != nil:
		text := v.text()
		return text, check(text)
	case v.file == "":
		return "", errors.New("no value")
	}
	data, err := readFile(v.file, warn)
	if err != nil {
		return "", err
	}
	data, _ = bytes.CutSuffix(data, []byte("\n"))
	data, _ = bytes.CutSuffix(data, []byte("\r"))
	if err := check(string(data)); err != nil {
		return "", fmt.Errorf("%s: %w", v.file, err)
	}
	return string(data), nil
}

// check refuses what no value is, and what would end a header early.
func check(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }) {
		return errors.New("the value holds a line break or another control character")
	}
	return nil
}

// readFile reads a file that holds a secret; warn is told where others may read
// it, too. It is read every time: a file is small, and a copy of it may be old
// although size and time say nothing of that.
func readFile(path string, warn func(string)) ([]byte, error) {
	// To open a pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		warn(fmt.Sprintf("%s: group or others may read or write it (mode %04o): chmod 600 it", path, mode))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: over %d bytes", path, maxFile)
	}
	return data, err
}
