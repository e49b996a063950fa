package report

import (
	"bytes"
	"errors"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
)

func TestValidation(t *testing.T) {
	odd := []card.Finding{
		{Code: "snake-case", Severity: card.Warning, Path: "/default_input_modes", Message: "want defaultInputModes"},
		{Code: "missing", Severity: card.Gap, Path: "/description", Message: "description: missing"},
		{Code: "wrong-type", Severity: card.Error, Scope: card.ScopeSkill, Path: "/skills/0/inputModes", Message: "inputModes: a text, want a list"},
		{Code: "wrong-type", Severity: card.Error, Scope: card.ScopeSecurity, Path: "/securityRequirements/0", Message: "a number, want an object"},
		{Code: "wrong-type", Severity: card.Warning, Path: "/skills/0/" + hostileText, Message: "\n::error::" + hostileText},
	}
	document := card.Finding{Code: "missing", Severity: card.Error, Scope: card.ScopeDocument, Path: "/capabilities", Message: "no capabilities"}
	invalid := &card.DocumentError{State: card.Invalid, Path: "/capabilities", Msg: "no capabilities"}
	reading := func(s card.Shape, err *card.DocumentError, fs ...card.Finding) *compile.Reading {
		return &compile.Reading{Card: &card.Card{Shape: s}, Findings: fs, Err: err}
	}
	for name, tt := range map[string]struct {
		file  string
		r     *compile.Reading
		state card.State
		valid bool
	}{
		"validate-odd":   {file: "card.json", r: reading(card.Shape10, nil, odd...), state: diff.Checked},
		"validate-gaps":  {file: "-", r: reading(card.Shape03, nil, odd[:2]...), state: diff.Checked, valid: true},
		"validate-fine":  {file: "::error::.json", r: reading(card.ShapeHybrid, nil), state: diff.Checked, valid: true},
		"validate-bad":   {file: "card.json", r: reading(card.Shape10, invalid, document), state: card.Invalid},
		"validate-html":  {file: "https://h.example/", r: &compile.Reading{Err: &card.DocumentError{State: card.NotJSON, Msg: "HTML, want JSON"}}, state: card.NotJSON},
		"validate-twice": {file: "card.json", r: &compile.Reading{Err: &card.DocumentError{State: card.Invalid, Path: "/name", Msg: "repeated member"}}, state: card.Invalid},
	} {
		v := NewValidation(tt.file, tt.r)
		if v.Valid != tt.valid || v.Exit() == 0 != tt.valid || v.State != tt.state {
			t.Errorf("%s: valid = %v, exit %d, state %s; want valid %v, state %s", name, v.Valid, v.Exit(), v.State, tt.valid, tt.state)
		}
		var text, js bytes.Buffer
		if err := errors.Join(v.Text(&text, TextOptions{}), v.JSON(&js)); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/"+name+".txt", text.Bytes())
		golden.Equal(t, "testdata/"+name+".json", js.Bytes())
		inert(t, name, text.Bytes())
		inert(t, name, js.Bytes())
	}
}

// A run that did not get to the card says so in every format, and is no verdict.
func TestInvalidRun(t *testing.T) {
	v := InvalidRun("card.json", []string{"--format \"x\": " + hostileText})
	var text, md bytes.Buffer
	if err := errors.Join(v.Text(&text, TextOptions{}), v.Markdown(&md)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*bytes.Buffer{"text": &text, "markdown": &md} {
		if !bytes.Contains(got.Bytes(), []byte("error")) || !bytes.Contains(got.Bytes(), []byte("--format")) {
			t.Errorf("%s lacks the error:\n%s", name, got)
		}
		inert(t, name, got.Bytes())
	}
	if v.Exit() != 2 {
		t.Errorf("exit code %d, want 2", v.Exit())
	}
}
