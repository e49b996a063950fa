package lockset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"regexp"
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

// ids names each lock by its path below root alone, so that the name stays and
// never becomes another file's: "pricing" for locks/pricing.a2a.lock.json. Every
// other path has digits of its own behind what is readable of it:
// "team.pricing-" and eight of them for team/pricing.a2a.lock.json.
func ids(root string, paths []string) []string {
	list := make([]string, len(paths))
	for i, path := range paths {
		rel, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			rel = path
		}
		list[i] = id(filepath.ToSlash(rel), lockfile.Name(path))
	}
	return list
}

// id is that of one path below the root; name stands in for a file that has none
// of its own.
func id(path, name string) string {
	dir, _ := filepath.Split(path)
	dir = strings.TrimPrefix(strings.Trim(filepath.ToSlash(dir), "/")+"/", "locks/")
	id := clean(strings.Trim(strings.ReplaceAll(dir, "/", ".")+cmp.Or(bare(path), name), "."))
	if path == "locks/"+id+"."+lockfile.Suffix && !hasDigits.MatchString(id) {
		return id
	}
	return id + "-" + digits(path, 4)
}

// hasDigits matches a name that looks as if it had digits of a path.
var hasDigits = regexp.MustCompile(`-[0-9a-f]{8}$`)

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
