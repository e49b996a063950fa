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

// IsSkipped is whether [Find] passes over folders of that name.
func IsSkipped(folder string) bool { return slices.Contains(skipped, folder) }

// Find returns the locks under roots, sorted, each once. A root is a folder,
// searched without .git, vendor and node_modules and through links, or a file, which is returned
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
		below, err := search(root)
		if err != nil {
			return nil, fmt.Errorf("searching %s: %w", root, err)
		}
		found = append(found, below...)
	}
	slices.Sort(found)
	return distinct(found), nil
}

// search returns the locks below root. Links to folders are followed once all
// else was searched, so that what they lead to has its own name where it has one
// in the tree, and no folder is searched twice. A link up to what holds root
// leads out of the project and is not followed.
func search(root string) ([]string, error) {
	var found []string
	top, visited := "", map[string]bool{}
	for todo := []string{root}; len(todo) > 0; todo = todo[1:] {
		dir := todo[0]
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return nil, err
		}
		if top == "" {
			top = real
		} else if rel, err := filepath.Rel(real, top); err != nil || filepath.IsLocal(rel) {
			continue
		}
		// Through DirFS a root that is a symbolic link is searched as well.
		tree := os.DirFS(dir)
		err = fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
			path := filepath.Join(dir, filepath.FromSlash(p))
			switch {
			case err != nil:
				return err
			case d.IsDir():
				place := filepath.Join(real, filepath.FromSlash(p))
				if p != "." && IsSkipped(d.Name()) || visited[place] {
					return fs.SkipDir
				}
				visited[place] = true
				return nil
			case d.Type()&fs.ModeSymlink != 0:
				if info, err := fs.Stat(tree, p); err == nil && info.IsDir() {
					if !IsSkipped(d.Name()) {
						todo = append(todo, path)
					}
					return nil
				}
			}
			// A dangling link is found, and then cannot be read: it is a lock
			// that is lost, not a lock that is not there.
			if strings.HasSuffix(d.Name(), Suffix) {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
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
