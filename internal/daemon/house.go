package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/fsnotify/fsnotify"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/store"
)

const (
	settleTime = 300 * time.Millisecond // after the last change of a file
	settleMost = 2 * time.Second        // after the first, where they do not end
	lookAtRoot = 5 * time.Second        // while a root is missing
	lookAgain  = 5 * time.Minute        // where nobody tells of changes
	trimEvery  = time.Hour
	guardEvery = time.Minute
	hung       = 2 * time.Minute // since the engine last looked around
)

// newWatcher tells of changes below the roots of cfg from now on; nil where the
// system cannot.
func (d *Daemon) newWatcher(ctx context.Context, cfg *config.Config) *fsnotify.Watcher {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		d.Log.WarnContext(ctx, "changes of locks are seen late", "err", err)
		return nil
	}
	d.addFolders(ctx, watcher, cfg)
	return watcher
}

// watchFiles reads the locks again when files below their roots change, and
// every five minutes anyhow. Folders are watched before they are read, so that
// nothing falls in between.
func (d *Daemon) watchFiles(ctx context.Context, watcher *fsnotify.Watcher) {
	if watcher == nil {
		d.lookOnly(ctx)
		return
	}
	timer, roots := time.NewTimer(lookAgain), time.NewTicker(lookAtRoot)
	defer timer.Stop()
	defer roots.Stop()
	missing := missingRoots(d.engine.Setup().Config)
	var wait settling
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-watcher.Events:
			if ok && concernsLocks(event) {
				timer.Reset(wait.next(time.Now()))
			}
			continue
		case <-watcher.Errors:
			timer.Reset(wait.next(time.Now())) // events were lost, say
			continue
		case <-d.roots:
			timer.Reset(0)
			continue
		case <-roots.C:
			// Nobody tells of a root that comes back: what was watched is gone.
			if slices.Equal(missingRoots(d.engine.Setup().Config), missing) {
				continue
			}
		case <-timer.C:
		}
		wait, missing = settling{}, missingRoots(d.engine.Setup().Config)
		timer.Reset(lookAgain)
		d.addFolders(ctx, watcher, d.engine.Setup().Config)
		d.look(ctx)
	}
}

// settling is since when changes have been waited for to end; zero: none came.
type settling struct{ since time.Time }

// next is how long to wait after a change at now.
func (s *settling) next(now time.Time) time.Duration {
	if s.since.IsZero() {
		s.since = now
	}
	return max(0, min(settleTime, s.since.Add(settleMost).Sub(now)))
}

// missingRoots are the roots of cfg that are not there, or cannot be read.
func missingRoots(cfg *config.Config) (missing []string) {
	for _, root := range cfg.Roots() {
		file, err := os.Open(root)
		if err != nil {
			missing = append(missing, root)
			continue
		}
		file.Close()
	}
	return missing
}

// concernsLocks reports whether locks may be others after the event. The store
// may lie among them, and is written all the time.
func concernsLocks(event fsnotify.Event) bool {
	if strings.HasSuffix(event.Name, lockfile.Suffix) {
		return true
	}
	return event.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename) // a folder, say
}

// lookOnly is watchFiles where the system tells of no changes.
func (d *Daemon) lookOnly(ctx context.Context) {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			d.look(ctx)
		}
	}
}

// look reads the locks again, by the configuration that holds.
func (d *Daemon) look(ctx context.Context) {
	d.reading.Lock() // or a reload of meanwhile would be taken back
	defer d.reading.Unlock()
	if err := d.engine.Reload(ctx, d.engine.Setup()); err != nil {
		d.Log.ErrorContext(ctx, "locks not read: the old ones hold", "err", err)
		d.engine.TellOnce(ctx, "locks", "The locks cannot be read, and those of before hold: "+err.Error())
		return
	}
	d.engine.Over(ctx, "locks")
}

// addFolders watches every folder that may hold a lock, through links too.
func (d *Daemon) addFolders(ctx context.Context, w *fsnotify.Watcher, cfg *config.Config) {
	for _, root := range cfg.Roots() {
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			root = filepath.Dir(root)
		}
		err := watchBelow(w, root)
		if info, lstatErr := os.Lstat(root); lstatErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = errors.Join(err, w.Add(filepath.Dir(root))) // the link may come to lead elsewhere
		}
		if err != nil {
			d.Log.WarnContext(ctx, "changes of locks are seen late", "folder", root, "err", err)
		}
	}
}

// watchBelow watches the folders that [lockfile.Find] searches below root, each
// by its own name: what a link leads to changes without the link.
func watchBelow(w *fsnotify.Watcher, root string) error {
	var top string
	visited := map[string]bool{}
	for todo := []string{root}; len(todo) > 0; todo = todo[1:] {
		dir, err := filepath.EvalSymlinks(todo[0])
		if err == nil {
			dir, err = filepath.Abs(dir)
		}
		if err != nil {
			continue // reading the locks says so
		}
		if top == "" {
			top = dir
		} else if rel, err := filepath.Rel(dir, top); err != nil || filepath.IsLocal(rel) {
			continue // it leads up, out of the project
		}
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // reading the locks says so
			}
			skip := path != dir && slices.Contains([]string{".git", "vendor", "node_modules"}, entry.Name())
			if entry.Type()&fs.ModeSymlink != 0 {
				if info, err := os.Stat(path); err == nil && info.IsDir() && !skip {
					todo = append(todo, path)
				}
				return nil
			}
			if !entry.IsDir() {
				return nil
			}
			if skip || visited[path] {
				return fs.SkipDir
			}
			visited[path] = true
			return w.Add(path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// guardStore looks at the store's file each minute, and mends what cannot be read
// in it, until it is lost, which ends the daemon: a supervisor's restart begins
// with the file that is there.
func (d *Daemon) guardStore(ctx context.Context) error {
	ticker := time.NewTicker(guardEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := d.checkStore()
		if err == nil {
			d.mendStore(ctx)
			continue
		}
		d.Log.ErrorContext(ctx, "store lost: the daemon ends", "err", err)
		d.engine.Tell(ctx, "store", "The store is lost, and the daemon ends; started again it begins with the file that is there then, "+
			"or with none: "+err.Error())
		return fmt.Errorf("the store is lost: %w", err)
	}
}

// mendStore mends what could not be read in the store while it was used, has the
// engine write anew what it knows better, and tells of it. What cannot be written
// comes with the next call.
func (d *Daemon) mendStore(ctx context.Context) {
	if n, _ := d.store.Damaged(); n > 0 {
		faults, err := d.store.Mend()
		if err != nil {
			d.Log.ErrorContext(ctx, "cannot mend the store", "err", err)
			return
		}
		if len(faults) > 0 {
			d.Log.ErrorContext(ctx, "store mended", "records", len(faults), "err", store.Several(faults))
			d.lacking = true
		}
	}
	if d.lacking {
		d.lacking = !d.engine.Restore(ctx)
	}
	d.tellDamage(ctx)
}

// checkStore reports a store that is no longer at its path, or is damaged.
func (d *Daemon) checkStore() error {
	path := d.Setup.Config.File(d.Setup.Config.Daemon.Store.BBolt)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: removed or moved away while it was in use", path)
	case err != nil:
		return err
	case !os.SameFile(info, d.file):
		return fmt.Errorf("%s: replaced by another file while it was in use: stop the daemon before you restore a copy", path)
	}
	err = d.store.View(func(*store.Tx) error { return nil }) // the answer of every call once there was damage
	if damage, ok := errors.AsType[*store.DamageError](err); ok {
		return damage
	}
	return nil
}

// keepHouse takes out of the store what is too old.
func (d *Daemon) keepHouse(ctx context.Context) {
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(trimEvery)
		cfg := d.engine.Setup().Config.Daemon
		gone, err := d.store.Trim(ctx, store.TrimOptions{
			Before: time.Now().Add(-cfg.HistoryAge), PerLock: cfg.HistoryCount, PerAgent: cfg.HistoryCount,
		})
		switch {
		case err != nil && ctx.Err() == nil:
			d.Log.ErrorContext(ctx, "cannot trim the store", "err", err)
		case gone != (store.Trimmed{}):
			d.Log.InfoContext(ctx, "store trimmed", "gone", gone)
		}
	}
}

// watchdog tells systemd that the engine is alive, as often as it wants to hear
// it.
func (d *Daemon) watchdog(ctx context.Context) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		return
	}
	ticker := time.NewTicker(every / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if d.engine.Idle() <= hung {
				d.systemd("WATCHDOG=1")
			}
		}
	}
}

// systemd tells the service manager, where there is one.
func (d *Daemon) systemd(state string) {
	if state == "RELOADING=1" {
		state += "\n" + daemon.SdNotifyMonotonicUsec()
	}
	if _, err := daemon.SdNotify(false, state); err != nil {
		d.Log.Warn("cannot tell systemd", "state", state, "err", err)
	}
}
