package security

import (
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

func TestMeant(t *testing.T) {
	home := oauth("https://id.example/t")
	odd := compile.Scheme{Kind: card.KindUnknown}
	k, read, write := way("k", key("X")), way("o", home, "read"), way("o", home, "read", "write")
	open, unread, nameless := compile.Alternative{}, way("z", odd), way("", odd)
	holdsKey := []compile.Credential{{Name: "k", Kind: compile.APIKey}}
	none, readOnly := []string{}, []string{"read"}
	for _, tt := range []struct {
		name            string
		list            []compile.Alternative
		schemes, scopes []string
		held            []compile.Credential
		want            int
		exact           bool
	}{
		{"named, with the scopes", []compile.Alternative{k, write, read}, []string{"o"}, readOnly, holdsKey, 2, true},
		{"named, beyond the scopes", []compile.Alternative{k, write}, []string{"o"}, readOnly, holdsKey, 1, false},
		{"named alone", []compile.Alternative{k, write}, []string{"o"}, nil, nil, 1, true},
		{"none named", []compile.Alternative{k, open}, none, none, holdsKey, 1, true},
		{"named and unreadable", []compile.Alternative{k, unread}, []string{"z"}, none, nil, 1, true},
		{"named and gone", []compile.Alternative{unread, read, k}, []string{"x"}, none, holdsKey, 2, false},
		{"by scopes, one that can be met", []compile.Alternative{read, k}, nil, readOnly, holdsKey, 1, true},
		{"by scopes, one that asks for them", []compile.Alternative{k, write, read}, nil, readOnly, nil, 2, true},
		{"by scopes, one that asks for none", []compile.Alternative{write, unread, k}, nil, none, nil, 2, true},
		{"by scopes, and all ask for more", []compile.Alternative{unread, write}, nil, readOnly, nil, 1, false},
		{"nothing recorded, one that can be met", []compile.Alternative{read, k}, nil, nil, holdsKey, 1, false},
		{"nothing recorded, one that can be read", []compile.Alternative{unread, read, k}, nil, nil, nil, 1, false},
		{"nothing recorded, one that has names", []compile.Alternative{nameless, unread}, nil, nil, nil, 1, false},
		{"nothing recorded, nothing to be said", []compile.Alternative{nameless}, nil, nil, nil, 0, false},
	} {
		if i, exact := Meant(tt.list, tt.schemes, tt.scopes, tt.held); i != tt.want || exact != tt.exact {
			t.Errorf("%s: Meant = %d, %v, want %d, %v", tt.name, i, exact, tt.want, tt.exact)
		}
	}
}

// Diff reads a lock as pin does: scopes alone mean the way that asks for them.
func TestScopesAloneNameTheWay(t *testing.T) {
	home := oauth("https://id.example/t")
	was := []compile.Alternative{way("k", key("X")), way("o", home, "read")}
	r := New([]Skill{{ID: "s", Recorded: true, Scopes: []string{"read"}, Was: was, Now: was[1:]}}, Holder{})
	if c := r.Changes(); len(c) != 1 || c[0].Rule != AlternativeLost {
		t.Errorf("changes = %+v, want alternative-lost alone", c)
	}
}
