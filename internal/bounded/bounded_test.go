package bounded

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// text is JSON that gzip shrinks about as cards do.
func text(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `{"id":"skill-%d"},`, i*7919)
	}
	return b.Bytes()[:n]
}

func TestRead(t *testing.T) {
	const limit = 100_000
	emptyBlocks := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}, bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, limit)...)
	for _, tt := range []struct {
		name, encoding string
		body           []byte
		want           string // the error; "" is none, and the text comes
	}{
		{"at the limit", "", text(limit), ""},
		{"identity", "Identity", text(10), ""},
		{"one over", "", text(limit + 1), "the body is over the limit of 100000 bytes"},
		{"zipped, at the limit", "gzip", zipped(text(limit)), ""},
		{"zipped, by the other name", "X-GZIP", zipped(text(5)), ""},
		{"zipped, one over", "gzip", zipped(text(limit + 1)), "the body is over the limit of 100000 bytes"},
		{"nothing", "", nil, ""},
		{"nothing, and gzip", "gzip", nil, ""},
		{"nothing, zipped", "gzip", zipped(nil), ""},
		{"a bomb", "gzip", zipped(make([]byte, limit)), "the body unpacks to more than 200 times its size"},
		{"empty blocks", "gzip", emptyBlocks, "the body is over the limit of 100000 bytes"},
		{"no gzip", "gzip", []byte("<html>plain text</html>"), "the body is not the gzip it says: gzip: invalid header"},
		{"cut off", "gzip", zipped(text(5000))[:200], "unexpected EOF"},
		{"cut off in the header", "gzip", zipped(text(50))[:5], "unexpected EOF"},
		{"bad checksum", "gzip", append(zipped(text(50))[:20], make([]byte, 60)...), "the body is not the gzip it says: flate: corrupt input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := NewReader(bytes.NewReader(tt.body), tt.encoding, limit)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if tt.want == "" {
				want := tt.body
				if r.zip {
					if z, err := gzip.NewReader(bytes.NewReader(tt.body)); err == nil {
						want, _ = io.ReadAll(z)
					}
				}
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if _, again := r.Read(make([]byte, 1)); !errors.Is(again, err) {
				t.Errorf("asked again: %v, want %v", again, err)
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	for _, encoding := range []string{"br", "gzip, gzip", "deflate", "zstd"} {
		if _, err := NewReader(strings.NewReader("x"), encoding, 10); err == nil || !strings.Contains(err.Error(), "was not asked for") {
			t.Errorf("%s: error = %v", encoding, err)
		}
	}
}

// What has come is given at once: the next event of a stream may be hours away.
func TestReadGivesWhatHasCome(t *testing.T) {
	from, to := io.Pipe()
	defer from.Close()
	z := gzip.NewWriter(to)
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = z.Write([]byte("data: 1\n\n"))
		_ = z.Flush()
	}()
	r, err := NewReader(from, "gzip", 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 100)
	n, err := r.Read(p)
	if err != nil || string(p[:n]) != "data: 1\n\n" {
		t.Errorf("Read = %q, %v", p[:n], err)
	}
	<-wrote
}
