package smallfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, data := range map[string]string{"empty": "", "full": "12345678", "over": "123456789"} {
		if err := os.WriteFile(path(name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("full", path("link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, data, err string }{
		{path("full"), "12345678", ""},
		{path("empty"), "", ""},
		{path("link"), "12345678", ""},
		{path("over"), "", "over: over 8 bytes"},
		{dir, "", "no regular file"},
		{path("missing"), "", "missing"},
		{os.DevNull, "", "no regular file"}, // as /dev/zero, which has no end
	} {
		if runtime.GOOS == "windows" && (tt.path == os.DevNull || tt.path == path("link")) {
			continue
		}
		data, mode, err := Read(tt.path, 8)
		if tt.err == "" && (err != nil || string(data) != tt.data || !mode.IsRegular()) {
			t.Errorf("Read(%s) = %q, %v, %v, want %q", tt.path, data, mode, err, tt.data)
		}
		if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || data != nil) {
			t.Errorf("Read(%s) = %q, %v, want %q", tt.path, data, err, tt.err)
		}
	}
}
