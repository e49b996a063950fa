package daemon

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
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
	lookAgain  = 5 * time.Minute        // where nobody tells of changes
	trimEvery  = time.Hour
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
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-watcher.Events:
			if ok && concernsLocks(event) {
				timer.Reset(settleTime)
			}
			continue
		case <-watcher.Errors:
			timer.Reset(settleTime) // events were lost, say
			continue
		case <-d.roots:
			timer.Reset(0)
			continue
		case <-timer.C:
		}
		timer.Reset(lookAgain)
		d.addFolders(ctx, watcher, d.engine.Setup().Config)
		d.look(ctx)
	}
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

// addFolders watches every folder that may hold a lock.
func (d *Daemon) addFolders(ctx context.Context, w *fsnotify.Watcher, cfg *config.Config) {
	for _, root := range cfg.Roots() {
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			root = filepath.Dir(root)
		}
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // reading the locks says so
			}
			if !entry.IsDir() {
				return nil
			}
			switch entry.Name() {
			case ".git", "vendor", "node_modules":
				return fs.SkipDir
			}
			return w.Add(path)
		})
		if err != nil {
			d.Log.WarnContext(ctx, "changes of locks are seen late", "folder", root, "err", err)
		}
	}
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
