package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/store"
)

// What a service manager goes by.
func TestExitCodes(t *testing.T) {
	broken := errors.New("serving the API: accept: too many open files")
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"could not begin", ended(broken, false), exitUsage},
		{"the port is busy", ended(fmt.Errorf("serving the API: %w", &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}), false), exitFail},
		{"broke down", ended(broken, true), exitFail},
		{"did not drain", ended(fmt.Errorf("ending: %w", daemon.ErrGrace), true), exitUndrained},
		{"the store is in use", &store.InUseError{Path: "a.db"}, exitUsage},
		{"the store is newer", &store.FormatError{Path: "a.db"}, exitUsage},
		{"the store is damaged", fmt.Errorf("opening: %w", &store.DamageError{Path: "a.db"}), exitFail},
		{"a record is", errors.Join(&store.RecordError{Kind: "lock", Err: fs.ErrInvalid}), exitFail},
	} {
		if got := codeOf(tt.err); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
	if err := ended(nil, true); err != nil {
		t.Errorf("an orderly end = %v, want nil", err)
	}
}
