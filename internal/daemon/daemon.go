// Package daemon puts a2alockd together: store, engine, deliveries and API, run
// and ended in the right order.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/notify"
	"github.com/a2alock/a2alock/server"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

// ErrGrace is what [Daemon.Run] returns when not everything ended within
// shutdown_grace.
var ErrGrace = errors.New("not everything ended within shutdown_grace")

// A Daemon is a2alockd. Its exported fields are set before [Daemon.Run].
type Daemon struct {
	Setup   *setup.Setup
	Version string
	Log     *slog.Logger // nil: discard
	// Load reads the configuration again, for a reload; nil: there is none.
	Load func() (*setup.Setup, error)
	// Reload asks for one: SIGHUP.
	Reload <-chan struct{}
	// Listener is where the API is served; nil: daemon.listen of the
	// configuration.
	Listener net.Listener
	// Started is called with the API's address once it is served.
	Started func(addr net.Addr)
	// Transport sends messages; nil: through the guard of the network.
	Transport http.RoundTripper

	store   *store.Store
	file    os.FileInfo // the store's, when it was opened
	metrics *metrics.Set
	engine  *watch.Engine
	worker  *notify.Worker
	addr    net.Addr // of the API
	wake    chan struct{}
	notify  chan config.Notify
	roots   chan struct{}       // the folders of locks may be others
	accept  func(server.Tokens) // makes these the tokens that the API knows
	reading sync.Mutex          // held by whoever reloads
	refused string              // why the last reload was refused; "": it was not
	lacking bool                // the store was mended, and lacks what the engine knows
}

// Run is the daemon's whole life: it returns when ctx has ended and everything
// it started too, or when it cannot begin.
func (d *Daemon) Run(ctx context.Context) (err error) {
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	d.wake, d.notify, d.roots = make(chan struct{}, 1), make(chan config.Notify, 1), make(chan struct{}, 1)
	d.metrics = metrics.New(d.Version)
	cfg := d.Setup.Config

	tokens, err := d.tokens(cfg)
	if err != nil {
		return err
	}
	if err := d.open(cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.store.Close()) }()
	listener := d.Listener
	if listener == nil {
		if listener, err = net.Listen("tcp", cfg.Daemon.Listen); err != nil {
			return fmt.Errorf("serving the API: %w", err)
		}
	}
	defer listener.Close()
	d.addr = listener.Addr()

	watcher := d.newWatcher(ctx, cfg)
	if watcher != nil {
		defer watcher.Close()
	}
	d.engine = &watch.Engine{Store: d.store, Client: d.client, Told: d.ring, Metrics: d.metrics, Log: d.Log, Version: d.Version}
	if err := d.engine.Open(ctx, d.Setup); err != nil {
		return err
	}
	d.metrics.ReloadedAt.SetToCurrentTime()
	d.tellDamage(ctx)
	d.worker = d.newWorker(cfg)
	api := &server.Server{
		Engine: d.engine, Store: d.store, Wake: d.ring, Metrics: d.metrics, Log: d.Log,
		Version: d.Version, Ready: d.why, Hosts: hosts(cfg),
	}
	api.SetTokens(tokens)
	d.accept = api.SetTokens
	d.metrics.Watch(api.Collector())
	return d.serve(ctx, listener, api, watcher)
}

// serve runs the parts until ctx ends, and ends them in their order: nothing
// new is begun, what is under way is cut short, what it found is delivered.
func (d *Daemon) serve(ctx context.Context, listener net.Listener, api *server.Server, watcher *fsnotify.Watcher) error {
	rest := context.WithoutCancel(ctx)
	watching, stopWatching := context.WithCancel(rest)
	delivering, stopDelivering := context.WithCancel(rest)
	defer stopWatching()
	defer stopDelivering()

	var watchers, deliverers, servers sync.WaitGroup
	failed := make(chan error, 3)
	web := api.HTTP()
	servers.Go(func() {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serving the API: %w", err)
		}
	})
	watchers.Go(func() { d.engine.Run(watching) })
	watchers.Go(func() { d.watchFiles(watching, watcher) })
	watchers.Go(func() { d.keepHouse(watching) })
	watchers.Go(func() {
		if err := d.guardStore(watching); err != nil {
			failed <- err
		}
	})
	watchers.Go(func() { d.watchdog(watching) })
	deliverers.Go(func() {
		if err := d.worker.Run(delivering); err != nil {
			failed <- err
		}
	})
	d.Log.InfoContext(ctx, "a2alockd is up", "addr", listener.Addr().String(), "version", d.Version)
	d.systemd("READY=1")
	if d.Started != nil {
		d.Started(listener.Addr())
	}

	var err error
	for running := true; running; {
		select {
		case <-ctx.Done():
			running = false
		case err = <-failed:
			running = false
		case <-d.Reload:
			d.reload(ctx)
		}
	}
	d.systemd("STOPPING=1")
	d.Log.InfoContext(rest, "a2alockd ends")
	over := make(chan struct{})
	grace := d.engine.Setup().Config.Daemon.ShutdownGrace
	go func() {
		defer close(over)
		stopWatching()
		watchers.Wait()
		closing, cancel := context.WithTimeout(rest, grace/4)
		defer cancel()
		_ = web.Shutdown(closing) // those that take longer are cut
		_ = web.Close()
		servers.Wait()
		stopDelivering()
		deliverers.Wait()
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-over:
		return err
	case <-timer.C:
		return errors.Join(err, ErrGrace)
	}
}

// open opens the store.
func (d *Daemon) open(cfg *config.Config) (err error) {
	path := cfg.File(cfg.Daemon.Store.BBolt)
	if d.store, err = store.Open(path, d.options(cfg)); err != nil {
		return err
	}
	if d.file, err = os.Lstat(path); err != nil {
		return errors.Join(err, d.store.Close())
	}
	return nil
}

func (d *Daemon) options(cfg *config.Config) store.Options {
	return store.Options{
		CompactOver: cmp.Or(cfg.Daemon.CompactOver, -1), Log: d.Log,
		CommitDuration: func(t time.Duration) { d.metrics.CommitDuration.Observe(t.Seconds()) },
	}
}

func (d *Daemon) tokens(cfg *config.Config) (server.Tokens, error) {
	if cfg.Daemon.TokensFile == "" {
		return nil, nil
	}
	return server.ReadTokens(cfg.File(cfg.Daemon.TokensFile))
}

// hosts are the names by which people reach the API.
func hosts(cfg *config.Config) []string {
	u, err := url.Parse(cfg.Daemon.PublicURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return []string{u.Hostname()}
}

// client makes what asks for cards.
func (d *Daemon) client(s *setup.Setup) *fetch.Client {
	c, n := s.Fetcher(d.userAgent(s.Config)), s.Config.Daemon
	c.Guard.IdlePerHost = 1
	c.Gates = &gate.Gates{Flights: n.Flights, HostFlights: n.HostFlights, Gap: cmp.Or(n.HostGap, -1), Own: n.OwnHosts}
	return c
}

func (d *Daemon) userAgent(cfg *config.Config) string {
	agent := "a2alockd/" + d.Version
	if cfg.Daemon.ContactURL != "" {
		agent += " (+" + cfg.Daemon.ContactURL + ")"
	}
	return agent
}

// newWorker makes the deliveries.
func (d *Daemon) newWorker(cfg *config.Config) *notify.Worker {
	return &notify.Worker{
		Store: d.store, Notify: cfg.Notify.OrLog(), Transport: cmp.Or(d.Transport, d.transport()),
		PublicURL: d.publicURL(cfg), UserAgent: d.userAgent(cfg), Log: d.Log, Grace: cfg.Daemon.ShutdownGrace / 2,
		Wake: d.wake, Reload: d.notify,
		Observe: func(sink, result string) { d.metrics.Deliveries.WithLabelValues(sink, result).Inc() },
	}
}

// PublicURL is how messages link to the API.
func PublicURL(cfg *config.Config) string {
	return cmp.Or(cfg.Daemon.PublicURL, "http://"+cfg.Daemon.Listen)
}

// publicURL is PublicURL with the port that a listen at port 0 was given.
func (d *Daemon) publicURL(cfg *config.Config) string {
	if _, port, err := net.SplitHostPort(cfg.Daemon.Listen); err == nil && port == "0" {
		return cmp.Or(cfg.Daemon.PublicURL, "http://"+d.addr.String())
	}
	return PublicURL(cfg)
}

// transport is [Transport] by the configuration that holds when it sends.
func (d *Daemon) transport() http.RoundTripper {
	var mu sync.Mutex
	var of *setup.Setup
	var by http.RoundTripper
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		if s := d.engine.Setup(); s != of {
			of, by = s, Transport(s)
		}
		now := by
		mu.Unlock()
		return now.RoundTrip(r)
	})
}

// Transport sends messages through the guard of the network: a loopback host
// that the configuration names may be reached, other special addresses where
// network.allow lists them.
func Transport(s *setup.Setup) http.RoundTripper {
	guard := s.Guard()
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		return named(guard, r).Transport().RoundTrip(r)
	})
}

func named(g *netguard.Guard, r *http.Request) *netguard.Guard { return g.Named(r.URL.String()) }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// ring wakes the deliveries.
func (d *Daemon) ring() {
	select {
	case d.wake <- struct{}{}:
	default: // they are awake
	}
}

// tellDamage tells once of a store that had to be begun anew or mended, now or by a
// start that did not get so far.
func (d *Daemon) tellDamage(ctx context.Context) {
	var o store.Opened
	if err := d.store.View(func(tx *store.Tx) error { o = tx.Met(); return nil }); err != nil {
		return // every call says so
	}
	var text string
	switch {
	case o.Rebuilt:
		text = fmt.Sprintf("The store was damaged (%s) and was begun anew; the old file is %s. "+
			"History, episodes and messages that waited are in it; verdicts come back with the next refreshes.",
			strings.TrimSuffix(o.Reason, "."), bases(o.Aside))
	case o.Mended > 0:
		text = mended(o.Mended, o.Reason)
		if o.Aside != "" {
			text += " The file as it was is " + bases(o.Aside) + "."
		}
	default:
		return
	}
	d.engine.TellWith(ctx, "store", text, (*store.Tx).Told)
}

// bases are the names of files, without their folders.
func bases(paths string) string {
	var names []string
	for path := range strings.SplitSeq(paths, ", ") {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

// mended is what a person is told of records that could not be read.
func mended(n int, reason string) string {
	return fmt.Sprintf("The store is damaged: %d of its records could not be read, and were taken out or made anew from the rest (%s). "+
		"Everything else goes on. A silence or an acknowledgement may be gone, and a message told in other words or twice.", n, strings.TrimSuffix(reason, "."))
}

// why says why the daemon is not ready; "" when it is.
func (d *Daemon) why() string {
	if err := d.checkStore(); err != nil {
		return "the store is lost: " + err.Error()
	}
	if n, err := d.store.Damaged(); n > 0 {
		return fmt.Sprintf("the store is damaged: %d of its records cannot be read: %v", n, err)
	}
	if idle := d.engine.Idle(); idle > hung {
		return fmt.Sprintf("the engine has not looked around for %s", idle.Round(time.Second))
	}
	if since := d.engine.Unwritten(); since != "" {
		return "the store cannot be written " + since
	}
	return ""
}
