package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

func useOf(s compile.Scheme, scopes ...string) compile.SchemeUse {
	return compile.SchemeUse{Scheme: s, Scopes: append([]string{}, scopes...)}
}

func way(uses map[string]compile.SchemeUse) compile.Alternative {
	return compile.Alternative{Schemes: uses}
}

func tokens(u string) compile.Scheme {
	return compile.Scheme{Kind: card.KindOAuth2, Flows: map[string]compile.Flow{"clientCredentials": {TokenURL: u}}}
}

func TestLimit(t *testing.T) {
	key := compile.Scheme{Kind: card.KindAPIKey, In: "header", Name: "X-Key"}
	oauth, moved := tokens("https://id.example/token"), tokens("https://evil.example/token")
	type uses = map[string]compile.SchemeUse
	// A profile whose skill "quote" asks for one of list.
	profile := func(list ...compile.Alternative) *compile.Profile {
		p := &compile.Profile{Schemes: map[string]compile.Scheme{}, Skills: map[string]compile.Skill{"quote": {Security: list}}}
		for _, a := range list {
			for name, use := range a.Schemes {
				p.Schemes[name] = use.Scheme
			}
		}
		return p
	}
	lock := func(n lockfile.Need, was *compile.Profile) *lockfile.Lock {
		n.Input, n.Output = []string{"text/plain"}, []string{"text/csv"}
		return &lockfile.Lock{
			Requires: lockfile.Requires{Skills: map[string]lockfile.Need{"quote": n, "book": {}}, Extensions: []string{"urn:x"}},
			Profile:  was,
		}
	}
	tests := []struct {
		name  string
		lock  *lockfile.Lock
		now   *compile.Profile
		held  map[string][]string
		moved []string
		own   []int
		// breaking is a part of it.
		breaking string
	}{
		{"nothing recorded", lock(lockfile.Need{}, nil), profile(way(uses{"key": useOf(key)})), nil, nil, nil, ""},
		{"open by word", lock(lockfile.Need{Schemes: []string{}}, nil), profile(way(uses{"key": useOf(key)})), map[string][]string{}, nil, nil, "one is now"},
		{
			"scopes by word", lock(lockfile.Need{Scopes: []string{"a"}}, nil),
			profile(way(uses{"key": useOf(key)}), way(uses{"oauth": useOf(oauth, "a", "b")})),
			map[string][]string{"key": {"a"}, "oauth": {"a"}},
			nil,
			nil,
			"",
		},
		{
			"schemes and scopes by word", lock(lockfile.Need{Schemes: []string{"oauth"}, Scopes: []string{"a"}}, nil),
			profile(way(uses{"key": useOf(key)}), way(uses{"oauth": useOf(oauth, "a")})),
			map[string][]string{"oauth": {"a"}},
			nil,
			nil,
			"",
		},
		{
			"schemes by word that are gone", lock(lockfile.Need{Schemes: []string{"oauth"}}, nil), profile(way(uses{"key": useOf(key)})),
			map[string][]string{},
			nil,
			nil,
			"no way to authenticate can be met",
		},
		{
			"recorded, and renamed", lock(lockfile.Need{Schemes: []string{"oauth"}, Scopes: []string{"a"}}, profile(way(uses{"oauth": useOf(oauth, "a")}))),
			profile(way(uses{"key": useOf(key)}), way(uses{"new": useOf(oauth, "a", "b")})),
			map[string][]string{"new": {"a"}},
			nil,
			[]int{1},
			`"b" is asked for`,
		},
		{
			"recorded without scopes", lock(lockfile.Need{Schemes: []string{"oauth"}}, profile(way(uses{"oauth": useOf(oauth, "b")}))),
			profile(way(uses{"oauth": useOf(oauth, "b", "c")})),
			map[string][]string{"oauth": {"b"}},
			nil,
			[]int{0},
			`"c" is asked for`,
		},
		{
			"another definition", lock(lockfile.Need{Schemes: []string{"s"}}, profile(way(uses{"s": useOf(oauth)}))),
			profile(way(uses{"s": useOf(key)})),
			map[string][]string{},
			nil,
			[]int{0},
			"is another one",
		},
		{
			"tokens from elsewhere", lock(lockfile.Need{Schemes: []string{"oauth"}}, profile(way(uses{"oauth": useOf(oauth)}))),
			profile(way(uses{"oauth": useOf(moved)})),
			map[string][]string{"oauth": {}},
			[]string{"oauth"},
			[]int{0},
			"secrets would go to another origin",
		},
		{
			"the same and one like it", lock(lockfile.Need{Schemes: []string{"oauth"}}, profile(way(uses{"oauth": useOf(oauth)}))),
			profile(way(uses{"oauth": useOf(oauth)}), way(uses{"z": useOf(tokens("https://id.example/v2"))})),
			map[string][]string{"oauth": {}, "z": {}},
			nil,
			[]int{0, 1},
			"",
		},
		{
			"unreadable when pinned", lock(lockfile.Need{}, profile(way(uses{"": useOf(compile.Scheme{Kind: card.KindUnknown})}))),
			profile(way(uses{"key": useOf(key)})), nil, nil, nil, "",
		},
		{
			"open when pinned", lock(lockfile.Need{Schemes: []string{}}, profile()),
			profile(way(uses{"key": useOf(key)})),
			map[string][]string{},
			nil,
			nil,
			"one is now",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := &compile.Limit{
				Skills: []string{"book", "quote"}, Input: []string{"text/plain"}, Output: []string{"text/csv"},
				Extensions: []string{"urn:x"}, Held: tt.held, Moved: tt.moved, Own: tt.own,
			}
			got := Limit(Comparison{Lock: tt.lock, Now: tt.now}, "quote")
			if (got.Breaking == "") != (tt.breaking == "") || !strings.Contains(got.Breaking, tt.breaking) {
				t.Errorf("Breaking = %q, want …%s…", got.Breaking, tt.breaking)
			}
			want.Breaking = got.Breaking
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Limit(Comparison{Lock: lock(lockfile.Need{}, nil), Now: profile()}, "gone"); got.Held != nil || got.Input != nil {
		t.Errorf("Limit of a skill that the lock does not require = %+v", got)
	}
}

func TestLimitOrigins(t *testing.T) {
	tests := []struct {
		name    string
		pinned  *lockfile.Interface
		trusted []string
		want    []string
	}{
		{"not recorded", nil, nil, nil},
		{"no address", &lockfile.Interface{Binding: "JSONRPC", Version: "1.0"}, []string{"https://b.example"}, nil},
		{"https", &lockfile.Interface{Binding: "JSONRPC", URL: "https://A.example:443/x"}, nil, []string{"https://a.example"}},
		{"http may become https", &lockfile.Interface{Binding: "JSONRPC", URL: "http://[::1]/x"}, nil, []string{"http://[::1]", "https://[::1]"}},
		{"not on another port", &lockfile.Interface{Binding: "JSONRPC", URL: "http://a.example:8080/x"}, nil, []string{"http://a.example:8080"}},
		{"GRPC", &lockfile.Interface{Binding: "GRPC", URL: "a.example:8443"}, nil, []string{"https://a.example:8443"}},
		{
			"trusted", &lockfile.Interface{Binding: "JSONRPC", URL: "https://a.example"},
			[]string{"https://B.example/", "nonsense"},
			[]string{"https://a.example", "https://b.example"},
		},
	}
	for _, tt := range tests {
		l := &lockfile.Lock{Interface: tt.pinned, Trust: &lockfile.Trust{AllowedOrigins: tt.trusted}}
		got := Limit(Comparison{Lock: l, Now: &compile.Profile{}}, "quote").Origins
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
