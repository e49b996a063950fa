// Package a2alock_test holds the tree to its own rules: which package may
// import which, how large things grow, what is documented.
package a2alock_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/a2alock/a2alock"

// layers is the map of the project. A package imports packages of lower
// layers alone; a new package begins with a line here. docs and people know the
// layers from card up to cmd as 0 to 8; here they stand two higher, since card
// rests on packages of its own: how JSON is read strictly (jsondoc), and the many
// spellings of security (scheme). Both know nothing of a Card.
var layers = map[string]int{
	"cmd/a2alock":           16,
	"cmd/a2alockd":          16,
	"internal/daemon":       15,
	"server":                14,
	"watch":                 13,
	"internal/watched":      12, // these for watch
	"internal/ledger":       11,
	"internal/pace":         10,
	"internal/standing":     10,
	"internal/lockset":      8,
	"internal/plans":        7,
	"notify":                13,
	"internal/remind":       12, // for notify
	"internal/attempt":      11, // for notify
	"internal/heard":        11, // for notify
	"internal/route":        10, // for notify and watch
	"internal/message":      10, // for notify
	"store":                 9,
	"internal/verdict":      7,
	"report":                6,
	"internal/annotate":     7, // these for the commands
	"internal/sarif":        7,
	"internal/junit":        7,
	"diff":                  5,
	"probe":                 5,
	"lockfile":              4,
	"fetch":                 5,
	"internal/extended":     6, // for setup
	"config":                5,
	"internal/security":     4, // for diff and lockfile
	"credential":            4,
	"compile":               3,
	"internal/shape":        3, // for lockfile
	"internal/member":       3, // for compile
	"internal/want":         3, // for config
	"netguard":              3,
	"rpc":                   3,
	"internal/gate":         3, // for fetch
	"card":                  2,
	"internal/say":          2,
	"internal/operation":    2,
	"internal/scheme":       1,
	"internal/whole":        5, // these for diff
	"internal/value":        4,
	"internal/place":        3,
	"internal/amend":        4,
	"internal/secret":       1,
	"internal/jsondoc":      0,
	"internal/golden":       0,
	"internal/duration":     0,
	"internal/address":      1,
	"internal/strength":     0, // for compile
	"internal/lookalike":    0, // for card
	"internal/hostname":     0, // these for netguard
	"internal/smallfile":    0, // and credential
	"internal/proxies":      1,
	"internal/media":        0,
	"internal/nearest":      0,
	"internal/redact":       0,
	"internal/set":          0,
	"internal/wholefile":    0, // for lockfile
	"internal/schedule":     0,
	"internal/moment":       0,
	"internal/variable":     0, // for settings
	"internal/settings":     1, // for config
	"internal/yamldoc":      0, // for settings
	"internal/metrics":      0,
	"internal/visible":      0, // for report
	"internal/gitrepo":      0, // for the commands
	"internal/prompt":       4, // likewise
	"internal/pairing":      6,
	"internal/slack":        1, // for notify
	"internal/webhook":      1, // for notify
	"internal/retryafter":   0, // for fetch, slack and webhook
	"internal/cachecontrol": 0, // for fetch
	"internal/dateline":     1, // for fetch
	"internal/setup":        7, // for the commands and watch
	"internal/findings":     6, // these for verdict
	"internal/evidence":     6,
	"internal/replicas":     6,
	"internal/lanes":        0, // for notify
	"internal/damping":      0,
	"internal/mend":         8, // these for store
	"internal/kept":         7,
	"internal/history":      7,
	"internal/outbox":       7,
	"internal/records":      2, // for store
	"internal/boltfile":     0, // for records
	"internal/packed":       0, // for records, history and outbox
	"internal/migration":    1, // for records
	"internal/taken":        0, // for records
	"internal/reason":       1, // these for rpc
	"internal/bounded":      0,
	"internal/challenge":    0,
	"internal/echo":         0,
	"internal/envelope":     0,
	"internal/grpclink":     0,
}

// sideways are the imports inside one layer that the map allows.
var sideways = map[string]string{"rpc": "netguard", "compile": "internal/member", "internal/gate": "netguard", "internal/history": "internal/verdict", "internal/kept": "internal/verdict", "internal/outbox": "internal/verdict", "lockfile": "internal/security", "internal/amend": "lockfile", "diff": "internal/whole"}

// outside are packages beyond the layers: they import what they like, and are
// imported by tests and mains alone.
var outside = []string{".", "internal/laws", "internal/triples", "testdata", "examples", "internal/agenttest", "internal/fleet", "internal/slacktest", "internal/reporttest", "internal/manual"}

// worldly are the packages with a layer that touch the world, each with what it
// needs of it as a field. All others are pure: values in, values out. They have
// no clock, no network and no files; the moment is a parameter, and what is read
// is handed to them.
var worldly = map[string]bool{
	"cmd/a2alock": true, "cmd/a2alockd": true, "server": true, "watch": true, "notify": true, "store": true,
	"probe": true, "fetch": true, "rpc": true, "netguard": true,
	"internal/setup": true, "internal/daemon": true, // wire what touches the world
	"internal/records": true, "internal/boltfile": true, // what store stands on
	"internal/watched":    true, // waits for turns and the store
	"internal/gate":       true, // waits
	"internal/extended":   true, // calls
	"internal/lanes":      true, // waits
	"internal/attempt":    true, // what came of a request
	"internal/grpclink":   true, // connects
	"internal/retryafter": true, // reads headers
	"internal/dateline":   true, // reads headers
	"internal/echo":       true, // likewise
	"internal/slack":      true, // posts
	"internal/webhook":    true, // posts
	"credential":          true, // reads files, asks token servers
	"internal/proxies":    true, // asks for tunnels
	"config":              true, // reads a2alock.yaml and the environment
	"lockfile":            true, // reads, finds and writes locks
	"internal/wholefile":  true, // writes files
	"internal/smallfile":  true, // reads files
	"internal/gitrepo":    true, // runs git
	"internal/golden":     true, // rewrites what tests compare
}

// isPure reports whether pkg has a layer and may not touch the world.
func isPure(pkg string) bool {
	_, known := layers[pkg]
	return known && !worldly[pkg]
}

// impure are the imports that reach the world.
var impure = []string{"context", "crypto/rand", "log", "log/slog", "math/rand", "math/rand/v2", "net/http", "os", "os/exec", "os/signal", "syscall"}

// netText are the names of package net that only take text apart.
var netText = []string{"SplitHostPort", "JoinHostPort", "ParseIP", "IP"}

const (
	fileLines    = 400  // of a file without the tests
	packageLines = 1600 // "about 1,500", rule tables aside
)

// A source is one Go file of the project.
type source struct {
	path    string // slashed, from the root
	pkg     string // its folder
	test    bool
	lines   int
	file    *ast.File
	fileSet *token.FileSet
}

// sources parses every Go file of the module, nested modules aside.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(p)
		if d.IsDir() {
			if name != "." && (skipped(name) || nestedModule(p)) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, data, parser.ParseComments)
		if err != nil {
			return err
		}
		list = append(list, source{
			path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			lines: bytes.Count(data, []byte("\n")), file: file, fileSet: set,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no Go files found: the test looks in the wrong place")
	}
	return list
}

// skipped reports whether no package of ours is in the folder, slashed, from the
// root: testdata at the top is one.
func skipped(dir string) bool {
	switch name := path.Base(dir); name {
	case "testdata":
		return dir != name
	case "vendor", "node_modules":
		return true
	default:
		return name[0] == '.' || name[0] == '_'
	}
}

func nestedModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// imports are the paths that a file imports.
func (s source) imports() []string {
	var list []string
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			list = append(list, p)
		}
	}
	return list
}

func isOutside(pkg string) bool {
	return slices.ContainsFunc(outside, func(o string) bool { return pkg == o || strings.HasPrefix(pkg, o+"/") })
}

func TestLayers(t *testing.T) {
	unknown := map[string]bool{}
	for _, s := range sources(t) {
		if isOutside(s.pkg) {
			continue
		}
		layer, ok := layers[s.pkg]
		if !ok && !unknown[s.pkg] {
			unknown[s.pkg] = true
			t.Errorf("%s: package %s has no layer: give it a line in layers, in layout_test.go", s.path, s.pkg)
		}
		if !ok || s.test {
			continue
		}
		for _, p := range s.imports() {
			other, ours := strings.CutPrefix(p, module+"/")
			if !ours {
				continue
			}
			below, known := layers[other]
			switch {
			case other == "internal/golden":
				t.Errorf("%s imports %s, which is for tests alone", s.path, other)
			case isOutside(other) && layer < layers["cmd/a2alock"]:
				t.Errorf("%s imports %s, which is for tests and mains alone", s.path, other)
			case isOutside(other):
			case !known:
				t.Errorf("%s imports %s, which has no layer: give it a line in layers, in layout_test.go", s.path, other)
			case below >= layer && sideways[s.pkg] != other:
				t.Errorf("%s (layer %d) imports %s (layer %d): a package imports lower layers alone; move what it needs down, or take it as a parameter",
					s.path, layer, other, below)
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	for _, s := range sources(t) {
		if !isPure(s.pkg) || s.test {
			continue
		}
		for _, p := range s.imports() {
			if slices.Contains(impure, p) {
				t.Errorf("%s imports %s: package %s is pure; take a value instead (docs/adr/0005)", s.path, p, s.pkg)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && reachesWorld(sel) {
				t.Errorf("%s: %s.%s in package %s, which is pure: take the moment, or the answer, as a parameter (docs/adr/0005)",
					s.fileSet.Position(sel.Pos()), sel.X, sel.Sel.Name, s.pkg)
			}
			return true
		})
	}
}

// reachesWorld reports whether sel is a clock, or a part of package net that
// does more than take text apart.
func reachesWorld(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	if !ok || x.Obj != nil { // a local variable of that name
		return false
	}
	switch x.Name {
	case "time":
		return slices.Contains([]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}, sel.Sel.Name)
	case "net":
		return !slices.Contains(netText, sel.Sel.Name)
	}
	return false
}

func TestSizes(t *testing.T) {
	sizes := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if s.lines > fileLines {
			t.Errorf("%s has %d lines, want at most %d: look for the noun that wants a file of its own", s.path, s.lines, fileLines)
		}
		if !s.isRuleTable() {
			sizes[s.pkg] += s.lines
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(sizes)) {
		if !isOutside(pkg) && !strings.HasPrefix(pkg, "cmd/") && sizes[pkg] > packageLines {
			t.Errorf("package %s has %d lines, want about 1,500 at most: look for the noun that wants to be a package", pkg, sizes[pkg])
		}
	}
}

// isRuleTable reports whether s holds the rules of a subject, each value with
// its check below: such a file is read a rule at a time. One that only has the
// name, and no []Rule in it, is no table.
func (s source) isRuleTable() bool {
	if !strings.HasPrefix(s.path, "diff/rules_") {
		return false
	}
	found := false
	ast.Inspect(s.file, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		found = found || ok && isRules(list.Type)
		return !found
	})
	return found
}

// isRules reports whether typ is []Rule.
func isRules(typ ast.Expr) bool {
	list, ok := typ.(*ast.ArrayType)
	if !ok {
		return false
	}
	name, ok := list.Elt.(*ast.Ident)
	return ok && name.Name == "Rule"
}

// sentence matches a first paragraph in which a sentence ends; a colon may
// lead to an example.
var sentence = regexp.MustCompile(`^(?:[^\n]|\n[^\n])+?[.:]\s`)

func TestPackageComments(t *testing.T) {
	comments := map[string][]string{} // of the files with one, by package
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if _, ok := comments[s.pkg]; !ok {
			comments[s.pkg] = nil
		}
		if s.file.Doc == nil {
			continue
		}
		comments[s.pkg] = append(comments[s.pkg], s.path)
		want := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			want = "Command " + path.Base(s.pkg) + " "
		}
		text := s.file.Doc.Text()
		if !strings.HasPrefix(text, want) || !sentence.MatchString(text) {
			t.Errorf("%s: the package comment begins %.60q: want one sentence that begins with %q", s.path, text, want)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(comments)) {
		switch files := comments[pkg]; len(files) {
		case 0:
			t.Errorf("package %s has no package comment: say in one sentence what it does", pkg)
		case 1:
		default:
			t.Errorf("package %s has package comments in %s: keep one", pkg, strings.Join(files, " and "))
		}
	}
}

func TestDocComments(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiverExported(d) {
					checkDoc(t, s, d.Pos(), d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					checkSpec(t, s, d, spec)
				}
			}
		}
	}
}

func checkSpec(t *testing.T, s source, d *ast.GenDecl, spec ast.Spec) {
	t.Helper()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		doc := spec.Doc
		if doc == nil && !d.Lparen.IsValid() {
			doc = d.Doc
		}
		checkDoc(t, s, spec.Pos(), spec.Name.Name, doc)
	case *ast.ValueSpec:
		name := spec.Names[0]
		if !name.IsExported() {
			return
		}
		if !d.Lparen.IsValid() && len(spec.Names) == 1 { // declared alone
			checkDoc(t, s, name.Pos(), name.Name, d.Doc)
			return
		}
		// In a group the comment of the group, or of the line, is enough.
		if d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
			t.Errorf("%s: %s has no comment: write one for it or for its group", s.fileSet.Position(name.Pos()), name.Name)
		}
	}
}

func checkDoc(t *testing.T, s source, pos token.Pos, name string, doc *ast.CommentGroup) {
	t.Helper()
	at := s.fileSet.Position(pos)
	if doc == nil {
		t.Errorf("%s: %s has no doc comment: state its contract, beginning with its name", at, name)
		return
	}
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	rest, ok := strings.CutPrefix(text, name)
	if !ok || rest != "" && (rest[0] == '_' || 'a' <= rest[0]|0x20 && rest[0]|0x20 <= 'z') {
		t.Errorf("%s: the doc comment of %s begins %.40q: want it to begin with %q", at, name, doc.Text(), name)
	}
}

// receiverExported reports whether d is a function, or a method of an exported
// type.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// private matches text that means something on one machine alone.
var private = regexp.MustCompile(`(?:^|[\s"'` + "`" + `(=:,])/(?:work|root|home/[a-z]+|tmp/[a-z]+)/|(?i:\bissues? (?:show )?#?\d+\b)`)

func TestTextSpeaksOfTheProjectAlone(t *testing.T) {
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if bytes.ContainsRune(data, 0) { // no text
			return nil
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			if m := private.Find(line); m != nil {
				t.Errorf("%s:%d: %q means something on one machine or to one team alone: say it in words that last", p, i+1, m)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPrivateText(t *testing.T) {
	for text, want := range map[string]bool{
		"see " + "/" + "work/main":                     true,
		`"` + "/" + `root/go/pkg"`:                     true,
		"(" + "/" + "tmp/w/x)":                         true,
		"as issue" + " 12 says":                        true,
		"Issue" + " #7":                                true,
		"https://pricing.example/work/card.json":       false,
		"the issue is open":                            false,
		"a2a-go#430":                                   false,
		"an issues page with 3 issues, 12 of them old": false,
	} {
		if got := private.MatchString(text); got != want {
			t.Errorf("private.MatchString(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestCommandIsLight holds that a2alock, which starts a thousand times a day in
// CI, links neither the daemon's store nor its metrics.
func TestCommandIsLight(t *testing.T) {
	imports := map[string][]string{}
	for _, s := range sources(t) {
		if !s.test {
			imports[s.pkg] = append(imports[s.pkg], s.imports()...)
		}
	}
	seen := map[string]string{"cmd/a2alock": ""} // by whom it is imported
	for queue := []string{"cmd/a2alock"}; len(queue) > 0; queue = queue[1:] {
		for _, p := range imports[queue[0]] {
			pkg := strings.TrimPrefix(p, module+"/")
			if _, known := seen[pkg]; !known {
				seen[pkg] = queue[0]
				queue = append(queue, pkg)
			}
		}
	}
	for pkg, by := range seen {
		if strings.Contains(pkg, "bbolt") || strings.Contains(pkg, "prometheus") {
			t.Errorf("%s imports %s, and cmd/a2alock links it", by, pkg)
		}
	}
}
