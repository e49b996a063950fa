package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/internal/settings"
	"github.com/a2alock/a2alock/internal/want"
)

var plainly = cmp.Options{cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Env", "Path", "Root")}

// environment is what ${NAME} finds in the files of testdata.
func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"BINDING": "JSONRPC",
		"MINOR":   "0",
		"INJECT":  "x\nstrict: true",
		"TIMEOUT": "2s",
		"HOOK":    "https://hooks.example.com/canary",
		"KEY":     "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
		"STRICT":  "true",
		"SECRET":  "canary-secret",
	}[name]
	return v, ok
}

func load(path string) (*Config, error) {
	c := Default()
	c.Env = environment
	return c, c.Load(path)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return paths
}

func TestLoadValidFiles(t *testing.T) {
	want := map[string]func(c *Config){
		"full": func(c *Config) {
			c.Client = compile.Client{
				Interfaces: []compile.Transport{
					{Binding: "GRPC", Version: "1.0"},
					{Binding: "https://bindings.example.com/mqtt", Version: "0.3"},
					{Binding: "JSONRPC", Version: "1.10"},
				},
				Select:       compile.ClientOrder,
				Accepts:      []string{"application/pdf", "text/plain; charset=utf-8"},
				Sends:        []string{"application/pdf"},
				Aliases:      map[string]string{"pdf": "application/pdf"},
				Extensions:   []string{"urn:example:ext:1"},
				PushEndpoint: "https://hooks.example.com/a2a",
				Delivery:     []string{"push", "poll"},
				Credentials: []compile.Credential{
					{Name: "pricing", Kind: compile.OAuth2, Scopes: []string{"pricing.quote", "pricing.read"}},
					{Name: "gate", Kind: compile.MutualTLS},
					{Name: "partner", Kind: compile.OAuth2, Scopes: []string{"agents.read"}, Origins: []string{"https://a.partner.example:443", "http://localhost:8080"}},
					{Name: "search", Kind: compile.APIKey, Origins: []string{"https://search.example:443"}},
				},
			}
			c.Locks = []string{"locks", "../shared/x.a2a.lock.json", "/srv/locks"}
			c.Limits = Limits{CardBytes: 512 << 10, Depth: 32, Skills: 500, Timeout: 90 * time.Second}
			c.Strict = true
			c.Network = Network{
				Allow: []string{"10.1.0.0/16", "fd00::/8", "agents.internal", "agents.internal:8443", "[fd00::1]:443", "::1", "127.0.0.1"},
				HTTP:  []string{"localhost", "[::1]", "slack.internal"},

				CAFiles: map[string]string{"https://agents.internal:8443": "testdata/valid/ca.pem"},
			}
			c.Credentials = fullCredentials()
			c.Policy = Policy{
				Rules:          map[string]string{"agent-version-changed": "compatible", "skill-gained": "review"},
				TextPolicy:     "review",
				FailOn:         "review",
				MaxLockAge:     90 * 24 * time.Hour,
				MaxEvidenceAge: 36 * time.Hour,
				MaxWaiver:      30 * 24 * time.Hour,
			}
			c.Daemon = fullDaemon()
			c.Notify = fullNotify()
		},
		"aliases": func(c *Config) {
			c.Client.Accepts = []string{"application/json"}
			c.Client.Sends = []string{"application/json"}
			c.Client.Interfaces = []compile.Transport{{Binding: "JSONRPC", Version: "0.3"}}
		},
		"valueless": func(c *Config) {
			c.Client.Accepts = []string{}
			c.Client.Aliases = map[string]string{}
			c.Locks = []string{}
		},
		"bom-crlf": func(c *Config) {
			c.Strict = true
			c.Limits.Depth = 7
		},
		"comment": func(*Config) {},
		"empty":   func(*Config) {},
	}
	for name, change := range want {
		got, err := load("testdata/valid/" + name + ".yaml")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w := Default()
		change(w)
		if diff := cmp.Diff(w, got, plainly); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := len(glob(t, "testdata/valid/*.yaml")); got != len(want)+1 { // variables.yaml has a test of its own
		t.Errorf("testdata/valid has %d files, want %d", got, len(want)+1)
	}
}

// A key that is read into no field, or a field that no key fills, would be a
// setting without effect.
func TestFullFileSetsEveryField(t *testing.T) {
	c, err := load("testdata/valid/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var walk func(name string, got, was reflect.Value)
	walk = func(name string, got, was reflect.Value) {
		if got.Kind() == reflect.Struct {
			for i := range got.NumField() {
				f := got.Type().Field(i)
				// Delivery has no key: its order is fixed.
				if f.IsExported() && f.Name != "Env" && f.Name != "Delivery" {
					walk(name+"."+f.Name, got.Field(i), was.Field(i))
				}
			}
			return
		}
		if reflect.DeepEqual(got.Interface(), was.Interface()) {
			t.Errorf("%s = %v, as in Default; want another value", name, got)
		}
	}
	walk("Config", reflect.ValueOf(*c), reflect.ValueOf(*Default()))
}

func TestVariables(t *testing.T) {
	_, err := load("testdata/valid/variables.yaml")
	// INJECT holds a line break, which no URL may; it never becomes a key.
	want := `testdata/valid/variables.yaml:5:18: client.push_endpoint: "https://hooks.example.com/${INJECT}": want an absolute http or https URL`
	if err == nil || err.Error() != want {
		t.Fatalf("error = %v, want %s", err, want)
	}
	c := Default()
	c.Env = func(name string) (string, bool) {
		if name == "INJECT" {
			return "${MINOR}", true // not expanded again
		}
		return environment(name)
	}
	if err := c.Load("testdata/valid/variables.yaml"); err != nil {
		t.Fatal(err)
	}
	w := Default()
	w.Client.Interfaces = []compile.Transport{{Binding: "JSONRPC", Version: "1.0"}}
	w.Client.PushEndpoint = "https://hooks.example.com/${MINOR}"
	w.Client.Extensions = []string{"urn:example:${NAME}:$5:$$"}
	w.Limits.Timeout = 2 * time.Second
	w.Strict = true
	if diff := cmp.Diff(w, c, plainly); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVariablesComeFromTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(path, []byte("limits: {timeout: \"${A2ALOCK_TEST_TIMEOUT}\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("A2ALOCK_TEST_TIMEOUT", "7s")
	c, err := Load(path)
	if err != nil || c.Limits.Timeout != 7*time.Second {
		t.Errorf("Load = %+v, %v; want a timeout of 7s", c, err)
	}
}

// A variable that is not set keeps nobody from work but whoever needs the value
// in which it stands: until then the default holds.
func TestRequire(t *testing.T) {
	c := Default()
	c.Env = environment
	must(t, c.Parse([]byte(`client:
  interfaces: [{binding: "${NO_BINDING}", version: "1.0"}, {binding: "${NO_BINDING}", version: "1.0"}]
  push_endpoint: https://hooks.example.com/${NO_SECRET}
  streaming: ${STRICT}
locks: [locks, "${NO_FOLDER}/locks"]
limits: {timeout: "${NO_TIMEOUT}"}
policy:
  rules: {skill-removed: "${NO_CLASS}", agent-renamed: review}
`), Name))
	if c.Client.PushEndpoint != "" || c.Limits.Timeout != 10*time.Second || !c.Client.Streaming || len(c.Policy.Rules) != 1 {
		t.Errorf("config = %+v, want the defaults where a variable is not set", c)
	}
	const (
		push    = Name + `:3:18: client.push_endpoint: "https://hooks.example.com/${NO_SECRET}": the environment variable NO_SECRET is not set`
		folder  = Name + `:5:16: locks[1]: "${NO_FOLDER}/locks": the environment variable NO_FOLDER is not set`
		timeout = Name + `:6:19: limits.timeout: "${NO_TIMEOUT}": the environment variable NO_TIMEOUT is not set`
		class   = Name + `:8:26: policy.rules.skill-removed: "${NO_CLASS}": the environment variable NO_CLASS is not set`
	)
	for _, tt := range []struct {
		pointers []string
		want     []string
	}{
		{nil, nil},
		{[]string{"/network", "/strict", "/lim", "/client/push"}, nil},
		{[]string{"/locks"}, []string{folder}},
		{[]string{"/policy", "/limits", "/client/push_endpoint"}, []string{push, timeout, class}},
	} {
		want := strings.Join(tt.want, "\n")
		if err := c.Require(tt.pointers...); len(tt.want) == 0 && err != nil || len(tt.want) > 0 && fmt.Sprint(err) != want {
			t.Errorf("Require(%q) = %v, want %s", tt.pointers, err, want)
		}
	}
	if err := c.Require("/client/interfaces"); strings.Count(fmt.Sprint(err), "NO_BINDING is not set") != 2 {
		t.Errorf("Require of interfaces = %v, want both", err)
	}
}

func TestInvalidFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/invalid/*.yaml") {
		c, err := load(path)
		if err == nil {
			err = c.Require("")
		}
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error shows what a variable holds: %v", path, err)
		}
		got := strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "") + "\n"
		golden.Equal(t, strings.TrimSuffix(path, ".yaml")+".txt", []byte(got))
	}
}

func TestLoadLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	for _, tt := range []struct {
		size int
		ok   bool
	}{{maxBytes, true}, {maxBytes + 1, false}} {
		data := "strict: true\n#" + strings.Repeat("x", tt.size-len("strict: true\n#"))
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); (err == nil) != tt.ok {
			t.Errorf("Load of %d bytes: %v, want success %v", tt.size, err, tt.ok)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !strings.Contains(fmt.Sprint(err), "none.yaml") {
		t.Errorf("Load of a missing file = %v, want its name", err)
	}
}

func TestLoadNoRegularFile(t *testing.T) {
	if _, err := Load(os.DevNull); !strings.Contains(fmt.Sprint(err), os.DevNull+" is not a regular file") {
		t.Errorf("Load of a device = %v", err)
	}
}

func TestManyFaults(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	err := Default().Parse([]byte(b.String()), Name)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != settings.MaxFaults+1 || lines[settings.MaxFaults] != Name+": and 39900 more faults" {
		t.Errorf("%d lines of errors, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestLine(t *testing.T) {
	c, err := load("testdata/valid/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]int{
		"/version":                     1,
		"/client/interfaces/1":         5,
		"/client/interfaces/1/version": 6,
		"/policy/rules/skill-gained":   37,
		"/policy/rules/skill-removed":  0,
		"/locks/1":                     23,
	} {
		if got := c.Line(pointer); got != want {
			t.Errorf("Line(%q) = %d, want %d", pointer, got, want)
		}
	}
	if got := Default().Line("/version"); got != 0 {
		t.Errorf("Line without a file = %d, want 0", got)
	}
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b", "c")
	must(t, os.MkdirAll(deep, 0o755))
	must(t, os.Mkdir(filepath.Join(top, "a", "b", Name), 0o755)) // a folder of that name is none
	path := filepath.Join(top, "a", Name)
	must(t, os.WriteFile(path, nil, 0o600))
	for dir, want := range map[string]string{deep: path, filepath.Join(top, "a"): path} {
		if got, err := Find(dir); got != want || err != nil {
			t.Errorf("Find(%q) = %q, %v; want %q", dir, got, err, want)
		}
	}
	if got, err := Find(top); err != nil || strings.HasPrefix(got, top) {
		t.Errorf("Find(%q) = %q, %v; want nothing below it", top, got, err)
	}

	t.Chdir(deep)
	if got, err := Find("."); got != filepath.Join("..", "..", Name) || err != nil {
		t.Errorf(`Find(".") = %q, %v; want a relative path`, got, err)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(deep, link); err != nil {
		t.Skip("no symbolic links here")
	}
	must(t, os.WriteFile(filepath.Join(top, Name), nil, 0o600))
	t.Chdir(link) // PWD says link, and ".." leads to a/b
	got, err := Find(".")
	info, statErr := os.Stat(got)
	if err != nil || statErr != nil || info.IsDir() {
		t.Errorf(`Find(".") behind a link = %q, %v, %v; want a file that is there`, got, err, statErr)
	}
}

func TestRoots(t *testing.T) {
	c := Default()
	must(t, c.Parse([]byte("strict: true"), filepath.Join("team", Name)))
	if got := c.Roots(); !reflect.DeepEqual(got, []string{"team"}) {
		t.Errorf("Roots = %q, want the folder of the file", got)
	}
	must(t, c.Parse([]byte("locks: [locks, ../more/, /srv/locks]"), filepath.Join("team", Name)))
	if got := c.Roots(); !reflect.DeepEqual(got, []string{filepath.Join("team", "locks"), "more", "/srv/locks"}) {
		t.Errorf("Roots = %q", got)
	}
	if got := Default().Roots(); !reflect.DeepEqual(got, []string{"."}) {
		t.Errorf("Roots without a file = %q", got)
	}
}

func TestDefaultIsTheCallersOwn(t *testing.T) {
	c := Default()
	c.Client.Accepts[0], c.Client.Aliases["x"] = "changed", "changed"
	if diff := cmp.Diff(Default(), c, plainly); !strings.Contains(diff, "changed") {
		t.Error("Default shares what it returned before")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever bytes come, the answer is a config that can be used, or an error
// that names the file.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"testdata/valid", "testdata/invalid"} {
		files := os.DirFS(dir)
		names, _ := fs.Glob(files, "*.yaml")
		for _, name := range names {
			data, _ := fs.ReadFile(files, name)
			f.Add(data)
		}
	}
	f.Add([]byte(example))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default()
		c.Env = environment
		if err := c.Parse(data, Name); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, Name+":") {
					t.Errorf("%q: error line without the file: %q", data, line)
				}
			}
			return
		}
		if c.Limits.CardBytes < 1 || c.Limits.Depth < 1 || c.Limits.Timeout <= 0 || c.Policy.MaxWaiver <= 0 {
			t.Errorf("%q: limits %+v", data, c.Limits)
		}
		if !want.IsLoopback(c.Daemon.Listen) && c.Daemon.TokensFile == "" && c.Require("/daemon") == nil {
			t.Errorf("%q: listens at %s, for everybody", data, c.Daemon.Listen)
		}
		if n := c.Notify.OrLog(); c.Require("/notify") == nil && !n.Routes[len(n.Routes)-1].catchesAll() {
			t.Errorf("%q: routes %+v", data, n.Routes)
		}
		for _, i := range c.Client.Interfaces {
			if want.Binding(i.Binding) != nil || want.Version(i.Version) != nil {
				t.Errorf("%q: interface %+v", data, i)
			}
		}
	})
}
