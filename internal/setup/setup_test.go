package setup

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/fetch"
)

func parsed(t *testing.T, text string) *Setup {
	t.Helper()
	c := config.Default()
	c.Env = func(name string) (string, bool) { return "value", name == "SECRET" }
	if err := c.Parse([]byte(text), config.Name); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return &Setup{Config: c}
}

const pricing = `credentials: {pricing: {origins: [https://a.example], bearer: {token: "${SECRET}"}}}` + "\n"

func TestGuard(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example:3128")
	s := parsed(t, "network: {allow: [10.0.0.0/8], http: [h.example], ca_files: {'https://a.example': ca.pem}}")
	g := s.Guard()
	if len(g.Allow) != 1 || len(g.HTTP) != 1 || g.CAFiles["https://a.example"] != "ca.pem" || g.Proxy == nil || g.Proxy.HTTPSProxy != "http://proxy.example:3128" {
		t.Errorf("Guard = %+v", g)
	}
	if g == s.Guard() {
		t.Error("two guards share connections")
	}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
}

// All who ask share one wallet, and so its tokens.
func TestWallet(t *testing.T) {
	s := parsed(t, pricing)
	fetcher := s.Fetcher("agent/1")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if w, err := s.Wallet(); err != nil || w != fetcher.Wallet || w.UserAgent != "agent/1" || w.Timeout != s.Config.Limits.Timeout {
				t.Errorf("Wallet = %v, %v, want that of the fetcher", w, err)
			}
		})
	}
	wg.Wait()
	if fetcher.Wallet.Guard == nil || fetcher.Wallet.Guard == fetcher.Guard {
		t.Error("token servers and agents share connections, or there is no guard")
	}
	if w, err := (&Setup{Config: config.Default()}).Wallet(); w == nil || err != nil {
		t.Errorf("Wallet without credentials = %v, %v", w, err)
	}
}

// A credential goes to its origin, and a secret that others may read is told of.
func TestFetcherShowsCredentials(t *testing.T) {
	var seen []string
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}))
	defer agent.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("value\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := parsed(t, "credentials:\n  mine: {origins: ['"+agent.URL+"'], bearer: {token_file: "+token+"}}\n"+
		"  unset: {origins: ['"+agent.URL+"'], bearer: {token: '${UNSET}'}}\n")
	var warned []string
	s.Warn = func(name, text string) { warned = append(warned, name+": "+text) }
	c := s.Fetcher("")
	for _, identity := range []string{"", "mine", "mine"} {
		if _, err := c.Get(t.Context(), fetch.Ask{URL: agent.URL, Identity: identity}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(seen, ", "); got != ", Bearer value, Bearer value" {
		t.Errorf("the agent saw %q", got)
	}
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "mine: "+token) {
		t.Errorf("warned of %q", warned)
	}
	_, err := c.Get(t.Context(), fetch.Ask{URL: agent.URL, Identity: "unset"})
	if err == nil || !strings.Contains(err.Error(), "credentials.unset.bearer.token: \"${UNSET}\": the environment variable UNSET is not set") || len(seen) != 3 {
		t.Errorf("asked with a variable that is not set: %v, and the agent saw %q", err, seen)
	}
	_, err = c.Get(t.Context(), fetch.Ask{URL: agent.URL, Identity: "other"})
	if e, ok := errors.AsType[*fetch.IdentityError](err); !ok || e.Name != "other" {
		t.Errorf("asked as nobody that is known: %v", err)
	}
}

// A reload that changes what is asked, or with what, asks anew.
func TestAsksAs(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                bool
	}{
		{"the same", pricing, pricing, true},
		{"a policy", pricing, pricing + "policy: {fail_on: review}", true},
		{"interfaces, and no credential", "", "client: {select: client-order}", true},
		{"interfaces", pricing, pricing + "client: {select: client-order}", false},
		{"no credential any more", pricing, "", false},
		{"another name", pricing, strings.ReplaceAll(pricing, "pricing", "prices"), false},
		{"another origin", pricing, strings.ReplaceAll(pricing, "a.example", "b.example"), false},
		{"another value", pricing, strings.ReplaceAll(pricing, "${SECRET}", "x${SECRET}"), false},
		{"another place of it", pricing, strings.ReplaceAll(pricing, `token: "${SECRET}"`, "token_file: t"), false},
		{"a variable that is gone", pricing, strings.ReplaceAll(pricing, "${SECRET}", "${UNSET}"), false},
		{"another kind", `credentials: {pricing: {origins: [https://a.example], api_key: {in: query, name: k, key: "${SECRET}"}}}`, pricing, false},
		{"roots", "", "network: {ca_files: {'https://a.example': ca.pem}}", false},
		{"a limit", "", "limits: {depth: 9}", false},
	} {
		if got := parsed(t, tt.before).AsksAs(parsed(t, tt.after)); got != tt.want {
			t.Errorf("%s: AsksAs = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), config.Name)
	for text, want := range map[string]string{
		pricing:                        "",
		"policy: {rules: {x: review}}": path + ":1: policy.rules.x: ",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path)
		if want == "" && (err != nil || len(s.Config.Credentials) != 1) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("Load of %s = %v, want %q", text, err, want)
		}
	}
}
