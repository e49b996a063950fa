package lockfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
)

// Suffix is how the name of every lock ends.
const Suffix = "a2a.lock.json"

// skipped are folders in which no lock of this project lives.
var skipped = []string{".git", "vendor", "node_modules"}

// Find returns the locks under roots, sorted, each once. A root is a folder,
// searched without .git, vendor and node_modules, or a file, which is returned
// whatever its name. A missing root is an error that wraps fs.ErrNotExist, and
// so is a folder that cannot be read: it may hold a lock.
func Find(roots []string) ([]string, error) {
	var found []string
	for _, root := range roots {
		root = filepath.Clean(root)
		info, err := os.Stat(root)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			found = append(found, root)
			continue
		}
		// Through DirFS a root that is a symbolic link is searched as well.
		tree := os.DirFS(root)
		err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fmt.Errorf("searching %s: %w", root, err)
			case d.IsDir() && p != "." && slices.Contains(skipped, d.Name()):
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(d.Name(), Suffix):
				// A dangling link is found, and then cannot be read: it is a
				// lock that is lost, not a lock that is not there.
				if info, err := fs.Stat(tree, p); err != nil || !info.IsDir() {
					found = append(found, filepath.Join(root, filepath.FromSlash(p)))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(found)
	return distinct(found), nil
}

// distinct keeps the first of several paths that lead to one file.
func distinct(paths []string) []string {
	seen := make(map[string]bool, len(paths))
	return slices.DeleteFunc(paths, func(p string) bool {
		real, err := filepath.EvalSymlinks(p)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			real = p // it cannot be read, and the reader says why
		}
		known := seen[real]
		seen[real] = true
		return known
	})
}

// Name is what people call the lock at path: "pricing" for
// locks/pricing.a2a.lock.json, and the folder's name for a bare a2a.lock.json.
func Name(path string) string {
	base := filepath.Base(path)
	if name := strings.TrimRight(strings.TrimSuffix(base, Suffix), "."); name != "" {
		return name
	}
	dir := filepath.Base(filepath.Dir(path))
	if dir == "." || dir == string(filepath.Separator) {
		return "a2a"
	}
	return dir
}

// FileName is where a lock that requires skills of the agent p lives by default,
// locks/NAME.a2a.lock.json: named by the skill where there is one, else by the
// agent. Different names may give one file name.
func FileName(p *compile.Profile, skills []string) string {
	name := p.Name
	if len(skills) == 1 {
		name = skills[0]
	}
	return filepath.Join("locks", slug(name)+"."+Suffix)
}

// slug keeps ASCII letters and digits and puts one "-" for anything else.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 64 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "agent"
}
