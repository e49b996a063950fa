//go:build unix && !aix && !solaris

package boltfile

import (
	"errors"
	"os"
	"syscall"
)

// errLocked reports that another open file holds the lock.
var errLocked = errors.New("locked")

// tryLock locks file for itself alone. It is bbolt's own kind of lock, of the
// open file and not of the process, and it ends with it, however it dies.
func tryLock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// unlock ends the lock, which outlives file while the file is mapped.
func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }
