// Package smallfile reads small files that an operator names: secrets and
// certificates.
package smallfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read is what the regular file at path holds, and its mode. One over limit bytes
// is an error, and what may have no end or wait for a writer (a pipe, a device) is
// not opened. The error names path.
func Read(path string, limit int64) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	mode := info.Mode()
	if !mode.IsRegular() {
		return nil, mode, fmt.Errorf("%s: no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, mode, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: over %d bytes", path, limit)
	}
	if err != nil {
		return nil, mode, err
	}
	return data, mode, nil
}
