// Package wholefile writes a file whole or not at all.
package wholefile

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Write makes data what the file at path holds: by a temporary file beside it
// that is on disk when it takes the file's place. A process that dies, a full
// disk or a folder that may not be written leave what was there. A symbolic
// link stays, and its target is written; the file's mode stays; missing folders
// are made. A file that already holds data is left alone. Temporary files that
// killed writers of the same file left are removed once they are an hour old.
func Write(path string, data []byte) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	if err := write(target, data); err != nil {
		return err
	}
	removeStale(target)
	return nil
}

func write(target string, data []byte) error {
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0)
	switch info, err := os.Stat(target); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", target)
	case err == nil:
		mode = info.Mode().Perm()
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, data) {
			return nil
		}
	case !os.IsNotExist(err):
		return err
	}
	temp := filepath.Join(dir, tempPrefix(target)+rand.Text()[:tempRandom])
	if err := writeTemp(temp, data, mode); err != nil {
		os.Remove(temp)
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(dir)
}

// The name of a temporary file ends in so many letters of [rand.Text].
const (
	tempRandom = 8
	base32     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// tempPrefix begins the names of the temporary files of target. They end
// otherwise than target does, so that what looks for files by their ending does
// not take one that a crash left behind for one.
func tempPrefix(target string) string { return "." + filepath.Base(target) + ".tmp-" }

// removeStale removes the temporary files of target that no writer can be at
// work on any more. What stands in its way is left for the next writer.
func removeStale(target string) {
	dir := filepath.Dir(target)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		random, ours := strings.CutPrefix(e.Name(), tempPrefix(target))
		if !ours || len(random) != tempRandom || strings.Trim(random, base32) != "" || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// writeTemp makes a new file that is on disk when it returns. A zero mode is
// what the umask leaves of 0644.
func writeTemp(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// syncDir puts a rename on disk. Windows has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// follow returns what path names once symbolic links are resolved; the last
// one may point to a file that is not there yet.
func follow(path string) (string, error) {
	for range 40 { // as many as Linux follows
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}
