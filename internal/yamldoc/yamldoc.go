// Package yamldoc reads the one document of a YAML file, and says where it
// cannot.
package yamldoc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// A Fault is why a file cannot be read, and where; Line is 0 where nobody knows.
type Fault struct {
	Line, Column int
	Text         string
}

// Read returns the top node of the one document that data holds; nil when there
// is nothing to read, or it cannot be read.
func Read(data []byte) (*yaml.Node, []Fault) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if line, column, what := unreadable(text); what != "" {
		return nil, []Fault{{line, column, what}}
	}
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil {
		return nil, []Fault{syntax(err)}
	}
	var doc, second yaml.Node
	var faults []Fault
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF): // nothing but comments
		return nil, nil
	case err != nil:
		return nil, []Fault{syntax(err)}
	}
	switch err := loader.Load(&second); {
	case err == nil:
		faults = append(faults, Fault{second.Line, second.Column, "a second document: want one"})
	case !errors.Is(err, io.EOF):
		faults = append(faults, syntax(err))
	}
	if len(doc.Content) == 0 {
		return nil, faults
	}
	return doc.Content[0], faults
}

// syntax is what the YAML parser says, without its own prefix.
func syntax(err error) Fault {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return Fault{Text: err.Error()}
	}
	text := e.Message
	if e.ContextMsg != "" {
		text = e.ContextMsg + ": " + text
	}
	return Fault{e.Mark.Line, e.Mark.Column, "not YAML: " + text}
}

// unreadable finds the first byte that no file may hold. The YAML parser
// refuses them too, but cannot say where they are.
func unreadable(text string) (line, column int, what string) {
	line, column = 1, 1
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return line, column, "not UTF-8"
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r&0xfffe == 0xfffe:
			return line, column, fmt.Sprintf("control character %U: write it as an escape in double quotes", r)
		}
		column++
	}
	return 0, 0, ""
}
