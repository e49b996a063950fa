package boltfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const asideMark = ".corrupt-"

// asideNote is what the path has behind it in the name of a note that the file
// was set aside.
const asideNote = ".aside"

// asideOf is a name that is free for the file at path to be set aside under.
func asideOf(path string, at time.Time) string {
	base := path + asideMark + at.UTC().Format("20060102T150405Z")
	for i, name := 2, base; ; i++ {
		if _, err := os.Lstat(name); err != nil { // one that is not to be had fails where it is made
			return name
		}
		name = base + "-" + strconv.Itoa(i)
	}
}

// note leaves word beside the file that it becomes aside, and why, for whoever
// begins a new one. A disk that is too full for that keeps nobody from it.
func (f *File) note(aside, reason string) {
	file, err := os.OpenFile(f.path+asideNote, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_SYNC, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = fmt.Fprintf(file, "%s\n%s", filepath.Base(aside), reason)
}

// Noted is the file that was set aside from this path, and why, until
// [File.Forget]; "": there is none, or it is gone.
func (f *File) Noted() (aside, reason string) {
	data, err := os.ReadFile(f.path + asideNote)
	name, reason, _ := strings.Cut(string(data), "\n")
	if err != nil || !strings.HasPrefix(name, filepath.Base(f.path)+asideMark) || name != filepath.Base(name) {
		return "", ""
	}
	aside = filepath.Join(filepath.Dir(f.path), name)
	if _, err := os.Lstat(aside); err != nil {
		return "", ""
	}
	return aside, reason
}

// Forget has nothing [File.Noted] any more. A note that cannot be removed is read
// where no file is at the path, and only then.
func (f *File) Forget() { _ = os.Remove(f.path + asideNote) }

// isEmpty is whether the file has no length.
func (f *File) isEmpty() bool {
	info, err := f.file.Stat()
	return err == nil && info.Size() == 0
}

// Copy copies the file, as it is on the disk, to the name that SetAside would
// give it, which it returns.
func (f *File) Copy(at time.Time) (aside string, err error) {
	aside = asideOf(f.path, at)
	to, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err != nil {
			os.Remove(aside)
			aside, err = "", fmt.Errorf("%s: copying it aside: %w", f.path, err)
		}
	}()
	info, err := f.file.Stat()
	if err != nil {
		return aside, err
	}
	if _, err := io.Copy(to, io.NewSectionReader(f.file, 0, info.Size())); err != nil {
		return aside, err
	}
	return aside, to.Sync()
}
