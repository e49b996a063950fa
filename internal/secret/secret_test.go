package secret

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// join keeps tokens out of this file, so that no scanner takes it for a leak.
func join(parts ...string) string { return strings.Join(parts, "") }

const mixed = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // "pointer what", "" for nothing
	}{
		{"a password in a URL", `{"a":"https://me:geheim@h.example/"}`, "/a a password in a URL"},
		{"a user name", `{"a":"https://ghostly@h.example/"}`, "/a a user name in a URL"},
		{"a user of git", `{"a":"ssh://git@h.example/x"}`, ""},
		{"a password without a scheme", `{"url":"me:geheim12@h.example:443"}`, "/url a password in an address"},
		{"a token in a query", `{"a":{"b":["https://h.example/?x=1&access_token=abc1"]}}`, "/a/b/0 a credential in a URL"},
		{"a name in escapes", `{"a":"https://h.example/?%74oken=abc1"}`, "/a a credential in a URL"},
		{"a token in a fragment", `{"a":"https://h.example/#id_token=abc123"}`, "/a a credential in a URL"},
		{"a key that looks random", `{"a":"https://h.example/?key=` + mixed + `"}`, "/a a credential in a URL"},
		{"a key of a map", `{"a":"https://h.example/?key=price&code=de"}`, ""},
		{"a placeholder", `{"a":"https://h.example/?token=${TOKEN}","b":"https://h.example/?token=REDACTED"}`, ""},
		{"an empty one", `{"a":"https://h.example/?token="}`, ""},
		{"a session in a path", `{"a":"https://h.example/x;jsessionid=A1B2C3D4E5F6A7B8/y"}`, "/a a credential in a URL"},
		{"a parameter of a path", `{"a":"https://h.example/x;token=v1/y;key=price"}`, ""},
		{"a password with a semicolon", `{"a":"https://me:ge;heim@h.example/"}`, "/a a password in a URL"},
		{"a URL in a sentence", `{"a":"see https://h.example/?sig=abc123 for it"}`, "/a a credential in a URL"},
		{"a URL as a name", `{"https://h.example/?token=abc123":1}`, " a credential in a URL"},
		{"AWS", `{"a":"` + join("AK", "IA", "IOSFODNN7EXAMPLE") + `"}`, "/a an AWS key"},
		{"GitHub", `{"a":"` + join("gh", "p_", mixed) + `"}`, "/a a GitHub token"},
		{"GitHub, fine", `{"a":"` + join("github", "_pat_", mixed) + `"}`, "/a a GitHub token"},
		{"GitLab", `{"a":"` + join("gl", "pat-", mixed[:20]) + `"}`, "/a a GitLab token"},
		{"Slack", `{"a":"` + join("xo", "xb-", "1234567890-abcdef") + `"}`, "/a a Slack token"},
		{"Stripe", `{"a":"` + join("sk", "_live_", mixed[:24]) + `"}`, "/a a Stripe key"},
		{"Google", `{"a":"` + join("AI", "za", mixed[:35]) + `"}`, "/a a Google API key"},
		{"a JWT", `{"a":"` + join("ey", "JhbGciOiJIUzI1NiJ9", ".", "ey", "JzdWIiOiIxIn0", ".", mixed) + `"}`, "/a a JSON web token"},
		{"a private key", `{"a":"` + join("-----BEGIN EC PRIV", "ATE KEY-----") + `\nMHc="}`, "/a a private key"},
		{"a public key", `{"a":"-----BEGIN PUBLIC KEY-----\nMHc="}`, ""},
		{"a header", `{"a":"Authorization: Bearer ` + mixed + `"}`, "/a a credential of an Authorization header"},
		{"words", `{"a":"bearer authentication-is-required here, basic understanding-of-things"}`, ""},
		{"a token by its name", `{"api_key":"` + mixed + `"}`, "/api_key a value under a name that speaks of secrets"},
		{"a list of them", `{"tokens":["` + mixed + `"]}`, "/tokens/0 a value under a name that speaks of secrets"},
		{"a password", `{"db":{"password":"hunter2"}}`, "/db/password a value under a name that speaks of secrets"},
		{"a word for one", `{"password":"required","reset-password":"probe ok 2026-10-02"}`, ""},
		{"a class of a rule about signatures", `{"signature-missing":"review","signature":"if-present"}`, ""},
		{"a signature", `{"signature":"` + mixed + `","sig":"` + mixed + `"}`, ""},
		{"an address of tokens", `{"token_url":"https://auth.example/oauth2/v1/token"}`, ""},
		{"a private JWK", `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + mixed + `","d":"` + mixed + `"}]}`, "/keys/0/d a private key"},
		{"a symmetric JWK", `{"kty":"oct","k":"` + mixed + `"}`, "/k a private key"},
		{"a public JWK", `{"kty":"EC","crv":"P-256","kid":"` + mixed + `","x":"` + mixed + `","y":"` + mixed + `"}`, ""},
		{"a d of something else", `{"d":"` + mixed + `"}`, ""},
		{"a digest", `{"card_digest":"sha256:` + strings.Repeat("0a1b2c3d", 8) + `","secret-search":"sha256:` + strings.Repeat("0a1b2c3d", 8) + `"}`, ""},
		{"a UUID", `{"id":"123e4567-e89b-12d3-a456-426614174000","token_id":"123e4567-e89b-12d3-a456-426614174000","token":"00000000-0000-0000-0000-000000000000"}`, ""},
		{"a UUID called a token", `{"token":"123e4567-e89b-12d3-a456-426614174000"}`, "/token a value under a name that speaks of secrets"},
		{"a commit", `{"commit":"2fd4e1c67a2d28fced849ee1bb76e7391b93eb12","fingerprint":"2fd4e1c67a2d28fc"}`, ""},
		{"long ids", `{"skills":{"itinerary-pricing-for-2026-and-later":1}}`, ""},
		{"more than one can tell apart", `{"a":"` + strings.Repeat("https://h.example/?token=abc123 ", 100) + `"}`, "/a many credentials"},
		{"no JSON", "<<<<<<<\n{\n \"password\": \"hunter2\"\n", " line 3 a value under a name that speaks of secrets"},
		{"no JSON with a key of a JWK", "{,\"kty\":\"OKP\",\n\"d\":\"" + mixed + "\"", " line 2 a private key"},
		{"no JSON at all", "token " + join("gh", "p_", mixed), " line 1 a GitHub token"},
		{"a BOM", "\ufeff" + `{"password":"hunter2"}`, "/password a value under a name that speaks of secrets"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, h := range Find([]byte(tt.text)) {
				line := ""
				if h.Line > 0 {
					line = "line " + string(rune('0'+h.Line)) + " "
				}
				got = append(got, h.Pointer+" "+line+h.What)
				if strings.Contains(h.Shown, mixed[:6]) {
					t.Errorf("Shown = %q", h.Shown)
				}
			}
			if joined := strings.Join(got, "\n"); joined != tt.want {
				t.Errorf("Find(%s) = %q, want %q", tt.text, joined, tt.want)
			}
		})
	}
}

func TestHide(t *testing.T) {
	raw := strings.Repeat("s3cr\"t", 40)
	text, err := json.Marshal(map[string]string{"password": raw, "pwd": "hunter22"})
	if err != nil {
		t.Fatal(err)
	}
	hits := Find(text)
	if len(hits) != 2 {
		t.Fatalf("hits = %+v, want 2", hits)
	}
	for _, s := range []string{
		"it is " + raw, string(text), `it is "` + raw[:80] + `…"`, "and hunter22, too",
	} {
		if got := Over(hits).Hide(s); strings.Contains(got, "s3cr") && !strings.Contains(got, "s3cr…") || strings.Contains(got, "hunter22") {
			t.Errorf("Hide(%q) = %q", s, got)
		}
	}
	if known := Known(hits[:1]); !known.Has(hits[0]) || known.Has(hits[1]) || Over(nil).Hide("x…") != "x…" {
		t.Error("Has or Hide is wrong")
	}
}

// Locks that nobody put a secret into raise no alarm.
func TestNoFalseAlarm(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/triples/locks/*.json")
	more, _ := filepath.Glob("../../locks/*.json")
	cards, _ := filepath.Glob("../../testdata/cards/*.json")
	files = slices.Concat(files, more, cards)
	if len(files) < 8 {
		t.Fatalf("%d files: the test looks in the wrong place", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if hits := Find(data); len(hits) > 0 {
			t.Errorf("%s: %+v", file, hits)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{`{"a":"https://me:geheim@h.example/?token=x"}`, "<<<<<<<\n\"d\":\"x\"", `{"kty":1,"d":""}`, "…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		hits := Find([]byte(s))
		for _, h := range hits {
			if h.What == "" || h.Shown == "" {
				t.Errorf("Find(%q) = %+v", s, h)
			}
		}
		Over(hits).Hide(s)
	})
}
