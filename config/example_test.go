package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/settings"
)

func parsed(t *testing.T, data []byte) *Config {
	t.Helper()
	c := Default()
	if err := c.Parse(data, Name); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return c
}

func TestExampleIsTheDefault(t *testing.T) {
	data, err := Example("")
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	// Written out, what is absent otherwise is empty.
	want.Client.Extensions = []string{}
	want.Network = Network{Allow: []string{}, HTTP: []string{}, CAFiles: map[string]string{}}
	want.Policy.Rules = map[string]string{}
	want.Daemon.OwnHosts = []string{}
	if diff := cmp.Diff(want, parsed(t, data), plainly); diff != "" {
		t.Errorf("(-Default +Example):\n%s", diff)
	}
}

// places lists the pointer of every key, entries of lists as "*".
func places(keys []settings.Key, at string) []string {
	var out []string
	for _, k := range keys {
		here := at + "/" + k.Name
		out = append(out, here)
		if k.Keys != nil && k.Read != nil {
			here += "/*"
		}
		out = append(out, places(k.Keys, here)...)
	}
	return out
}

// shows reports whether the document has something at the path, in which "*" is
// any entry.
func shows(doc any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	var below []any
	switch doc := doc.(type) {
	case map[string]any:
		if v, ok := doc[path[0]]; ok {
			below = append(below, v)
		}
		if path[0] == "*" {
			below = slices.Collect(maps.Values(doc))
		}
	case []any:
		if path[0] == "*" {
			below = doc
		}
	}
	return slices.ContainsFunc(below, func(v any) bool { return shows(v, path[1:]) })
}

// opened is the example with what it shows in comments from credentials on.
func opened() []byte {
	client, rest, _ := strings.Cut(example, "\ncredentials:")
	return []byte(client + "\ncredentials:" + strings.ReplaceAll(rest, "\n  #  ", "\n     "))
}

func TestExampleHasEveryKey(t *testing.T) {
	c := parsed(t, opened())
	for _, p := range places(c.keys(), "") {
		if strings.HasPrefix(p, "/client/credentials/") { // shown in a comment
			if !strings.Contains(example, "{name: ours, kind: oauth2, scopes: [pricing.quote]}") {
				t.Error("no example of a credential")
			}
			continue
		}
		if !shows(instance(t, opened()), strings.Split(p, "/")[1:]) {
			t.Errorf("the example does not show %s", p)
		}
	}
}

// What the example shows in comments is true: the last route says what holds
// where nothing is said.
func TestExampleOpened(t *testing.T) {
	c := Default()
	c.Env = func(name string) (string, bool) {
		switch {
		case strings.HasSuffix(name, "_SECRET"):
			return "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", true
		case name == "SLACK_TOKEN":
			return "xoxb-1", true
		case !strings.Contains(name, "SLACK") && !strings.Contains(name, "HOOK"):
			return "a-secret", true
		}
		return "https://hooks.example.com/" + name, true
	}
	must(t, c.Parse(opened(), Name))
	must(t, c.Require(""))
	if len(c.Credentials) != 9 || len(c.Client.Credentials) != 9 {
		t.Errorf("credentials of the example = %v, and the client holds %v, want 9", c.Credentials, c.Client.Credentials)
	}
	n := c.Notify
	want := defaultRoute()
	want.Sinks = []string{"ops"}
	if diff := cmp.Diff(want, n.Routes[1]); diff != "" {
		t.Errorf("(-default +last route of the example):\n%s", diff)
	}
	if n.Routes[0].GroupWindow != groupWindow {
		t.Errorf("group_window of the example = %v, want %v", n.Routes[0].GroupWindow, groupWindow)
	}
	if err := compiled(t).Validate(instance(t, opened())); err != nil {
		t.Error(err)
	}
}

func TestExampleForClients(t *testing.T) {
	for client, want := range map[string][]compile.Transport{
		"a2a-go":     versions("1.0"),
		"a2a-js":     versions("1.0"),
		"a2a-python": append(versions("1.0"), versions("0.3")...),
	} {
		data, err := Example(client)
		if err != nil {
			t.Fatal(err)
		}
		c := parsed(t, data)
		if diff := cmp.Diff(want, c.Client.Interfaces); diff != "" {
			t.Errorf("%s (-want +got):\n%s", client, diff)
		}
		w := parsed(t, []byte(example))
		w.Client.Interfaces = want
		if diff := cmp.Diff(w, c, plainly); diff != "" {
			t.Errorf("%s changes more than interfaces:\n%s", client, diff)
		}
		// The lines for what needs a set-up of its own are valid as they stand.
		opened := strings.ReplaceAll(string(data), "    # - {", "    - {")
		if got := parsed(t, []byte(opened)).Client.Interfaces; len(got) != 6 {
			t.Errorf("%s with the optional lines has %d interfaces, want 6: %v", client, len(got), got)
		}
		if !slices.Contains(Clients(), client) {
			t.Errorf("Clients = %q lacks %s", Clients(), client)
		}
	}
	if _, err := Example("a2a-cobol"); err == nil || err.Error() != `client "a2a-cobol": want a2a-go, a2a-js, a2a-python` {
		t.Errorf("error = %v", err)
	}
}

func TestExampleWith(t *testing.T) {
	want := []compile.Transport{
		{Binding: "JSONRPC", Version: "0.3"},
		{Binding: "https://bindings.example.com/it's/${HOME}", Version: "1.10"},
	}
	data, err := ExampleWith(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, parsed(t, data).Client.Interfaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range [][]compile.Transport{
		nil,
		{{Binding: "JSONRPC", Version: ""}},
		{{Binding: "JSONRPC}\nstrict: true", Version: "1.0"}},
		{{Binding: "urn:x\n- y", Version: "1.0"}},
	} {
		if data, err := ExampleWith(bad); err == nil {
			t.Errorf("ExampleWith(%q) = %s, want an error", bad, data)
		}
	}
}

func TestInterfaceLines(t *testing.T) {
	list := []compile.Transport{
		{Binding: "JSONRPC", Version: "0.3"},
		{Binding: "urn:x, strict: true} # it's ${HOME}", Version: "1.0"},
	}
	if CanName(list[1]) {
		t.Errorf("CanName(%q), which holds a space", list[1].Binding)
	}
	list[1].Binding = "urn:x,strict:true}#it's${HOME}"
	if !CanName(list[0]) || !CanName(list[1]) || CanName(compile.Transport{Binding: "jsonrpc", Version: "1.0"}) {
		t.Errorf("CanName is wrong about one of %q and jsonrpc", list)
	}
	c := Default()
	lines := InterfaceLines(list)
	if err := c.Parse([]byte(lines), Name); err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	if diff := cmp.Diff(list, c.Client.Interfaces); diff != "" {
		t.Errorf("%s reads as (-want +got):\n%s", lines, diff)
	}
}

// The manual of the daemon shows a config that holds.
func TestManual(t *testing.T) {
	_, rest, _ := strings.Cut(string(read(t, "../docs/daemon.md")), "```yaml\n")
	shown, _, found := strings.Cut(rest, "```")
	if c := parsed(t, []byte(shown)); !found || len(c.Notify.Routes) != 2 {
		t.Errorf("docs/daemon.md shows no config with two routes:\n%s", shown)
	}
}

// schemaPlaces lists the properties of the schema as places does the keys.
func schemaPlaces(node map[string]any, at string) []string {
	var out []string
	props, _ := node["properties"].(map[string]any)
	for name, p := range props {
		here := at + "/" + name
		out = append(out, here)
		below := p.(map[string]any)
		for _, entries := range []string{"items", "additionalProperties"} {
			if entry, ok := below[entries].(map[string]any); ok {
				out = append(out, schemaPlaces(entry, here+"/*")...)
			}
		}
		out = append(out, schemaPlaces(below, here)...)
	}
	return out
}

func TestSchemaHasTheSameKeys(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(schemaPlaces(root, "")))
	want := slices.Sorted(slices.Values(places(Default().keys(), "")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-keys of the decoder +properties of the schema):\n%s", diff)
	}
}

func TestSchemaAgrees(t *testing.T) {
	schema := compiled(t)
	for _, path := range glob(t, "testdata/valid/*.yaml") {
		if err := schema.Validate(instance(t, read(t, path))); err != nil {
			t.Errorf("%s is valid, the schema says: %v", path, err)
		}
	}
	for _, client := range append(Clients(), "") {
		data, _ := Example(client)
		if err := schema.Validate(instance(t, data)); err != nil {
			t.Errorf("Example(%q): %v", client, err)
		}
	}
	for _, name := range []string{"types", "values", "list", "scalar"} {
		if schema.Validate(instance(t, read(t, "testdata/invalid/"+name+".yaml"))) == nil {
			t.Errorf("testdata/invalid/%s.yaml passes the schema", name)
		}
	}
	// One fault a time, so that no fault hides another.
	for _, doc := range []string{
		"unknown: 1", "version: 2", "strict: maybe", "limits: {depth: 0}", "limits: {card_bytes: 1MB}",
		"limits: {timeout: soon}", "limits: {timeout: off}", "policy: {fail_on: compatible}", "policy: {text_policy: breaking}",
		"policy: {rules: {x: bad}}", "policy: {rules: {X: review}}", "client: {interfaces: [{binding: JSONRPC}]}",
		"client: {interfaces: [{binding: jsonrpc, version: '1.0'}]}", "client: {interfaces: [{binding: GRPC, version: '1.0.0'}]}",
		"client: {accepts: [text]}", "client: {accepts: ['text/*']}", "client: {select: newest}", "client: {delivery: [mail]}", "client: {delivery: [poll, poll]}", "client: {delivery: poll}", "client: {credentials: [{kind: bearer}]}",
		"network: {ca_files: {'http://h.example': ca.pem}}", "network: {ca_files: {'https://h.example': ''}}",
		"credentials: {'a b': {origins: ['https://h.example'], mtls: {cert_file: c, key_file: k}}}", "credentials: {a: {mtls: {cert_file: c, key_file: k}}}",
		"credentials: {a: {origins: [], mtls: {cert_file: c, key_file: k}}}", "credentials: {a: {origins: ['https://h.example']}}",
		"credentials: {a: {origins: ['https://h.example/x'], bearer: {token_file: t}}}", "credentials: {a: {origins: ['https://h.example'], bearer: {}}}",
		"credentials: {a: {origins: ['https://h.example'], bearer: {token: literal}}}", "credentials: {a: {origins: ['https://h.example'], bearer: {token: '${T}', token_file: t}}}",
		"credentials: {a: {origins: ['https://h.example'], bearer: {token_file: t}, mtls: {cert_file: c, key_file: k}}}",
		"credentials: {a: {origins: ['https://h.example'], api_key: {in: body, name: k, key_file: k}}}", "credentials: {a: {origins: ['https://h.example'], api_key: {in: query, key_file: k}}}",
		"credentials: {a: {origins: ['https://h.example'], basic: {user: 'a:b', password_file: p}}}", "credentials: {a: {origins: ['https://h.example'], basic: {password_file: p}}}",
		"credentials: {a: {origins: ['https://h.example'], mtls: {cert_file: c}}}", "credentials: {a: {origins: ['https://h.example'], oauth2_client_credentials: {client_id: c, client_secret_file: s}}}",
		"credentials: {a: {origins: ['https://h.example'], oauth2_client_credentials: {token_url: 'https://t.example', client_id: c, client_secret_file: s, auth_style: body}}}",
		"daemon: {listen: ''}", "daemon: {store: {bbolt: ''}}", "daemon: {schedule: ''}", "daemon: {timezone: ''}", "daemon: {spread: 0}",
		"daemon: {min_interval: off}", "daemon: {agents: {h.example: {}}}", "daemon: {agents: {'https://h.example': {extra: 1}}}",
		"daemon: {agents: {'https://h.example': {max_interval: 0}}}", "daemon: {flights: 0}", "daemon: {catchup_rate: -1}",
		"daemon: {confirm_after: 0}", "daemon: {review: deny}", "daemon: {on_unknown: deny-named}", "daemon: {compact_over: never}", "daemon: {agents: {'https://h.example': {min_interval: -1s}}}",
		"daemon: {metrics: true}", "daemon: {public_url: h.example}", "daemon: {contact_url: 'https://u@h.example'}",
		"notify: {sinks: {'a b': {log: {}}}}", "notify: {sinks: {a: {}}, routes: [{sinks: [a]}]}", "notify: {sinks: {a: {log: {}, webhook: {}}}, routes: [{sinks: [a]}]}",
		"notify: {sinks: {a: {slack: {}}}, routes: [{sinks: [a]}]}", "notify: {sinks: {a: {slack: {token: t}}}, routes: [{sinks: [a]}]}",
		"notify: {sinks: {a: {slack: {webhook_url: 'https://h.example', channel: c}}}, routes: [{sinks: [a]}]}",
		"notify: {sinks: {a: {slack: {webhook_url: h}}}, routes: [{sinks: [a]}]}", "notify: {sinks: {a: {webhook: {url: 'https://h.example'}}}, routes: [{sinks: [a]}]}",
		"notify: {sinks: {a: {webhook: {url: 'https://h.example', secrets: []}}}, routes: [{sinks: [a]}]}",
		"notify: {sinks: {a: {webhook: {url: 'https://h.example', secrets: [plain]}}}, routes: [{sinks: [a]}]}", "notify: {fallback: a b}",
		"notify: {sinks: {a: {log: {}}}, routes: [{}]}", "notify: {sinks: {a: {log: {}}}, routes: [{sinks: []}]}", "notify: {sinks: {a: {log: {}}}, routes: [{sinks: [a], min_class: bad}]}",
		"notify: {sinks: {a: {log: {}}}, routes: [{sinks: [a], group_by: [skill]}]}", "notify: {sinks: {a: {log: {}}}, routes: [{sinks: [a], reminders: [0]}]}",
		"notify: {sinks: {a: {log: {}}}, routes: [{sinks: [a], match: {rule: X}}, {sinks: [a]}]}", "notify: {sinks: {a: {log: {}}}, routes: [{sinks: [a], match: {owner: ''}}, {sinks: [a]}]}",
		"client: {extra: 1}", "network: {extra: 1}", "locks: x", "client: {sends: [text/plain, text/plain]}",
	} {
		c := Default()
		if c.Parse([]byte(doc), Name) == nil && c.Require("/credentials", "/daemon", "/notify") == nil {
			t.Errorf("%s: no error", doc)
		}
		if schema.Validate(instance(t, []byte(doc))) == nil {
			t.Errorf("%s passes the schema", doc)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance reads YAML as an editor that knows the schema does.
func instance(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
