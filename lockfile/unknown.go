package lockfile

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unknown returns the RFC 6901 pointers of the members that this version does
// not know, those of the profile aside, in the order of the lock. Each may be a
// slip: a requirement that asks for nothing. The slice is the caller's own.
func (l *Lock) Unknown() []string {
	var places []string
	add := func(extra jsontext.Value, at jsontext.Pointer) {
		var members map[string]jsontext.Value
		if len(extra) == 0 || json.Unmarshal(extra, &members) != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			places = append(places, string(at.AppendToken(name)))
		}
	}
	add(l.Extra, "")
	if l.Interface != nil {
		add(l.Interface.Extra, "/interface")
	}
	add(l.Requires.Extra, "/requires")
	for _, id := range l.RequiredSkills() {
		add(l.Requires.Skills[id].Extra, jsontext.Pointer("/requires/skills").AppendToken(id))
	}
	for _, claim := range slices.Sorted(maps.Keys(l.Verified)) {
		add(l.Verified[claim].Extra, jsontext.Pointer("/verified").AppendToken(claim))
	}
	if l.Trust != nil {
		add(l.Trust.Extra, "/trust")
	}
	if l.Policy != nil {
		add(l.Policy.Extra, "/policy")
	}
	for i, w := range l.Waivers {
		add(w.Extra, jsontext.Pointer("/waivers").AppendToken(strconv.Itoa(i)))
	}
	return places
}
