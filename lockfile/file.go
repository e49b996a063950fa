package lockfile

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile writes l canonically to path, whole or not at all: a process that
// dies, a full disk or a folder that may not be written leave what was there.
// A symbolic link stays, and its target is written; the file's mode stays;
// missing folders are made. A file that already says the same is left alone.
func (l *Lock) WriteFile(path string) error {
	data, err := Format(l)
	if err != nil {
		return err
	}
	if err := write(path, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func write(path string, data []byte) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
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
	// The name has no lock's suffix, so one left behind by a crash is no lock.
	temp := filepath.Join(dir, "."+filepath.Base(target)+".tmp-"+rand.Text()[:8])
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
