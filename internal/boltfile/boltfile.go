// Package boltfile opens a bbolt file so that neither another process, nor
// damage, nor a full disk takes the program down.
//
// bbolt maps its file into memory and trusts what it finds: a file that was cut
// off faults when it is opened, and a wild page number when it is met. So a
// [File] is locked first, then walked page by page with plain reads, and only
// then given to bbolt. One that fails the walk is a [*DamageError], which
// [File.SetAside] answers.
package boltfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A File is a bbolt file that this process alone holds.
type File struct {
	// DB is open from Load on.
	DB *bolt.DB
	// Usage is what Load found.
	Usage Usage

	path   string
	file   *os.File
	begun  bool // by us: there was no file
	looked bool // it is not written
}

// A Usage tells how much of a file is in use, in bytes.
type Usage struct {
	Size int64 // of the file
	Free int64 // in pages that hold nothing
	// OneHead is whether one of its two meta pages is damaged: if that was the
	// later one, the last commit is lost.
	OneHead bool
}

// A DamageError reports a file that is no bbolt file, or a damaged one.
type DamageError struct{ Path, Reason string }

// Error names the file and what is wrong with it.
func (e *DamageError) Error() string { return e.Path + ": damaged: " + e.Reason }

// errChanged reports that another file took the name while it was being locked.
var errChanged = errors.New("replaced while it was being opened")

// lockPause is the time between two attempts to lock.
const lockPause = 20 * time.Millisecond

// Acquire opens the file at path, which it creates with mode 0600 where there is
// none, and locks it. It waits up to timeout for another process to let go of
// it, then gives an [*InUseError]. The caller calls Load next, and Close at the
// end.
func Acquire(path string, timeout time.Duration) (*File, error) {
	return acquire(path, timeout, openLocked)
}

// Look is Acquire for who writes nothing: the file may be on a disk that cannot be
// written, and must be there.
func Look(path string, timeout time.Duration) (*File, error) {
	f, err := acquire(path, timeout, func(path string) (*os.File, bool, error) {
		return lockNamed(path, os.O_RDONLY)
	})
	if err == nil {
		f.looked = true
	}
	return f, err
}

func acquire(path string, timeout time.Duration, open func(string) (*os.File, bool, error)) (*File, error) {
	if err := checkPlace(path); err != nil {
		return nil, err
	}
	for start := time.Now(); ; time.Sleep(lockPause) {
		file, begun, err := open(path)
		switch {
		case err == nil:
			f := &File{path: path, file: file, begun: begun}
			if err := checkLocks(path); err != nil {
				return nil, errors.Join(err, file.Close())
			}
			f.writeHolder()
			return f, nil
		case !errors.Is(err, errLocked) && !errors.Is(err, errChanged):
			return nil, err
		case time.Since(start) >= timeout:
			if errors.Is(err, errLocked) {
				return nil, &InUseError{Path: path, Holder: readHolder(path)}
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// checkPlace says in plain words what os.OpenFile would not.
func checkPlace(path string) error {
	dir := filepath.Dir(path)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the folder %s does not exist", path, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		// Compaction renames a new file over path, which would cut the link.
		return fmt.Errorf("%s: is a symbolic link: name the file that it leads to", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is no regular file", path)
	}
	return nil
}

// openLocked opens path and locks it; begun is whether there was no such file.
// The lock is on the file and not on its name, so the name must still lead to it
// afterwards.
func openLocked(path string) (file *os.File, begun bool, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		return lockOpen(path, file, true)
	case !errors.Is(err, fs.ErrExist):
		return nil, false, err
	}
	if file, begun, err = lockNamed(path, os.O_RDWR); errors.Is(err, fs.ErrNotExist) {
		err = errChanged // it went in between
	}
	return file, begun, err
}

// lockNamed is openLocked for a file that is there.
func lockNamed(path string, flag int) (*os.File, bool, error) {
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, false, err
	}
	return lockOpen(path, file, false)
}

func lockOpen(path string, file *os.File, begun bool) (*os.File, bool, error) {
	if err := tryLock(file); err != nil {
		file.Close()
		if errors.Is(err, errLocked) {
			return nil, false, err
		}
		return nil, false, fmt.Errorf("%s: locking: %w", path, err)
	}
	mine, err1 := file.Stat()
	named, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(mine, named) {
		file.Close()
		return nil, false, errChanged
	}
	return file, begun, nil
}

// checkLocks tries to lock a file that is locked. Where that succeeds, as on
// some shares, locks keep nobody out.
func checkLocks(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := tryLock(file); err == nil {
		return fmt.Errorf("%s: locks do not hold on its file system, and two processes could write it at once: keep it on a local disk", path)
	}
	return nil
}

// Path is the file's path, as given to [Acquire].
func (f *File) Path() string { return f.path }

// Load walks the file and opens DB. A [*DamageError] leaves it as it was, for
// SetAside. A file of no length is a new one where [Acquire] made it; one that
// was there is damaged, for something was to be in it.
func (f *File) Load() (err error) {
	if f.Usage, err = verify(f.path, f.file); err != nil {
		return err
	}
	if f.Usage.Size == 0 && !f.begun {
		return &DamageError{Path: f.path, Reason: "empty"}
	}
	f.DB, err = openDB(f.path, f.file, f.Usage.Size, f.looked)
	switch {
	case f.Usage.Size > 0:
		return err
	case err != nil: // half a new file, on a full disk say, would be a damaged one next time
		os.Remove(f.path)
		return err
	}
	return syncFolder(f.path)
}

// mapSize is the memory that a file of size bytes is mapped into: so much that
// the file does not outgrow it. To map it anew, bbolt would have to wait for
// every open reader.
func mapSize(size int64) int {
	if strconv.IntSize == 32 {
		return int(max(64<<20, min(2*size, 512<<20)))
	}
	return int(max(1<<30, 4*size))
}

func openDB(path string, file *os.File, size int64, looked bool) (db *bolt.DB, err error) {
	defer func() {
		if p := recover(); p != nil { // an assertion of bbolt's, or a fault
			err = &DamageError{Path: path, Reason: fmt.Sprint(p)}
		}
	}()
	defer PanicOnFault()()
	db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:         time.Millisecond, // the lock is ours
		OpenFile:        func(string, int, os.FileMode) (*os.File, error) { return file, nil },
		InitialMmapSize: mapSize(size),
		FreelistType:    bolt.FreelistMapType,
		ReadOnly:        looked,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// With a map this large, bbolt grows the file by AllocSize at a time.
	db.AllocSize = 256 << 10
	return db, nil
}

// SetAside renames the file to its path with ".corrupt-" and the moment behind
// it, and begins a new one in its place. It returns the new name, which is
// [File.Noted] with the reason; an empty file is not, where it came in the place
// of one that is.
func (f *File) SetAside(at time.Time, reason string) (string, error) {
	aside := asideOf(f.path, at)
	if earlier, _ := f.Noted(); earlier == "" || !f.isEmpty() {
		f.note(aside, reason)
	}
	if err := os.Rename(f.path, aside); err != nil {
		return "", fmt.Errorf("%s: setting it aside: %w", f.path, err)
	}
	f.release()
	file, begun, err := openLocked(f.path)
	if errors.Is(err, errLocked) {
		return "", &InUseError{Path: f.path, Holder: readHolder(f.path)}
	} else if err != nil {
		return "", err
	}
	f.file, f.begun = file, begun
	return aside, f.Load()
}

// Compact writes what DB holds into a new file, without the free pages, and puts
// it in the place of the old one, unless it is no smaller, as Usage then tells.
// Where it fails, the old one is as it was and DB is open. Nobody may use DB
// meanwhile.
func (f *File) Compact() (err error) {
	temp := f.path + ".compact"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // left behind by a crash, and not to be removed
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
			err = fmt.Errorf("%s: compacting: %w", f.path, err)
		}
	}()
	if err := copyTo(temp, f.DB, f.path); err != nil {
		return err
	}
	file, _, err := openLocked(temp) // before others can know it
	if err != nil {
		return err
	}
	usage, err := verify(temp, file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if usage.Size >= f.Usage.Size { // bbolt grows a small file by more than it needs
		return errors.Join(file.Close(), os.Remove(temp))
	}
	db, err := openDB(f.path, file, usage.Size, false)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, f.path); err != nil {
		return errors.Join(err, db.Close())
	}
	f.release()
	f.DB, f.file, f.Usage = db, file, usage
	return syncFolder(f.path)
}

func copyTo(temp string, from *bolt.DB, path string) (err error) {
	defer Catch(path, &err)
	defer PanicOnFault()()
	file, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	to, err := openDB(temp, file, 0, false)
	if err != nil {
		return err
	}
	to.NoSync = true // until all is there
	if err := bolt.Compact(to, from, 1<<20); err != nil {
		return errors.Join(err, to.Close())
	}
	return errors.Join(to.Sync(), to.Close())
}

// release closes the database, or the file where it is not open.
func (f *File) release() error {
	if db := f.DB; db != nil {
		f.DB = nil
		return db.Close()
	}
	return f.file.Close()
}

// Close closes the file and lets go of the lock. It waits for open
// transactions.
func (f *File) Close() error {
	f.removeHolder()
	return f.release()
}

// Abandon lets go of the lock and leaves DB as it is: for one whose transaction
// was cut short by a fault, which Close would wait for.
func (f *File) Abandon() error {
	f.removeHolder()
	return errors.Join(unlock(f.file), f.file.Close())
}

// syncFolder makes the name of path last.
func syncFolder(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("syncing %s: %w", dir.Name(), err)
	}
	return nil
}
