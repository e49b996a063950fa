package lockfile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// The generators make locks in the form that reading gives: sets sorted,
// waivers in order, unknown members compact.
var (
	text   = rapid.StringOf(rapid.SampledFrom([]rune("ab/~\"\\\n\t\x00\x7f<é\u00ad\u200b\u2028\U0001F600\U000E0041\uFFFD")))
	filled = rapid.Map(text, func(s string) string { return "x" + s })
	digest = rapid.Map(rapid.IntRange(0, 9), func(i int) string { return card.Sum([]byte{byte(i)}) })
	set    = rapid.Map(rapid.SliceOfN(filled, 0, 3), func(v []string) []string {
		slices.Sort(v)
		return slices.Compact(v)
	})
	extra = rapid.Custom(func(t *rapid.T) jsontext.Value {
		return rapid.SampledFrom([]jsontext.Value{
			nil, nil, jsontext.Value(`{"new":1.50}`), jsontext.Value("{\"new\":{\"a\":[2,1,null],\"b\":\"\u200b\\n\"},\"other\":9007199254740993}"),
		}).Draw(t, "extra")
	})
)

func maybe[T any](t *rapid.T, v T) (zero T) {
	if rapid.Bool().Draw(t, "there") {
		return v
	}
	return zero
}

func filledSet(t *rapid.T) []string {
	return slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(filled, 1, 3).Draw(t, "modes"))))
}

func drawEvidence(t *rapid.T) lockfile.Evidence {
	if rapid.Bool().Draw(t, "short") {
		return lockfile.Evidence{Text: filled.Draw(t, "text")}
	}
	return lockfile.Evidence{
		Result: text.Draw(t, "result"), At: maybe(t, "2026-10-02"),
		ProfileDigest: maybe(t, digest.Draw(t, "digest")), Detail: text.Draw(t, "detail"), Extra: extra.Draw(t, "x"),
	}
}

func drawProfile(t *rapid.T) *compile.Profile {
	use := compile.SchemeUse{Scopes: set.Draw(t, "scopes")}
	use.Kind, use.Extra = card.KindOAuth2, extra.Draw(t, "x")
	return &compile.Profile{
		Usable: true, Shape: card.Shape10, Name: text.Draw(t, "name"),
		Provider:           maybe(t, &card.Provider{Organization: text.Draw(t, "org")}),
		Interfaces:         []compile.Interface{{URL: "b", Extra: extra.Draw(t, "x")}, {URL: "a"}},
		Extensions:         set.Draw(t, "set"),
		RequiredExtensions: set.Draw(t, "set"),
		DeclaredExtensions: map[string]compile.Extension{text.Draw(t, "uri"): {Params: jsontext.Value(`{"a":1}`)}},
		Schemes:            map[string]compile.Scheme{},
		Skills: map[string]compile.Skill{text.Draw(t, "id"): {
			Input: set.Draw(t, "set"), Tags: set.Draw(t, "set"), Extra: extra.Draw(t, "x"),
			Security: []compile.Alternative{
				{Schemes: map[string]compile.SchemeUse{text.Draw(t, "scheme"): use}},
				{Schemes: map[string]compile.SchemeUse{}},
			},
		}},
		OtherSkills: maybe(t, map[string]string{text.Draw(t, "id"): digest.Draw(t, "digest")}),
		Disabled:    map[string]string{}, Ambiguous: []string{},
		Texts:   map[string]compile.Text{"/name": {Digest: digest.Draw(t, "digest")}},
		Unknown: map[string]jsontext.Value{text.Draw(t, "pointer"): jsontext.Value(`[2,1]`)},
		Sources: map[string]card.Source{}, Extra: extra.Draw(t, "x"),
	}
}

func drawLock(t *rapid.T) *lockfile.Lock {
	skills := make(map[string]lockfile.Need)
	for _, id := range rapid.SliceOfN(text, 1, 3).Draw(t, "ids") {
		skills[id] = lockfile.Need{
			Input: filledSet(t), Output: rapid.SliceOfN(filled, 1, 3).Draw(t, "output"),
			Scopes: maybe(t, set.Draw(t, "scopes")), Schemes: maybe(t, set.Draw(t, "schemes")),
			Assumed: rapid.Bool().Draw(t, "assumed"), Extra: extra.Draw(t, "x"),
		}
	}
	return &lockfile.Lock{
		LockVersion: rapid.IntRange(0, 1).Draw(t, "version"), Workflow: text.Draw(t, "workflow"), Owner: text.Draw(t, "owner"),
		Agent: "https://a.example/card.json", Identity: text.Draw(t, "identity"), Fallback: text.Draw(t, "fallback"),
		PinnedAt: maybe(t, "2026-10-02T08:30:00Z"), CardDigest: maybe(t, digest.Draw(t, "digest")), ProfileDigest: maybe(t, digest.Draw(t, "digest")),
		AgentVersion: text.Draw(t, "agent version"),
		Interface:    maybe(t, &lockfile.Interface{Binding: "JSONRPC", Version: "1.0", Tenant: text.Draw(t, "tenant"), Extra: extra.Draw(t, "x")}),
		Requires: lockfile.Requires{
			Streaming: rapid.Bool().Draw(t, "streaming"), Push: rapid.Bool().Draw(t, "push"),
			Skills: skills, Extensions: set.Draw(t, "extensions"), Extra: extra.Draw(t, "x"),
		},
		Profile:  maybe(t, drawProfile(t)),
		Verified: maybe(t, map[string]lockfile.Evidence{text.Draw(t, "claim"): drawEvidence(t), "streaming": drawEvidence(t)}),
		Trust: maybe(t, &lockfile.Trust{
			Signature: "if-present", AllowedOrigins: maybe(t, set.Draw(t, "origins")), Extra: extra.Draw(t, "x"),
			Keys: maybe(t, []jsontext.Value{jsontext.Value(`"k"`), jsontext.Value(`{"kty":"EC"}`)}),
		}),
		Policy: maybe(t, &lockfile.Policy{
			Rules: map[string]string{text.Draw(t, "rule"): text.Draw(t, "class")}, MaxLockAge: maybe(t, "90d"),
			SettleByProbe: maybe(t, jsontext.Value(`true`)), Extra: extra.Draw(t, "x"),
		}),
		Waivers: maybe(t, []lockfile.Waiver{{Rule: "a", Path: "/b", Until: text.Draw(t, "until"), Extra: extra.Draw(t, "x")}, {Rule: "b", Path: "/a"}}),
		Extra:   extra.Draw(t, "x"),
	}
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLock(t)
		data, err := lockfile.Format(l)
		if err != nil {
			t.Fatal(err)
		}
		back, err := lockfile.Parse(data, "")
		if err != nil {
			t.Fatalf("Parse(Format(l)) = %v of\n%s", err, data)
		}
		if diff := cmp.Diff(l, back); diff != "" {
			t.Fatalf("Parse(Format(l)) differs from l (-l +read):\n%s\n%s", diff, data)
		}
	})
}

func TestFormatShowsWhatIsInvisible(t *testing.T) {
	l := minimal()
	l.Owner = "a\u200bb\u00ad\x7f\u202e\U000E0041<é>\u2028"
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	want := `"a\u200bb\u00ad\u007f\u202e\udb40\udc41<é>` + "\u2028\""
	if !strings.Contains(string(data), want) {
		t.Errorf("Format wrote\n%s\nwant %s in it", data, want)
	}
}

func TestFormatLeavesTheLockAlone(t *testing.T) {
	l := minimal()
	l.Requires.Extensions = []string{"b", "a", "b"}
	l.Waivers = []lockfile.Waiver{{Rule: "b"}, {Rule: "a"}}
	if _, err := lockfile.Format(l); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Requires.Extensions, []string{"b", "a", "b"}) || l.Waivers[0].Rule != "b" {
		t.Errorf("Format changed its lock: %v, %v", l.Requires.Extensions, l.Waivers)
	}
}

func TestFormatErrors(t *testing.T) {
	tests := []struct {
		name string
		with func(l *lockfile.Lock)
		want string
	}{
		{"not UTF-8", func(l *lockfile.Lock) { l.Owner = "M\xfcller" }, "UTF-8"},
		{"extra repeats a member", func(l *lockfile.Lock) { l.Extra = jsontext.Value(`{"agent":1}`) }, "duplicate"},
		{"extra is no object", func(l *lockfile.Lock) { l.Extra = jsontext.Value(`[]`) }, "object"},
		{"too deep", func(l *lockfile.Lock) {
			l.Extra = jsontext.Value(`{"x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}")
		}, "nested deeper"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := minimal()
			tt.with(l)
			if _, err := lockfile.Format(l); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Format = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	l := minimal()
	l.Trust = &lockfile.Trust{Signature: "ignore", Keys: []jsontext.Value{jsontext.Value(`"k"`)}}
	for _, off := range []string{"", "false", "null"} {
		l.Policy = &lockfile.Policy{SettleByProbe: jsontext.Value(off)}
		if err := l.Unsupported(); err != nil {
			t.Errorf("Unsupported with settle_by_probe %q = %v, want nil", off, err)
		}
	}
	for _, asks := range []lockfile.Trust{{Signature: "if-present"}, {Keys: l.Trust.Keys}} {
		l.Trust = &asks
		if err := l.Unsupported(); err == nil || !strings.Contains(err.Error(), "signatures are not verified yet") {
			t.Errorf("Unsupported with trust %+v = %v", asks, err)
		}
	}
	l.Trust = &lockfile.Trust{}
	l.Path, l.Identity, l.Trust.Signature = "x.a2a.lock.json", "partner", "require" // an identity is judged
	l.Policy = &lockfile.Policy{SettleByProbe: jsontext.Value(`{"claims":[]}`)}
	want := `x.a2a.lock.json: /trust/signature: "require": signatures are not verified yet
x.a2a.lock.json: /policy/settle_by_probe: probes are not supported yet`
	if err := l.Unsupported(); err == nil || err.Error() != want {
		t.Errorf("Unsupported =\n%v\nwant\n%s", err, want)
	}
}

func TestRequiredSkills(t *testing.T) {
	l := minimal()
	l.Requires.Skills["a"] = lockfile.Need{}
	if got := l.RequiredSkills(); !slices.Equal(got, []string{"a", "q"}) {
		t.Errorf("RequiredSkills = %q", got)
	}
}

// minimal is a lock with nothing but what must be there.
func minimal() *lockfile.Lock {
	return &lockfile.Lock{
		Agent: "https://a.example/c.json",
		Requires: lockfile.Requires{
			Skills:     map[string]lockfile.Need{"q": {Input: []string{"a/b"}, Output: []string{"a/b"}}},
			Extensions: []string{},
		},
	}
}
