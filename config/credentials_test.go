package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
)

// fullCredentials are those of testdata/valid/full.yaml.
func fullCredentials() []credential.Credential {
	here := []string{"https://h.example"}
	secret := credential.Literal("canary-secret")
	return []credential.Credential{
		{Name: "search", Origins: []string{"https://Search.example"}, Kind: credential.APIKey{In: "query", Name: "key", Key: secret}},
		{
			Name: "partner", Origins: []string{"https://a.partner.example", "http://localhost:8080/"},
			Kind: credential.ClientCredentials{
				TokenURL: "https://login.partner.example/token?x=y", ClientID: "us", Secret: credential.File("/run/secrets/partner"),
				Scopes: []string{"agents.read"}, AuthStyle: "params", Params: url.Values{"audience": {"agents"}},
			},
		},
		{Name: "bearer", Origins: here, Scopes: []string{"x"}, Kind: credential.Bearer{Token: secret}},
		{Name: "basic", Origins: here, Kind: credential.Basic{User: "us er", Password: credential.File("testdata/valid/secrets/basic")}},
		{Name: "cert", Origins: here, Kind: credential.MutualTLS{CertFile: "testdata/valid/gate.crt", KeyFile: "testdata/gate.key"}},
	}
}

const section = `credentials:
  one: {origins: [https://a.example], bearer: {token: "${SECRET}"}}
  two: {origins: ["https://${HOST}", https://b.example], scopes: [x], basic: {user: u, password: "${UNSET}"}}
`

// Without a word about it the client holds every credential; client.credentials
// chooses.
func TestWhatTheClientHolds(t *testing.T) {
	one := compile.Credential{Name: "one", Kind: compile.Bearer, Origins: []string{"https://a.example:443"}}
	two := compile.Credential{Name: "two", Kind: compile.Basic, Scopes: []string{"x"}, Origins: []string{"https://b.example:443"}}
	ours := compile.Credential{Name: "ours", Kind: compile.MutualTLS}
	for _, tt := range []struct {
		text string
		want []compile.Credential
	}{
		{"", nil},
		{section, []compile.Credential{one, two}},
		{section + "client: {credentials: }", []compile.Credential{one, two}},
		{section + "client: {credentials: []}", []compile.Credential{}},
		{section + "client: {credentials: [two]}", []compile.Credential{two}},
		{section + "client: {credentials: [{name: two}, {name: ours, kind: mtls}, one]}", []compile.Credential{two, ours, one}},
		{"client: {credentials: [{name: ours, kind: mtls}]}", []compile.Credential{ours}},
		{section + "client: {credentials: [\"${UNSET}\"]}", []compile.Credential{{}}},
	} {
		c := Default()
		c.Env = environment
		must(t, c.Parse([]byte(tt.text), Name))
		if diff := cmp.Diff(tt.want, c.Client.Credentials); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.text, diff)
		}
		must(t, c.Parse([]byte("strict: true"), Name)) // a second file says nothing of it
	}
}

// A credential with a variable that is not set keeps nobody from work but
// whoever uses it: then it says which.
func TestUnsetCredential(t *testing.T) {
	c := Default()
	c.Env = environment
	must(t, c.Parse([]byte(section), Name))
	const (
		host     = Name + `:3:19: credentials.two.origins[0]: "https://${HOST}": the environment variable HOST is not set`
		password = Name + `:3:98: credentials.two.basic.password: "${UNSET}": the environment variable UNSET is not set`
	)
	for _, tt := range []struct{ pointer, want string }{
		{"/credentials/one", ""},
		{"/credentials/two", host + "\n" + password},
		{"/credentials/*/origins", host},
		{"/credentials/*/scopes", ""},
		{"/credentials", host + "\n" + password},
		{"/client", ""},
	} {
		got := ""
		if err := c.Require(tt.pointer); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Require(%q) = %s, want %s", tt.pointer, got, tt.want)
		}
	}
	if err := c.Besides(); err != nil {
		t.Errorf("Besides = %v", err)
	}
	if c.Credentials[0].Err != nil || fmt.Sprint(c.Credentials[1].Err) != host+"\n"+password {
		t.Errorf("the credentials have the errors %v and %v", c.Credentials[0].Err, c.Credentials[1].Err)
	}
	if _, err := credential.New(c.Credentials); err != nil {
		t.Errorf("a wallet of them: %v", err)
	}
}

// What a variable holds is the business of whoever uses it.
func TestUnusableValue(t *testing.T) {
	c := Default()
	c.Env = func(string) (string, bool) { return "two\nlines-canary", true }
	must(t, c.Parse([]byte("credentials: {one: {origins: [https://a.example], bearer: {token: \"${TOKEN}\"}}}"), Name))
	want := Name + `:1:67: credentials.one.bearer.token: "${TOKEN}": the value holds a line break or another control character`
	for _, err := range []error{c.Besides("/client"), c.Require("/credentials/one"), c.Credentials[0].Err} {
		if fmt.Sprint(err) != want {
			t.Errorf("error = %v, want %s", err, want)
		}
	}
	if _, err := credential.New(c.Credentials); err != nil {
		t.Errorf("a wallet of it: %v", err)
	}
}

func TestCredentialsAreNotShown(t *testing.T) {
	c, err := load("testdata/valid/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%v %+v %#v %s", c.Credentials, c.Credentials, c.Credentials, c.Credentials)
	js, err := json.Marshal(c.Credentials)
	if err != nil {
		t.Fatal(err)
	}
	if text += string(js); strings.Contains(text, "canary") || !strings.Contains(text, "redacted") {
		t.Errorf("printed: %s", text)
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	must(t, os.WriteFile(filepath.Join(dir, "good"), []byte("x\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "space"), []byte("x \n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "open"), []byte("x\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "empty"), []byte("\n"), 0o600))
	must(t, os.WriteFile(path, []byte(`network:
  ca_files: {"https://h.example": good, "https://i.example": gone, "https://j.example": .}
credentials:
  good: {origins: [https://h.example], bearer: {token_file: good}}
  open: {origins: [https://h.example], basic: {user: u, password_file: open}}
  empty: {origins: [https://h.example], api_key: {in: query, name: k, key_file: empty}}
  gone:
    origins: [https://h.example]
    oauth2_client_credentials:
      token_url: https://h.example
      client_id: u
      client_secret_file: gone
  cert: {origins: [https://h.example], mtls: {cert_file: good, key_file: gone}}
  text: {origins: [https://h.example], mtls: {cert_file: good, key_file: good}}
  cut: {origins: [https://h.example], bearer: {token_file: space}}
  pipe: {origins: [https://h.example], mtls: {cert_file: ., key_file: good}}
  unset: {origins: [https://h.example], bearer: {token: "${UNSET}"}}
  env: {origins: [https://h.example], bearer: {token: "${SECRET}"}}
`), 0o600))
	c, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	err = c.CheckFiles(func(text string) { warned = append(warned, strings.ReplaceAll(text, dir, "DIR")) })
	got := strings.ReplaceAll(fmt.Sprint(err), dir, "DIR")
	want := `DIR/a2alock.yaml:6: credentials.empty.api_key.key_file: DIR/empty: the value is empty
DIR/a2alock.yaml:12: credentials.gone.oauth2_client_credentials.client_secret_file: stat DIR/gone: no such file or directory
DIR/a2alock.yaml:13: credentials.cert.mtls.key_file: stat DIR/gone: no such file or directory
DIR/a2alock.yaml:14: credentials.text.mtls.cert_file: DIR/good with key_file DIR/good: tls: failed to find any PEM data in certificate input
DIR/a2alock.yaml:15: credentials.cut.bearer.token_file: DIR/space: the value holds a space or another character that no bearer token has (RFC 6750 2.1)
DIR/a2alock.yaml:16: credentials.pipe.mtls.cert_file: DIR: no regular file
DIR/a2alock.yaml:2: network.ca_files: https://h.example: DIR/good: no certificate in PEM form
DIR/a2alock.yaml:2: network.ca_files: https://i.example: stat DIR/gone: no such file or directory
DIR/a2alock.yaml:2: network.ca_files: https://j.example: DIR: no regular file`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(warned) != 1 || warned[0] != "credentials.open: DIR/open: group or others may read or write it (mode 0644): chmod 600 it" {
		t.Errorf("warned of %q", warned)
	}
}
