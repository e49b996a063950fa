package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/config"
)

// reload takes another configuration, or none of it.
func (d *Daemon) reload(ctx context.Context) {
	d.systemd("RELOADING=1")
	defer d.systemd("READY=1")
	d.reading.Lock()
	defer d.reading.Unlock()
	err := d.tryReload(ctx)
	if err == nil {
		d.refused = ""
		d.metrics.ReloadOK.Set(1)
		d.metrics.ReloadedAt.SetToCurrentTime()
		d.Log.InfoContext(ctx, "configuration reloaded")
		return
	}
	d.metrics.ReloadOK.Set(0)
	d.Log.ErrorContext(ctx, "configuration refused: the old one holds", "err", err)
	if text := err.Error(); text != d.refused { // the same again is told once
		d.refused = text
		d.engine.Tell(ctx, "reload", "A reload of the configuration was refused, and the old one holds: "+text)
	}
}

func (d *Daemon) tryReload(ctx context.Context) error {
	if d.Load == nil {
		return nil
	}
	s, err := d.Load()
	if err != nil {
		return err
	}
	if err := d.fixed(s.Config); err != nil {
		return err
	}
	tokens, err := d.tokens(s.Config)
	if err != nil {
		return err
	}
	if err := d.engine.Reload(ctx, s); err != nil {
		return err
	}
	d.accept(tokens)
	select {
	case <-d.notify: // one that nobody has taken
	default:
	}
	d.notify <- s.Config.Notify.OrLog()
	select {
	case d.roots <- struct{}{}:
	default: // it is known
	}
	return nil
}

// fixed refuses what only a restart can change, each with its line; a key that
// was taken out has none.
func (d *Daemon) fixed(cfg *config.Config) error {
	before, after := d.Setup.Config, cfg
	var errs []error
	for _, k := range []struct{ name, was, now string }{
		{"daemon.listen", before.Daemon.Listen, after.Daemon.Listen},
		{"daemon.tokens_file", before.Daemon.TokensFile, after.Daemon.TokensFile},
		{"daemon.public_url", before.Daemon.PublicURL, after.Daemon.PublicURL},
		{"daemon.store.bbolt", before.File(before.Daemon.Store.BBolt), after.File(after.Daemon.Store.BBolt)},
	} {
		if k.was == k.now {
			continue
		}
		where, change := cfg.Path, "a change"
		if line := cfg.Line("/" + strings.ReplaceAll(k.name, ".", "/")); line > 0 {
			where = fmt.Sprintf("%s:%d", cfg.Path, line)
		} else {
			change = "taking it out"
		}
		errs = append(errs, fmt.Errorf("%s: %s: %s needs a restart", where, k.name, change))
	}
	return errors.Join(errs...)
}
