package card

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSkillFindings(t *testing.T) {
	const fine = `{"id":"ok","name":"OK","description":"D","tags":["t"]}`
	with := func(skill string) string { return card10("skills", "["+skill+","+fine+"]") }
	members := func(more string) string {
		return with(`{"id":"a","name":"A","description":"D","tags":["t"],` + more + `}`)
	}
	runFindingCases(t, []findingCase{
		{"no id", with(`{"name":"A","description":"D","tags":["t"]}`), []string{"error missing /skills/0/id skill"}},
		{"id is empty", with(`{"id":"","name":"A","description":"D","tags":["t"]}`), []string{"error empty /skills/0/id skill"}},
		{"id is a number", with(`{"id":7,"name":"A","description":"D","tags":["t"]}`), []string{"error wrong-type /skills/0/id skill"}},
		{"no object", with(`"a"`), []string{"error wrong-type /skills/0 skill"}},
		{"null", with(`null`), []string{"error wrong-type /skills/0 skill"}},
		{"only an id", with(`{"id":"a"}`), []string{"gap missing /skills/0/name", "gap missing /skills/0/description", "gap missing /skills/0/tags"}},
		{"tags are empty", with(`{"id":"a","name":"A","description":"D","tags":[]}`), []string{"gap empty /skills/0/tags"}},
		{"a tag is a number", with(`{"id":"a","name":"A","description":"D","tags":["x",1,2]}`), []string{"gap wrong-type /skills/0/tags/1"}},
		{"an example is an object", members(`"examples":[{"input":"hi"}]`), []string{"gap wrong-type /skills/0/examples/0"}},
		{"modes are a string", members(`"inputModes":"text"`), []string{"error wrong-type /skills/0/inputModes skill"}},
		{"a mode is a number", members(`"outputModes":["text/plain",1]`), []string{"error wrong-type /skills/0/outputModes/1 skill"}},
		{"a mode is empty", members(`"outputModes":["text/plain",""]`), []string{"gap empty /skills/0/outputModes"}},
		{"no modes of its own", members(`"outputModes":[]`), nil},
		{"wildcards", members(`"outputModes":["text/*","*/*"]`), []string{"warning wildcard-mode /skills/0/outputModes"}},
		{"repeated id", with(fine), []string{"warning repeated-id /skills/1"}},
		{"snake_case", members(`"input_modes":["text/plain"]`), []string{"warning snake-case /skills/0/input_modes"}},
		{"unknown members", members(`"price":{"usd":0.1}`), nil},
		{"none is left", card10("skills", `[1]`), []string{"error no-skill /skills document", "error wrong-type /skills/0 skill"}},
		{"unreadable security disables nothing", members(`"security":"bearer"`), []string{"error wrong-type /skills/0/security security"}},
	})
}

func TestSkills(t *testing.T) {
	c := mustParse(t, card10("skills", `[
		{"id":"a","name":"A","description":"D","tags":["t","u"],"examples":["x",1],"inputModes":["text"," Text/Plain "],"outputModes":[]},
		1,
		{"id":"b","inputModes":{}},
		{"id":"a"}
	]`))
	want := []Skill{
		{
			ID: "a", Name: "A", Description: "D", Tags: []string{"t", "u"}, Examples: []string{"x"},
			InputModes: []string{"text", " Text/Plain "}, Pointer: "/skills/0",
		},
		{Pointer: "/skills/1", Disabled: "an entry of skills: want an object, got a number"},
		{ID: "b", Pointer: "/skills/2", Disabled: "inputModes: want a list, got an object"},
		{ID: "a", Pointer: "/skills/3"},
	}
	if diff := cmp.Diff(want, c.Skills); diff != "" {
		t.Errorf("Skills (-want +got):\n%s", diff)
	}
}
