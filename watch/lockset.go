package watch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
)

// A file is one lock file as it stands on the disk, or as it stood when it
// could last be read.
type file struct {
	id   string
	path string
	text []byte // the last good one; nil when there never was one
	// What is needed of the lock between two comparisons. The rest is read from
	// text when it is: profiles of ten thousand locks are large.
	Info
	key    agentKey
	skills []string // required, sorted
	timed  bool     // whether time alone can change a comparison
	// broken is why the file cannot be used as it is now; nil when it can.
	broken error
}

// Info is what people know a lock by.
type Info struct {
	Workflow string `json:"workflow,omitzero"`
	Owner    string `json:"owner,omitzero"`
	Agent    string `json:"agent,omitzero"` // the card's URL; secrets in it are redacted
	Identity string `json:"identity,omitzero"`
	Fallback string `json:"fallback,omitzero"`
}

// lock parses the last good text.
func (f *file) lock() *lockfile.Lock {
	l, err := lockfile.Parse(f.text, f.path)
	if err != nil {
		panic("a lock that was read once: " + err.Error())
	}
	return l
}

// agentKey names whom a lock is about: one card, as one credential sees it.
type agentKey struct{ url, identity string }

// id is readable, and stays: the host, and eight digits that tell its cards
// apart.
func (k agentKey) id() string {
	host := "agent"
	if u, err := url.Parse(k.url); err == nil && u.Hostname() != "" {
		host = clean(u.Hostname())
	}
	return host + "-" + short(k.url+"\n"+k.identity)
}

// readLocks finds and reads every lock below the roots of cfg. good gives the
// last good text of a lock that is broken now. Its error is that of a root that
// cannot be searched: then nothing is known of what is there.
func readLocks(cfg *config.Config, good func(id string) []byte) ([]*file, error) {
	paths, err := lockfile.Find(cfg.Roots())
	if err != nil {
		return nil, fmt.Errorf("looking for locks: %w", err)
	}
	ids := lockIDs(cfg.Root, paths)
	files := make([]*file, 0, len(paths))
	for i, path := range paths {
		f := &file{id: ids[i], path: path}
		f.read(good(f.id))
		files = append(files, f)
	}
	return files, nil
}

// read takes what is on the disk, and where that is no lock, the text that last
// was one.
func (f *file) read(good []byte) {
	text, err := lockfile.ReadBytes(f.path)
	if err == nil {
		err = f.take(text)
	}
	if f.broken = err; err != nil && len(good) > 0 {
		_ = f.take(good) // it may be more than this version understands
	}
}

// take makes text the lock's, where this version can judge it.
func (f *file) take(text []byte) error {
	l, err := lockfile.Parse(text, f.path)
	if err != nil {
		return err
	}
	policy, err := (diff.Policy{}).With(l.Policy)
	if err != nil {
		return setup.Faults(err, func(pointer string) string { return f.path + ": /policy" + pointer })
	}
	if err := l.Unsupported(); err != nil {
		return err
	}
	f.text, f.key = text, agentKey{l.Agent, l.Identity}
	f.Info = Info{l.Workflow, l.Owner, redact.URL(l.Agent), l.Identity, l.Fallback}
	f.skills = l.RequiredSkills()
	f.timed = len(l.Waivers) > 0 || policy.MaxLockAge > 0 || policy.MaxEvidenceAge > 0
	return nil
}

// lockIDs names each lock by its path below root, so that it stays while others
// come and go: "pricing" for locks/pricing.a2a.lock.json, "team.pricing" for
// team/pricing.a2a.lock.json. Of two that would have one name, the later in
// order gets digits of its path behind it.
func lockIDs(root string, paths []string) []string {
	ids := make([]string, len(paths))
	taken := map[string]bool{}
	for i, path := range paths {
		rel, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			rel = path
		}
		rel = filepath.ToSlash(rel)
		dir, _ := filepath.Split(rel)
		dir = strings.TrimPrefix(strings.Trim(filepath.ToSlash(dir), "/")+"/", "locks/")
		id := clean(strings.Trim(strings.ReplaceAll(dir, "/", ".")+cmp.Or(bare(rel), lockfile.Name(path)), "."))
		if taken[id] {
			id += "-" + short(rel)
		}
		taken[id], ids[i] = true, id
	}
	return ids
}

// bare is the name of a lock file without its suffix; "" for a bare suffix.
func bare(path string) string {
	return strings.TrimRight(strings.TrimSuffix(filepath.Base(path), lockfile.Suffix), ".")
}

// clean keeps what needs no escape in a URL.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, s)
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}
