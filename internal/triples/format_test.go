package triples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A triple is a card when it was pinned, the card now and the lock, with the
// complete set of findings that the documents ask for. testdata/triples/README.md
// tells how one is written.
type triple struct {
	theme, name string
	why         string

	old, now tripleChange
	body     []string     // what came instead of a card; nil for now
	as       string       // in what bytes it came
	lock     tripleChange // over what pin writes, or over a named lock
	pin      []string
	config   []string
	seen, at string
	offsite  bool
	extended bool   // the identity was shown the extended card
	lost     string // it was not, and why

	want, mirror *tripleVerdict
	mirrorPin    []string
	reads        []string // findings about the document, in full; nil says nothing
	notes        []string // what the result's notes hold
}

// A tripleChange is a named file, "" for the one at hand, and edits to it.
type tripleChange struct {
	from  string
	edits []tripleEdit
}

// A tripleEdit sets, inserts (+) or removes (-) the value at a pointer.
type tripleEdit struct {
	op      byte // ' ', '+' or '-'
	pointer string
	text    string // the value's JSON
}

// A tripleVerdict is what a comparison comes to.
type tripleVerdict struct {
	class    string // "undecided" for none, "refused" where nothing could be pinned, "error" for a policy that is none
	text     string // the state, or what the refusal says
	findings []tripleFinding
}

// A tripleFinding is one that is wanted; was and now are compared only where hasValues.
type tripleFinding struct {
	class, rule, path string
	skills            []string
	hasValues         bool
	was, now          any
	message           string // a part of it
}

func (e tripleFinding) String() string {
	return fmt.Sprintf("%s %s %q %v", e.class, e.rule, e.path, e.skills)
}

// readTriples reads every theme, a txtar archive with one file a triple.
func readTriples(t *testing.T) []*triple {
	t.Helper()
	themes, err := filepath.Glob("../../testdata/triples/*.txtar")
	if err != nil || len(themes) == 0 {
		t.Fatalf("no themes in testdata/triples: %v", err)
	}
	var all []*triple
	names := map[string]bool{}
	for _, file := range themes {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theme := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range archive.Files {
			tr, err := parseTriple(theme, f.Name, string(f.Data))
			if err != nil {
				t.Fatalf("%s: %s: %v", file, f.Name, err)
			}
			if names[f.Name] {
				t.Errorf("%s: %s: a second triple of that name", file, f.Name)
			}
			names[f.Name] = true
			all = append(all, tr)
		}
	}
	return all
}

// A tripleBlock is a keyword at the margin, its argument, and the lines under it.
type tripleBlock struct {
	word, arg string
	lines     []string
}

func parseTriple(theme, name, text string) (*triple, error) {
	tr := &triple{theme: theme, name: name, old: tripleChange{from: "pricing"}, pin: []string{"--skill", "quote"}}
	var blocks []tripleBlock
	for line := range strings.SplitSeq(text, "\n") {
		switch inner, indented := strings.CutPrefix(line, "  "); {
		case strings.HasPrefix(line, "#"):
			tr.why = strings.TrimSpace(tr.why + " " + strings.TrimSpace(strings.TrimPrefix(line, "#")))
		case indented && len(blocks) > 0:
			b := &blocks[len(blocks)-1]
			b.lines = append(b.lines, inner)
		case strings.TrimSpace(line) == "":
		default:
			word, arg, _ := strings.Cut(line, " ")
			blocks = append(blocks, tripleBlock{word: word, arg: strings.TrimSpace(arg)})
		}
	}
	for _, b := range blocks {
		if err := tr.take(b); err != nil {
			return nil, fmt.Errorf("%s: %w", b.word, err)
		}
	}
	switch {
	case tr.why == "":
		return nil, fmt.Errorf("no line says why")
	case tr.want == nil:
		return nil, fmt.Errorf("no want")
	}
	return tr, nil
}

func (tr *triple) take(b tripleBlock) (err error) {
	switch b.word {
	case "base":
		tr.old.from = b.arg
	case "old":
		tr.old.edits, err = parseTripleEdits(b.lines)
	case "now":
		tr.now.from = b.arg
		tr.now.edits, err = parseTripleEdits(b.lines)
	case "body":
		tr.body = append([]string{}, b.lines...)
	case "as":
		tr.as = b.arg
	case "lock":
		tr.lock.from = b.arg
		tr.lock.edits, err = parseTripleEdits(b.lines)
	case "pin":
		tr.pin = strings.Fields(b.arg)
	case "config":
		tr.config = b.lines
	case "seen":
		tr.seen = b.arg
	case "offsite":
		tr.offsite = true
	case "extended":
		tr.extended = true
	case "lost":
		tr.lost = b.arg
	case "at":
		tr.at = b.arg
	case "want":
		tr.want, err = parseTripleVerdict(b)
	case "mirror":
		tr.mirror, err = parseTripleVerdict(b)
	case "mirror-pin":
		tr.mirrorPin = strings.Fields(b.arg)
	case "reads":
		tr.reads = append([]string{}, b.lines...)
	case "note":
		tr.notes = append(tr.notes, b.arg)
	default:
		err = fmt.Errorf("no such keyword")
	}
	return err
}

// parseTripleEdits reads lines of "POINTER JSON", "+POINTER JSON" and "-POINTER".
func parseTripleEdits(lines []string) ([]tripleEdit, error) {
	var edits []tripleEdit
	for _, line := range lines {
		e := tripleEdit{op: ' '}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			e.op, line = line[0], line[1:]
		}
		pointer, text, _ := strings.Cut(line, " ")
		e.pointer = pointer
		if !strings.HasPrefix(pointer, "/") {
			return nil, fmt.Errorf("%q: want a pointer", line)
		}
		if e.op != '-' {
			if _, err := tripleJSON(text); err != nil {
				return nil, fmt.Errorf("%s: %w", pointer, err)
			}
			e.text = text
		}
		edits = append(edits, e)
	}
	return edits, nil
}

// parseTripleVerdict reads "CLASS", "undecided STATE", "refused TEXT" or "error TEXT"
// and a line for each finding.
func parseTripleVerdict(b tripleBlock) (*tripleVerdict, error) {
	v := &tripleVerdict{}
	v.class, v.text, _ = strings.Cut(b.arg, " ")
	if !slices.Contains([]string{"compatible", "review", "breaking", "undecided", "refused", "error"}, v.class) {
		return nil, fmt.Errorf("%q: no verdict", b.arg)
	}
	for _, line := range b.lines {
		f, err := parseTripleFinding(line)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		v.findings = append(v.findings, f)
	}
	return v, nil
}

// parseTripleFinding reads "CLASS RULE [PATH] [[SKILL …]] [: WAS -> NOW] [~ MESSAGE]".
// A path with odd characters is quoted as Go does; the document's own is left
// out.
func parseTripleFinding(line string) (e tripleFinding, err error) {
	line, e.message, _ = strings.Cut(line, " ~ ")
	line, values, hasValues := strings.Cut(line, " : ")
	if hasValues {
		was, now, ok := strings.Cut(values, " -> ")
		if !ok {
			return e, fmt.Errorf("want WAS -> NOW")
		}
		e.hasValues = true
		if e.was, err = tripleJSON(was); err != nil {
			return e, fmt.Errorf("was: %w", err)
		}
		if e.now, err = tripleJSON(now); err != nil {
			return e, fmt.Errorf("now: %w", err)
		}
	}
	line, skills, ok := strings.Cut(line, " [")
	if ok {
		e.skills = strings.Fields(strings.TrimSuffix(strings.TrimSpace(skills), "]"))
		for i, s := range e.skills {
			e.skills[i] = tripleWord(s)
		}
	}
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > 3 {
		return e, fmt.Errorf("want CLASS RULE [PATH]")
	}
	e.class, e.rule = words[0], words[1]
	if len(words) == 3 {
		e.path = tripleWord(words[2])
	}
	return e, nil
}

func tripleWord(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

// tripleJSON keeps numbers as they are written.
func tripleJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%q: more than one value", text)
	}
	return v, nil
}

// document reads testdata/triples/FOLDER/NAME.json and edits it.
func (c tripleChange) document(t *testing.T, folder string) any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/triples", folder, c.from+".json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := tripleJSON(string(data))
	if err != nil {
		t.Fatalf("%s: %v", c.from, err)
	}
	return editTriple(t, doc, c.edits)
}

func editTriple(t *testing.T, doc any, edits []tripleEdit) any {
	t.Helper()
	for _, e := range edits {
		var err error
		if doc, err = e.apply(doc, tripleTokens(e.pointer)); err != nil {
			t.Fatalf("%c%s: %v", e.op, e.pointer, err)
		}
	}
	return doc
}

var tripleUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

func tripleTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, s := range tokens {
		tokens[i] = tripleUnescaper.Replace(s)
	}
	return tokens
}

// apply returns v with the edit made below it. What it sets needs no parents;
// what it removes or changes in a list must be there.
func (e tripleEdit) apply(v any, tokens []string) (any, error) {
	if len(tokens) == 0 {
		return tripleJSON(e.text) // a value of its own, which later edits may change
	}
	token, last := tokens[0], len(tokens) == 1
	switch v := v.(type) {
	case nil:
		if e.op == '-' {
			return nil, fmt.Errorf("nothing is there")
		}
		return e.apply(map[string]any{}, tokens)
	case map[string]any:
		if last && e.op == '-' {
			if _, ok := v[token]; !ok {
				return nil, fmt.Errorf("%s is not there", token)
			}
			delete(v, token)
			return v, nil
		}
		inner, err := e.apply(v[token], tokens[1:])
		v[token] = inner
		return v, err
	case []any:
		i, err := strconv.Atoi(token)
		switch {
		case err != nil || i < 0 || i > len(v) || i == len(v) && !(last && e.op != '-'):
			return nil, fmt.Errorf("%s is no place in a list of %d", token, len(v))
		case last && e.op == '-':
			return slices.Delete(v, i, i+1), nil
		case last && (e.op == '+' || i == len(v)):
			inner, err := tripleJSON(e.text)
			return slices.Insert(v, i, inner), err
		}
		inner, err := e.apply(v[i], tokens[1:])
		v[i] = inner
		return v, err
	}
	return nil, fmt.Errorf("%s is inside of %v", token, v)
}

// tripleBytes is the bytes of a card, in an unusual form where as asks for one.
func tripleBytes(t *testing.T, doc any, as string) []byte {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	switch as {
	case "":
	case "bom":
		data = append([]byte("\xEF\xBB\xBF"), data...)
	case "spaced":
		var b bytes.Buffer
		if err := json.Indent(&b, data, "\r\n", " \t "); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	case "escaped":
		data = []byte(retripleBytes(doc, false, true))
	case "reversed":
		data = []byte(retripleBytes(doc, true, false))
	case "utf-16":
		wide := []byte{0xFF, 0xFE}
		for _, c := range data { // the bases are ASCII
			wide = append(wide, c, 0)
		}
		data = wide
	default:
		t.Fatalf("as %s: no such form", as)
	}
	return data
}

// tripleRetold is JSON with members from z to a, or with every character of every
// string escaped.
func retripleBytes(v any, reverse, escape bool) string {
	text := func(s string) string {
		if !escape {
			data, err := json.Marshal(s)
			if err != nil {
				panic(err)
			}
			return string(data)
		}
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return `"` + b.String() + `"`
	}
	switch v := v.(type) {
	case map[string]any:
		var names, members []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if reverse {
			slices.Reverse(names)
		}
		for _, name := range names {
			members = append(members, text(name)+":"+retripleBytes(v[name], reverse, escape))
		}
		return "{" + strings.Join(members, ",") + "}"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, retripleBytes(item, reverse, escape))
		}
		return "[" + strings.Join(items, ",") + "]"
	case string:
		return text(v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}
