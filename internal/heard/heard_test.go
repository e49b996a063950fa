package heard

import (
	"fmt"
	"testing"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// What a silence held back is told as what it is, once, and only what still holds.
func TestHeld(t *testing.T) {
	row := func(kind verdict.Kind, seq uint64, state store.RowState, why string) store.Row {
		return store.Row{Sink: "ops", Kind: kind, Seq: seq, Class: diff.Breaking, State: state, Reason: why}
	}
	hushed := func(kind verdict.Kind, seq uint64) store.Row { return row(kind, seq, store.Superseded, Silenced+"s1") }
	told := func(kind verdict.Kind, seq uint64) store.Row { return row(kind, seq, store.Delivered, "") }
	reminder := store.Row{Key: "r", Sink: "ops", Kind: store.KindReminder, Seq: 9, Ordinal: 2, Class: diff.Review}
	for _, tt := range []struct {
		name string
		rows []store.Row
		want string
	}{
		{"an opening", []store.Row{hushed(verdict.Opened, 1)}, "opened 1"},
		{"what it has become", []store.Row{hushed(verdict.Opened, 1), hushed(verdict.Improved, 2)}, "opened 2"},
		{"the opening was told", []store.Row{told(verdict.Opened, 1), hushed(verdict.Worsened, 2)}, "worsened 2"},
		{"it waits", []store.Row{row(verdict.Opened, 1, store.Waiting, ""), hushed(verdict.Changed, 2)}, "changed 2"},
		{"all was told", []store.Row{hushed(verdict.Opened, 1), told(verdict.Opened, 1)}, "reminder 9"},
		{"something newer was told", []store.Row{hushed(verdict.Opened, 1), told(verdict.Worsened, 2)}, "reminder 9"},
		{"a reminder alone", []store.Row{told(verdict.Opened, 1), hushed(store.KindReminder, 1)}, "reminder 9"},
		{"away", []store.Row{hushed(verdict.WentAway, 1)}, "unreachable 1"},
		{"away and back", []store.Row{hushed(verdict.WentAway, 1), hushed(verdict.CameBack, 2)}, "reminder 9"},
		{"findings before an outage", []store.Row{hushed(verdict.Opened, 1), hushed(verdict.WentAway, 2)}, "opened 1"},
		{"another sink", []store.Row{{Sink: "dev", Kind: verdict.Opened, Seq: 1, State: store.Superseded, Reason: Silenced + "s1"}}, "reminder 9"},
	} {
		got := Held(reminder, tt.rows)
		if text := fmt.Sprintf("%s %d", got.Kind, got.Seq); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
		if isHeld := got.Kind != store.KindReminder; isHeld != (got.Key != "r") || isHeld && (got.Ordinal != 0 || got.Class != diff.Breaking) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
