package credential

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"

	"github.com/a2alock/a2alock/internal/smallfile"
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

// read is the value as it is now, for k; warn is told of a file that others may
// read. The error says what is wrong, and quotes nothing of the value.
func (v Value) read(k Kind, warn func(string)) (string, error) {
	switch {
	case v.text != nil:
		text := v.text()
		return text, cmp.Or(check(text), fits(k, text))
	case v.file == "":
		return "", errors.New("no value")
	}
	data, err := readFile(v.file, warn)
	if err != nil {
		return "", err
	}
	data, _ = bytes.CutSuffix(data, []byte("\n"))
	data, _ = bytes.CutSuffix(data, []byte("\r"))
	if err := cmp.Or(check(string(data)), fits(k, string(data))); err != nil {
		return "", fmt.Errorf("%s: %w", v.file, err)
	}
	return string(data), nil
}

// check refuses what no value is, and what would end a header early.
func check(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	if strings.HasPrefix(text, "\ufeff") {
		return errors.New("the value begins with a byte order mark: save the file without one")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }) {
		return errors.New("the value holds a line break or another control character")
	}
	return nil
}

// fits refuses what cannot arrive as it is where k puts it.
func fits(k Kind, text string) error {
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' }
	switch k := k.(type) {
	case Bearer:
		switch {
		case len(text) > 7 && strings.EqualFold(text[:7], "Bearer "):
			return errors.New(`the value begins with "Bearer", which is added to it: leave that out`)
		case strings.ContainsFunc(text, isOdd):
			return errors.New("the value holds a space or another character that no bearer token has (RFC 6750 2.1)")
		}
	case APIKey:
		switch {
		case k.In == InHeader && strings.Trim(text, " \t") != text:
			return errors.New("the value begins or ends with a space, which no header keeps")
		// net/http would drop what no cookie holds, and send the rest.
		case k.In == InCookie && strings.ContainsFunc(text, func(r rune) bool { return isOdd(r) || strings.ContainsRune(`",;\`, r) }):
			return errors.New("the value holds a character that no cookie has (RFC 6265 4.1.1)")
		}
	}
	return nil
}

// readFile reads a file that holds a secret; warn is told where others may read
// it, too. It is read every time: a file is small, and a copy of it may be old
// although size and time say nothing of that.
func readFile(path string, warn func(string)) ([]byte, error) {
	data, mode, err := smallfile.Read(path, maxFile)
	if mode = mode.Perm(); err == nil && mode&0o077 != 0 && runtime.GOOS != "windows" {
		warn(fmt.Sprintf("%s: group or others may read or write it (mode %04o): chmod 600 it", path, mode))
	}
	return data, err
}
