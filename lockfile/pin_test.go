package lockfile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

const agent = "https://a.example/card.json"

var at = time.Date(2026, 10, 2, 10, 30, 0, 5, time.FixedZone("", 2*60*60))

func sum(s string) string { return card.Sum([]byte(s)) }

func oauth(scopes ...string) compile.SchemeUse {
	u := compile.SchemeUse{Scopes: scopes}
	u.Kind = card.KindOAuth2
	return u
}

func apiKey() compile.SchemeUse {
	u := compile.SchemeUse{Scopes: []string{}}
	u.Kind, u.In, u.Name = card.KindAPIKey, "header", "X-Key"
	return u
}

func unreadable() compile.SchemeUse {
	u := compile.SchemeUse{Scopes: []string{}}
	u.Kind = card.KindUnknown
	return u
}

// alternative joins pairs of a name and a use.
func alternative(pairs ...any) compile.Alternative {
	a := compile.Alternative{Schemes: map[string]compile.SchemeUse{}}
	for i := 0; i < len(pairs); i += 2 {
		a.Schemes[pairs[i].(string)] = pairs[i+1].(compile.SchemeUse)
	}
	return a
}

// newProfile is an agent with a skill for each case.
func newProfile() *compile.Profile {
	i := compile.Interface{URL: "https://a.example/rpc", Binding: "JSONRPC", Version: "1.0", Tenant: "t"}
	skill := func(in, out []string, security ...compile.Alternative) compile.Skill {
		return compile.Skill{Input: in, Output: out, Security: append([]compile.Alternative{}, security...), SecurityFrom: "card", Tags: []string{}}
	}
	return &compile.Profile{
		Usable: true, Shape: card.Shape10, Name: "Agent", AgentVersion: "3.2.0", Interface: &i, Interfaces: []compile.Interface{i},
		Streaming: true, Extensions: []string{}, RequiredExtensions: []string{},
		DeclaredExtensions: map[string]compile.Extension{"https://x.example/e": {}},
		Schemes:            map[string]compile.Scheme{},
		Skills: map[string]compile.Skill{
			"quote": skill([]string{"application/json", "text/plain"}, []string{"application/json", "application/pdf", "text/plain"},
				alternative("oauth", oauth("quote", "read")), alternative("key", apiKey())),
			"open":      skill([]string{"text/plain"}, []string{"text/plain"}),
			"anonymous": skill([]string{"text/plain"}, []string{"text/plain"}, alternative("key", apiKey()), alternative()),
			"odd":       skill([]string{"text/plain"}, []string{"text/plain"}, alternative("", unreadable())),
			"half-odd":  skill([]string{"text/plain"}, []string{"text/plain"}, alternative("", unreadable()), alternative("gone", unreadable()), alternative("key", apiKey())),
			"both":      skill([]string{"text/plain"}, []string{"text/plain"}, alternative("b", oauth("y", "x"), "a", oauth("x", "z"))),
			"bare":      skill(nil, nil),
			"half-bare": skill([]string{"text/plain"}, nil),
			"images":    skill([]string{"image/png"}, []string{"image/png"}),
		},
		Disabled: map[string]string{"broken": "inputModes is a number"}, Ambiguous: []string{"twice"},
		Texts: map[string]compile.Text{}, Unknown: map[string]jsontext.Value{}, Sources: map[string]card.Source{},
	}
}

func newClient() *compile.Client {
	return &compile.Client{
		Sends: []string{"text/plain", "application/json", "x/y"}, Accepts: []string{"text", "application/json", "x/y"},
		Aliases:   map[string]string{"text": "text/plain"},
		Streaming: true, Extensions: []string{"https://x.example/e"},
	}
}

func options(skills ...string) lockfile.PinOptions {
	return lockfile.PinOptions{Skills: skills, Agent: agent, CardDigest: sum("card"), At: at}
}

// pin pins and fails t on an error.
func pin(t *testing.T, p *compile.Profile, cl *compile.Client, o lockfile.PinOptions) (*lockfile.Lock, []string) {
	t.Helper()
	l, notes, err := lockfile.Pin(p, cl, o)
	if err != nil {
		t.Fatalf("Pin = %v", err)
	}
	fixedPoint(t, format(t, l))
	return l, notes
}

func format(t *testing.T, l *lockfile.Lock) []byte {
	t.Helper()
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPinGolden(t *testing.T) {
	o := options("quote", "open")
	o.Streaming, o.Extensions = true, []string{"https://x.example/e"}
	o.Workflow, o.Owner = "travel", "team-travel"
	l, notes := pin(t, newProfile(), newClient(), o)
	if len(notes) > 0 {
		t.Errorf("notes = %q, want none", notes)
	}
	if l.ProfileDigest != newProfile().Digest([]string{"open", "quote"}) {
		t.Errorf("profile_digest = %s, want that of the required skills", l.ProfileDigest)
	}
	golden.Equal(t, "testdata/pin/new.golden", format(t, l))
}

func TestPinNeeds(t *testing.T) {
	key := []compile.Credential{{Name: "k", Kind: compile.APIKey}}
	tests := []struct {
		name       string
		skill      string
		held       []compile.Credential
		input      []string
		output     []string
		want       lockfile.Need
		wantNotice string // in a note; "" for no note
	}{
		{name: "first alternative", skill: "quote", want: lockfile.Need{
			Input: []string{"application/json", "text/plain"}, Output: []string{"text/plain", "application/json"},
			Schemes: []string{"oauth"}, Scopes: []string{"quote", "read"},
		}},
		{name: "one that can be met", skill: "quote", held: key, want: lockfile.Need{
			Input: []string{"application/json", "text/plain"}, Output: []string{"text/plain", "application/json"},
			Schemes: []string{"key"}, Scopes: []string{},
		}},
		{name: "one that may go there", skill: "quote", held: []compile.Credential{{Name: "k", Kind: compile.APIKey, Origins: []string{"https://a.example:443"}}}, want: lockfile.Need{
			Input: []string{"application/json", "text/plain"}, Output: []string{"text/plain", "application/json"},
			Schemes: []string{"key"}, Scopes: []string{},
		}},
		{name: "one that goes elsewhere", skill: "quote", held: []compile.Credential{{Name: "k", Kind: compile.APIKey, Origins: []string{"https://b.example:443"}}}, wantNotice: "no alternative", want: lockfile.Need{
			Input: []string{"application/json", "text/plain"}, Output: []string{"text/plain", "application/json"},
			Schemes: []string{"oauth"}, Scopes: []string{"quote", "read"},
		}},
		{name: "none that can be met", skill: "both", held: key, wantNotice: "no alternative", want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"text/plain"}, Schemes: []string{"a", "b"}, Scopes: []string{"x", "y", "z"},
		}},
		{name: "no security", skill: "open", want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"text/plain"}, Schemes: []string{}, Scopes: []string{},
		}},
		{name: "anonymous can be met", skill: "anonymous", want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"text/plain"}, Schemes: []string{}, Scopes: []string{},
		}},
		{name: "unreadable is not none", skill: "odd", wantNotice: "cannot be read", want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"text/plain"}, Scopes: []string{},
		}},
		{name: "one that can be read", skill: "half-odd", want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"text/plain"}, Schemes: []string{"key"}, Scopes: []string{},
		}},
		{name: "asked for", skill: "quote", input: []string{"Text/Plain"}, output: []string{"application/pdf", "text"}, want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"application/pdf", "text/plain"},
			Schemes: []string{"oauth"}, Scopes: []string{"quote", "read"},
		}},
		{name: "assumed", skill: "bare", input: []string{"b/b", "a/a"}, output: []string{"b/b", "a/a"}, want: lockfile.Need{
			Input: []string{"a/a", "b/b"}, Output: []string{"b/b", "a/a"}, Schemes: []string{}, Scopes: []string{}, Assumed: true,
		}},
		{name: "half assumed", skill: "half-bare", output: []string{"a/a"}, want: lockfile.Need{
			Input: []string{"text/plain"}, Output: []string{"a/a"}, Schemes: []string{}, Scopes: []string{}, Assumed: true,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cl, o := newClient(), options(tt.skill)
			cl.Credentials, o.Input, o.Output = tt.held, tt.input, tt.output
			l, notes := pin(t, newProfile(), cl, o)
			sameNeed(t, l.Requires.Skills[tt.skill], tt.want)
			if got := strings.Join(notes, "\n"); (got == "") != (tt.wantNotice == "") || !strings.Contains(got, tt.wantNotice) {
				t.Errorf("notes = %q, want %q", got, tt.wantNotice)
			}
		})
	}
}

// sameNeed also tells an empty list from one that is not recorded.
func sameNeed(t *testing.T, got, want lockfile.Need) {
	t.Helper()
	if !slices.Equal(got.Input, want.Input) || !slices.Equal(got.Output, want.Output) || got.Assumed != want.Assumed ||
		!slices.Equal(got.Scopes, want.Scopes) || (got.Scopes == nil) != (want.Scopes == nil) ||
		!slices.Equal(got.Schemes, want.Schemes) || (got.Schemes == nil) != (want.Schemes == nil) {
		t.Errorf("need = %#v\nwant %#v", got, want)
	}
}

func TestPinRefusals(t *testing.T) {
	with := func(o lockfile.PinOptions, change func(*lockfile.PinOptions)) lockfile.PinOptions {
		change(&o)
		return o
	}
	tests := []struct {
		name    string
		profile func(*compile.Profile)
		o       lockfile.PinOptions
		want    string
		is      func(error) bool
	}{
		{
			name: "unusable", profile: func(p *compile.Profile) { p.Usable, p.Reason = false, "it speaks 0.3 alone" }, o: options("quote"),
			want: "the agent is unusable: it speaks 0.3 alone", is: isA[*lockfile.UnusableError],
		},
		{
			name: "no skill", o: options(), is: isA[*lockfile.NoSkillError],
			want: `no skill named: the agent offers "anonymous", "bare", "both", "half-bare", "half-odd", "images", "odd", "open", "quote"`,
		},
		{
			name: "unknown skill", o: options("qoute"), is: isA[*lockfile.SkillError],
			want: `skill "qoute": the agent has no such skill; it offers "quote", "both", "bare", "odd", "open", "images", "anonymous", "half-bare", "half-odd"`,
		},
		{name: "disabled", o: options("broken"), want: `skill "broken": disabled: inputModes is a number`, is: isA[*lockfile.SkillError]},
		{name: "ambiguous", o: options("twice"), want: `skill "twice": ambiguous: the card has it more than once`, is: isA[*lockfile.SkillError]},
		{
			name: "nothing in common", o: options("images"), is: isA[*lockfile.EmptyError],
			want: `skill "images": input: no media type in common: the client sends "text/plain", "application/json", "x/y", the skill has "image/png"
skill "images": output: no media type in common: the client accepts "text/plain", "application/json", "x/y", the skill has "image/png"`,
		},
		{
			name: "type not offered", o: with(options("open"), func(o *lockfile.PinOptions) { o.Output = []string{"text", "a/b"} }),
			want: `skill "open": output: not offered: asked for "a/b", the skill has "text/plain"`, is: isA[*lockfile.EmptyError],
		},
		{
			name: "undeclared", o: options("bare", "half-bare"), is: isA[*lockfile.UndeclaredError],
			want: `skill "bare": the card declares no media types for input and output: name them with --input and --output, and the lock says that they are assumed
skill "half-bare": the card declares no media types for output: name them with --output, and the lock says that they are assumed`,
		},
		{
			name: "no media type to assume", is: isA[*lockfile.ModeError],
			o: with(options("bare", "half-bare"), func(o *lockfile.PinOptions) { o.Input, o.Output = []string{"text"}, []string{"pdf", "a/*", "a/b"} }),
			want: `--output "pdf": the card declares no media types, and to assume one it must be a media type such as text/plain
--output "a/*": the card declares no media types, and to assume one it must be a media type such as text/plain`,
		},
		{
			name: "push", o: with(options("open"), func(o *lockfile.PinOptions) { o.Push = true }),
			want: "push: the card does not declare it", is: isA[*lockfile.NotOfferedError],
		},
		{
			name: "streaming", profile: func(p *compile.Profile) { p.Streaming = false },
			o:    with(options("open"), func(o *lockfile.PinOptions) { o.Streaming = true }),
			want: "streaming: the card does not declare it", is: isA[*lockfile.NotOfferedError],
		},
		{
			name: "extension", o: with(options("open"), func(o *lockfile.PinOptions) { o.Extensions = []string{"urn:x"} }),
			want: `extension "urn:x": the card does not declare it; it declares "https://x.example/e"`, is: isA[*lockfile.NotOfferedError],
		},
		{
			name: "secret in the URL", o: with(options("open"), func(o *lockfile.PinOptions) { o.Agent = "https://u:p@a.example/c.json" }),
			want: "/agent: credentials in the URL: a lock holds no secret", is: isA[*lockfile.Fault],
		},
		{
			name: "secret in the interface", profile: func(p *compile.Profile) { p.Interface.URL = "https://u:p@a.example" }, o: options("open"),
			want: "/interface/url: credentials in the URL: a lock holds no secret\n/profile/interface/url: credentials in the URL: a lock holds no secret", is: isA[*lockfile.Fault],
		},
		{
			name: "secret in another interface", profile: func(p *compile.Profile) {
				p.Interfaces = append(p.Interfaces, compile.Interface{URL: "https://u:p@b.example", Binding: "GRPC", Version: "1.0"})
			}, o: options("open"),
			want: "/profile/interfaces/1/url: credentials in the URL: a lock holds no secret", is: isA[*lockfile.Fault],
		},
		{
			name: "secret of the provider", profile: func(p *compile.Profile) { p.Provider = &card.Provider{URL: "https://u:p@b.example"} }, o: options("open"),
			want: "/profile/provider/url: credentials in the URL: a lock holds no secret", is: isA[*lockfile.Fault],
		},
		{
			name: "secret in a flow", profile: func(p *compile.Profile) {
				use := oauth("a")
				use.Flows = map[string]compile.Flow{"clientCredentials": {TokenURL: "https://u:p@id.example", Scopes: []string{}}}
				p.Schemes = map[string]compile.Scheme{"o": use.Scheme}
				open := p.Skills["open"]
				open.Security = []compile.Alternative{alternative("o", use)}
				p.Skills["open"] = open
			}, o: options("open"),
			want: "/profile/schemes/o/flows/clientCredentials/token_url: credentials in the URL: a lock holds no secret\n" +
				"/profile/skills/open/security/0/schemes/o/flows/clientCredentials/token_url: credentials in the URL: a lock holds no secret", is: isA[*lockfile.Fault],
		},
		{
			name: "all at once", o: with(options("images", "none"), func(o *lockfile.PinOptions) { o.Push, o.Input = true, []string{"image/png"} }),
			want: `skill "images": output: no media type in common: the client accepts "text/plain", "application/json", "x/y", the skill has "image/png"
skill "none": the agent has no such skill; it offers "bare", "both", "odd", "open", "quote", "images", "anonymous", "half-odd", "half-bare"
push: the card does not declare it`, is: isA[*lockfile.SkillError],
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProfile()
			if tt.profile != nil {
				tt.profile(p)
			}
			l, _, err := lockfile.Pin(p, newClient(), tt.o)
			if err == nil || err.Error() != tt.want || l != nil {
				t.Fatalf("Pin = %v, %v\nwant %s", l, err, tt.want)
			}
			if !tt.is(err) {
				t.Errorf("Pin error is a %T without the type for it", err)
			}
		})
	}
}

// A range takes what is of it, and promises nothing of what is given.
func TestPinRanges(t *testing.T) {
	for _, tt := range []struct {
		name             string
		accepts, answers string
		asked            []string
		input            []string
		want             string // the error; "" for none
	}{
		{name: "all", accepts: "*/*", answers: "text/plain", input: []string{"application/json", "text/plain", "x/y"}},
		{name: "those of one type", accepts: "application/*", answers: "text/plain", input: []string{"application/json"}},
		{name: "asked for", accepts: "application/*", answers: "text/plain", asked: []string{"application/pdf"}, input: []string{"application/pdf"}},
		{
			name: "asked for, and of another type", accepts: "image/*", answers: "text/plain", asked: []string{"application/pdf"},
			want: `skill "open": input: not offered: asked for "application/pdf", the skill has "image/*"`,
		},
		{
			name: "none of the client's", accepts: "image/*", answers: "text/plain",
			want: `skill "open": input: no media type in common: the client sends "text/plain", "application/json", "x/y", the skill has "image/*"`,
		},
		{
			name: "given", accepts: "text/plain", answers: "*/*",
			want: `skill "open": output: no media type in common: the client accepts "text/plain", "application/json", "x/y", the skill has "*/*"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, o := newProfile(), options("open")
			p.Skills["open"] = compile.Skill{Input: []string{tt.accepts}, Output: []string{tt.answers}, Security: []compile.Alternative{}, Tags: []string{}}
			o.Input = tt.asked
			l, _, err := lockfile.Pin(p, newClient(), o)
			if tt.want != "" {
				if err == nil || err.Error() != tt.want {
					t.Fatalf("Pin = %v, want %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Requires.Skills["open"].Input; !slices.Equal(got, tt.input) {
				t.Fatalf("input = %q, want %q", got, tt.input)
			}
			o.Old = l
			if again, notes := pin(t, p, newClient(), o); !slices.Equal(again.Requires.Skills["open"].Input, tt.input) || len(notes) > 0 {
				t.Errorf("pinned again: input = %q, notes %q", again.Requires.Skills["open"].Input, notes)
			}
		})
	}
}

// What looks like a secret may be none, so a person has to say.
func TestPinNotesTheInterfacesQuery(t *testing.T) {
	p := newProfile()
	p.Interface.URL = "https://a.example/rpc?api_key=s3cret&x=1"
	l, notes := pin(t, p, newClient(), options("open"))
	want := "the interface's URL has what looks like a secret in it, and the lock holds it as it is: https://a.example/rpc?api_key=REDACTED&x=1"
	if l.Interface.URL != p.Interface.URL || !slices.Contains(notes, want) {
		t.Errorf("url = %s, notes = %q, want %q", l.Interface.URL, notes, want)
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
