package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/annotate"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// maxSearched is how many bytes are gone through to find the places of items in
// one file, the worst first: a hostile card has ten thousand faults.
const maxSearched = 256 << 20

// place finds for each item of a listing its line, and names the files as the
// root of the repository sees them, which is where other tools look.
func (a *app) place(l *report.Listing, o *outputs) {
	root := a.root()
	for i := range l.Errors {
		placeError(&l.Errors[i], root)
	}
	for i := range l.Subjects {
		s := &l.Subjects[i]
		if o.card != "" {
			s.File = o.card
		}
		items := make([]*report.Item, 0, len(s.Items)+1)
		if s.Open != nil {
			items = append(items, s.Open)
		}
		for n := range s.Items {
			items = append(items, &s.Items[n])
		}
		if s.File == "" || s.File == "-" || isURL(s.File) {
			s.File = ""
			setFile(items, "")
			continue
		}
		text, err := o.content(s.File)
		if err == nil { // of a lock that was removed there is none
			placeIn(text, items, o.card != "")
		}
		s.File = fromRoot(root, s.File)
		setFile(items, s.File)
	}
}

func setFile(items []*report.Item, file string) {
	for _, i := range items {
		i.File = file
	}
}

// content is that of a file that the result is about.
func (o *outputs) content(path string) ([]byte, error) {
	if o.text != nil {
		return o.text(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, lockfile.MaxBytes))
}

// placeIn finds the lines of items in the text of their file: by what they say
// of the file, or, in a card that is held against another, by what they say of
// its profile.
func placeIn(text []byte, items []*report.Item, byProfile bool) {
	var c *card.Card
	if byProfile {
		c, _ = card.Parse(text, card.Options{}) // of a broken one each path is looked for as it is
	}
	type spot struct{ line, column int }
	seen := map[string]spot{}
	for _, i := range items {
		pointer := i.Pointer
		if byProfile {
			pointer = inCard(c, i.Path)
		}
		at, ok := seen[pointer]
		if !ok {
			if (len(seen)+1)*len(text) > maxSearched {
				return
			}
			at.line, at.column, _ = jsondoc.Position(text, pointer)
			seen[pointer] = at
		}
		i.Line, i.Column = at.line, at.column
	}
}

// inCard is the member of a card that a path in its profile comes from, or the
// nearest one around it; c may be nil.
func inCard(c *card.Card, path string) string {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch name {
	case "skills":
		id, member, _ := strings.Cut(rest, "/")
		if c == nil {
			return "/skills"
		}
		for _, s := range c.Skills {
			if s.ID == jsondoc.Unescape(id) {
				return s.Pointer + "/" + inSkill(member)
			}
		}
		return "/skills"
	case "interface", "interfaces":
		if c != nil && len(c.Interfaces) > 0 {
			return c.Interfaces[0].Pointer
		}
		return "/supportedInterfaces"
	case "schemes":
		return "/securitySchemes/" + rest
	case "streaming":
		return "/capabilities/streaming"
	case "push":
		return "/capabilities/pushNotifications"
	case "extended_card":
		return "/capabilities/extendedAgentCard"
	case "extensions", "required_extensions", "declared_extensions":
		return "/capabilities/extensions"
	case "agent_version":
		return "/version"
	}
	return path
}

// inSkill is the member of a skill that one of its profile comes from.
func inSkill(member string) string {
	switch name, _, _ := strings.Cut(member, "/"); name {
	case "input":
		return "inputModes"
	case "output":
		return "outputModes"
	case "security":
		return "securityRequirements"
	}
	return member
}

// named finds the file and the line with which an error begins, as in
// "a2alock.yaml:12: …".
var named = regexp.MustCompile(`^(\S.*?\.(?:json|ya?ml))(?::(\d+))?(?::(\d+))?: (?:(/\S*): )?`)

// placeError takes the place of an error from its words.
func placeError(i *report.Item, root string) {
	m := named.FindStringSubmatch(i.Message)
	if m == nil {
		return
	}
	if info, err := os.Stat(m[1]); err != nil || !info.Mode().IsRegular() {
		return
	}
	i.File = fromRoot(root, m[1])
	i.Line, _ = strconv.Atoi(m[2])
	if i.Line > 0 {
		i.Column = 1
		if n, err := strconv.Atoi(m[3]); err == nil {
			i.Column = n
		}
	}
	if m[4] != "" && i.Line == 0 {
		if text, err := new(outputs).content(m[1]); err == nil {
			i.Line, i.Column, _ = jsondoc.Position(text, m[4])
		}
	}
}

// root is the folder from which other tools name files: the workspace of the CI
// system, where the working directory is in it, else that of the repository,
// else the working directory. "" where nobody knows.
func (e *env) root() string {
	wd, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	wd = resolved(wd)
	if e.workspace != "" {
		if w := resolved(e.workspace); inside(w, wd) {
			return w
		}
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return wd
		}
	}
}

// resolved is a path without links, so that two of them compare.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// fromRoot is a path as root sees it, slashed; outside it, the whole path. A
// lock that is a link keeps its own name.
func fromRoot(root, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	abs = filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs))
	if !inside(root, abs) {
		return filepath.ToSlash(abs)
	}
	rel, _ := filepath.Rel(root, abs)
	return filepath.ToSlash(rel)
}

// summarize adds the result to the summary of the step, where the CI system has
// one and annotations are asked for. A summary that cannot be written takes
// nothing from the result.
func (a *app) summarize(r printable, o *outputs) {
	if o.format.value != "github" || a.summary == "" {
		return
	}
	var text strings.Builder
	err := r.Markdown(&text)
	if err == nil {
		err = addSummary(a.summary, text.String())
	}
	if err != nil {
		a.note(fmt.Sprintf("the job summary is not written: %s", err))
	}
}

func addSummary(path, text string) (err error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(annotate.Summary([]byte(text+"\n"), info.Size()))
	return err
}
