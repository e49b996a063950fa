package extended

import (
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

func TestMark(t *testing.T) {
	a := newAgent(t, "JSONRPC", nil)
	a.card = replace("true", "false")(a.card)
	profile := read(t, a)
	r := &compile.Reading{Card: &card.Card{}, Profile: profile, Digest: "sha256:1"}
	got := Mark(r)
	if !got.Profile.ExtendedCard || got.Profile.Usable != profile.Usable || got.Card != r.Card || got.Digest != r.Digest {
		t.Errorf("Mark = %+v", got)
	}
	if r.Profile.ExtendedCard {
		t.Error("what was marked has changed")
	}
	if none := compile.Read([]byte("[]"), everywhere, card.Options{}); Mark(none) != none {
		t.Error("what is no card is another when it is marked")
	}
}
