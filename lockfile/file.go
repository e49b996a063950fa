package lockfile

import (
	"fmt"

	"github.com/a2alock/a2alock/internal/wholefile"
)

// WriteFile writes l canonically to path, whole or not at all: a process that
// dies, a full disk or a folder that may not be written leave what was there.
// A symbolic link stays, and its target is written; the file's mode stays;
// missing folders are made. A file that already says the same is left alone.
// What killed writers of the lock left beside it goes once it is an hour old.
func (l *Lock) WriteFile(path string) error {
	data, err := Format(l)
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
