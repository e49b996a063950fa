// Package config reads a2alock.yaml: what our side implements, where the locks
// are, and how strict to be.
//
// The file is YAML and strict: a key that is unknown or repeated, and a value
// that does not mean anything, are errors with line and column, and a file
// with five faults reports five. An absent key, and one without a value, keeps
// its default ([Default]); a list or mapping that is given replaces it, an
// empty one too. Durations are Go's plus d ([duration.Parse]), sizes bytes or
// KiB, MiB and GiB.
//
// Under credentials, daemon and notify the keys and types are as strict. What a
// value means there is an error for whoever needs it ([Config.Require]): a route
// that leads nowhere stops the daemon, and keeps no CI from checking locks.
//
// ${NAME} in a value stands for an environment variable; $${ writes ${. It is
// put in after the file was parsed, so what a variable holds is never read as
// YAML, and errors show the text of the file, never what a variable holds. A
// variable that is not set is no fault of the file: where it stands the default
// stays, and [Config.Require] tells whoever needs that value.
//
// [Example] is a commented file with every key, [Schema] its JSON Schema.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/settings"
)

// Name is the name of the file that [Find] looks for.
const Name = "a2alock.yaml"

// maxBytes bounds a config file.
const maxBytes = 1 << 20

// A Config is a2alock.yaml as read, or its defaults. Its slices and maps are
// its own; callers do not change them.
type Config struct {
	// Path is the file it was read from; "" for [Default].
	Path string
	// Root is the folder that relative Locks start from: that of the file, or
	// "." (the working directory) without one.
	Root string

	// Client is our side: what it implements, sends, accepts and holds.
	Client compile.Client
	// Credentials are what a2alock itself may show to agents, in the file's order.
	// One that has a fault or a variable that is not set has its Err.
	Credentials []credential.Credential
	// Locks are the files and folders that hold locks, as written; nil means
	// the tree below Root. See [Config.Roots].
	Locks   []string
	Limits  Limits
	Strict  bool // a gap in a card is an error
	Network Network
	Policy  Policy
	Daemon  Daemon
	Notify  Notify

	// Env looks up an environment variable for ${NAME}; nil means
	// [os.LookupEnv].
	Env func(name string) (string, bool)

	file settings.File
	// holdsNamed is whether client.credentials says what the client holds; named
	// are the keys of credentials.
	holdsNamed bool
	named      map[string]bool
}

// Limits bound what is read from an agent.
type Limits struct {
	CardBytes     int64
	Depth, Skills int
	Timeout       time.Duration
}

// Network lists what is reached although it is refused otherwise.
type Network struct {
	Allow []string // a CIDR, a host, or host:port
	HTTP  []string // hosts with which plain http is spoken
	// CAFiles names, for an origin, the file of the roots that it is trusted by,
	// as seen from the working directory.
	CAFiles map[string]string
}

// Policy is the operator's say. Package config knows no rules: whether the ids
// in Rules exist is checked by diff.NewPolicy, and [Config.Line] names the line.
type Policy struct {
	Rules      map[string]string // rule id: "compatible", "review" or "breaking"
	TextPolicy string            // "off", "compatible" or "review"
	FailOn     string            // "review" or "breaking"
	// MaxLockAge and MaxEvidenceAge are off when 0.
	MaxLockAge, MaxEvidenceAge time.Duration
	MaxWaiver                  time.Duration
}

// Default returns what holds without a file. The value is the caller's own.
func Default() *Config {
	return &Config{
		Root: ".",
		Client: compile.Client{
			Interfaces: []compile.Transport{
				{Binding: "JSONRPC", Version: "1.0"},
				{Binding: "HTTP+JSON", Version: "1.0"},
			},
			Select:    compile.CardOrder,
			Accepts:   []string{"application/json", "text/plain"},
			Sends:     []string{"application/json", "text/plain"},
			Aliases:   compile.DefaultAliases(),
			Streaming: true,
			Delivery:  []string{"stream", "push", "poll"},
		},
		Limits: Limits{CardBytes: 1 << 20, Depth: 64, Skills: 10_000, Timeout: 10 * time.Second},
		Policy: Policy{TextPolicy: "compatible", FailOn: "breaking", MaxWaiver: 90 * 24 * time.Hour},
		Daemon: defaultDaemon(),
	}
}

// Find returns the path of the nearest a2alock.yaml in dir or above it, as git
// looks for .git; "" when there is none up to the root of the file system. The
// path is relative where dir is.
func Find(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", Name, err)
	}
	for d := start; ; d = filepath.Dir(d) {
		path := filepath.Join(d, Name)
		switch info, err := os.Stat(path); {
		case err == nil && !info.IsDir():
			return relative(dir, start, path, info), nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("looking for %s: %w", Name, err)
		}
		if d == filepath.Dir(d) {
			return "", nil
		}
	}
}

// relative returns path as seen from dir, or path itself where a symbolic link
// in between makes ".." lead elsewhere.
func relative(dir, start, path string, info fs.FileInfo) string {
	rel, err := filepath.Rel(start, path)
	if err != nil {
		return path
	}
	rel = filepath.Join(dir, rel)
	if seen, err := os.Stat(rel); err != nil || !os.SameFile(seen, info) {
		return path
	}
	return rel
}

// Load reads the file at path over the defaults, with ${NAME} from the
// process's environment. It fails as [Config.Load] does.
func Load(path string) (*Config, error) {
	c := Default()
	if err := c.Load(path); err != nil {
		return nil, err
	}
	return c, nil
}

// Load reads the file at path over what c holds, so that c.Env can be set
// first. The error joins every fault of the file, each as "path:line:column:
// what: cause"; c is of no use then.
func (c *Config) Load(path string) error {
	// Opening a pipe would wait for its writer.
	if info, err := os.Stat(path); err != nil {
		return fmt.Errorf("reading the config: %s: %w", path, errors.Unwrap(err))
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("reading the config: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the config: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return fmt.Errorf("reading the config: %w", err)
	}
	return c.Parse(data, path)
}

// Parse reads data over what c holds, as [Config.Load] does with the file at
// path; an empty path stands for no file.
func (c *Config) Parse(data []byte, path string) error {
	if len(data) > maxBytes {
		return fmt.Errorf("%s: over %d bytes, which no config needs", path, maxBytes)
	}
	c.Path, c.holdsNamed, c.named = path, false, nil
	if path != "" {
		c.Root = filepath.Dir(path)
	}
	env := c.Env
	if env == nil {
		env = os.LookupEnv
	}
	file, err := settings.Read(data, path, settings.Form{
		Keys: c.keys(), Env: env, Advice: c.advice, Apart: []string{"/credentials", "/daemon", "/notify"},
	})
	if c.file = *file; err == nil {
		c.hold()
	}
	return err
}

// Require says which values at or below the RFC 6901 pointers cannot be used, as
// [Config.Load] says it of faults; nil when all can. "*" in a pointer stands for
// any key. Such are those with a variable that is not set, and under credentials,
// daemon and notify those that do not mean anything. A command asks before it uses a value, so that what another command
// alone needs keeps nobody from work.
func (c *Config) Require(pointers ...string) error { return c.file.Require(pointers...) }

// Besides says which values under credentials, daemon and notify do not mean anything, but for
// those at or below the pointers, which [Config.Require] tells of: nil for none.
// A variable that is not set is no fault of the file, and not among them.
func (c *Config) Besides(pointers ...string) error { return c.file.Besides(pointers...) }

// Roots are the places where locks are looked for: Locks seen from the working
// directory, or Root alone when Locks is nil.
func (c *Config) Roots() []string {
	if c.Locks == nil {
		return []string{c.Root}
	}
	roots := make([]string, len(c.Locks))
	for i, l := range c.Locks {
		roots[i] = filepath.Clean(c.File(l))
	}
	return roots
}

// File returns path as it is seen from the working directory, where the file
// has it relative to its own folder; "" stays "".
func (c *Config) File(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Root, path)
}

// Line returns the line of the key or list entry that the RFC 6901 pointer
// names ("/policy/rules/skill-removed"), or 0 where the file does not have it.
func (c *Config) Line(pointer string) int { return c.file.Line(pointer) }
