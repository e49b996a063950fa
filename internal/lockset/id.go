package lockset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2alock/a2alock/lockfile"
)

// A Key names whom a lock is about: one card, as one credential sees it.
type Key struct{ URL, Identity string }

// ID is readable, and stays: the host, and digits enough that no two of an
// operator's keys have one ID.
func (k Key) ID() string {
	return clean(cmp.Or(k.Host(), "agent")) + "-" + digits(k.URL+"\n"+k.Identity, 6)
}

// Host is the name that the card's URL has in it; "" where it is no URL.
func (k Key) Host() string {
	u, err := url.Parse(k.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// ids names each lock by its path below root, so that it stays while others
// come and go: "pricing" for locks/pricing.a2a.lock.json, "team.pricing" for
// team/pricing.a2a.lock.json. Of two that would have one name, the later in
// order gets digits of its path behind it.
func ids(root string, paths []string) []string {
	list := make([]string, len(paths))
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
			id += "-" + digits(rel, 4)
		}
		taken[id], list[i] = true, id
	}
	return list
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

// digits are those of n bytes of a digest of s.
func digits(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:n])
}
