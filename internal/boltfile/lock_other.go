//go:build !unix || aix || solaris

package boltfile

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// tryLock is missing here, and a file that is not locked is not safe to open.
func tryLock(*os.File) error { return errors.ErrUnsupported }

func unlock(*os.File) error { return nil }
