package card

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed is the card with these entries in supportedInterfaces.
func listed(entries ...string) string {
	return card10("supportedInterfaces", "["+strings.Join(entries, ",")+"]")
}

const good = `{"url":"https://a.example/good","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`

func entry(members string) string {
	return `{"url":"https://a.example/rpc","protocolBinding":"JSONRPC",` + members + `}`
}

func at(url, binding string) string {
	return `{"url":"` + url + `","protocolBinding":"` + binding + `","protocolVersion":"1.0"}`
}

func TestInterfaceFindings(t *testing.T) {
	const x = "/supportedInterfaces/0"
	runFindingCases(t, []findingCase{
		{"no url", listed(`{"protocolBinding":"JSONRPC","protocolVersion":"1.0"}`, good), []string{"error missing " + x + "/url interface"}},
		{"no binding", listed(`{"url":"https://a.example","protocolVersion":"1.0"}`, good), []string{"error missing " + x + "/protocolBinding interface"}},
		{"no version", listed(`{"url":"https://a.example","protocolBinding":"JSONRPC"}`, good), []string{"gap missing " + x + "/protocolVersion"}},
		{"tenant is a number", listed(entry(`"protocolVersion":"1.0","tenant":1`), good), []string{"error wrong-type " + x + "/tenant interface"}},
		{"no object", listed(`"https://a.example"`, good), []string{"error wrong-type " + x + " interface"}},
		{"the only one is no object", listed(`1`), []string{"error no-interface /supportedInterfaces document", "error wrong-type " + x + " interface"}},
		{"none", listed(), []string{"error no-interface /supportedInterfaces document"}},
		{"legacy binding", card03("preferredTransport", `"http+json"`), []string{"gap unknown-binding /preferredTransport"}},
		{"legacy url is empty", card03("url", `""`), []string{"error no-interface /url document"}},
		{"no url at all", card03("url", ""), []string{"error no-interface  document"}},

		{"patch number", listed(entry(`"protocolVersion":"1.0.1"`)), []string{"warning version-patch " + x + "/protocolVersion"}},
		{"v1.0", listed(entry(`"protocolVersion":"v1.0"`)), []string{"gap bad-version " + x + "/protocolVersion"}},
		{"number", listed(entry(`"protocolVersion":1.0`), good), []string{"error wrong-type " + x + "/protocolVersion interface"}},
		{"0.3 that says 1.0", card03("protocolVersion", `"1.0"`), []string{"warning version-shape /protocolVersion"}},
		{"0.3 with a number", card03("protocolVersion", "0.3"), []string{"error wrong-type /protocolVersion document"}},
		{"1.0 with a number that nothing needs", card10("protocolVersion", "1.0"), []string{"gap wrong-type /protocolVersion"}},

		{"jsonrpc", listed(at("https://a.example", "jsonrpc")), []string{"gap unknown-binding " + x + "/protocolBinding"}},
		{"custom binding", listed(at("https://a.example", "https://example.com/bindings/ws/v1")), nil},
		{"transport in 1.0", listed(`{"url":"https://a.example","transport":"GRPC","protocolVersion":"1.0"}`), []string{"warning grpc-url " + x + "/url", "warning other-generation " + x + "/transport"}},
		{"repeated entry", listed(good, good), []string{"warning repeated-interface /supportedInterfaces/1"}},

		{"relative", listed(at("/rpc", "JSONRPC"), good), []string{"error relative-interface-url " + x + "/url interface"}},
		{"without a scheme", listed(at("//a.example/rpc", "JSONRPC"), good), []string{"error relative-interface-url " + x + "/url interface"}},
		{"a bare host", listed(at("a.example/rpc", "JSONRPC"), good), []string{"error relative-interface-url " + x + "/url interface"}},
		{"host:port is for GRPC", listed(at("a.example:443", "JSONRPC"), good), []string{"error relative-interface-url " + x + "/url interface"}},
		{"relative GRPC", listed(at("/grpc", "GRPC"), good), []string{"error relative-interface-url " + x + "/url interface"}},
		{"no host", listed(at("https:///rpc", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"a template", listed(at("https://{host}/rpc", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"a port beyond", listed(at("https://a.example:70000", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"ws", listed(at("ws://a.example", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"mcp:", listed(at("mcp:tool", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"dns", listed(at("dns:///grpc.example.com", "GRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"unix", listed(at("unix:///run/x", "GRPC"), good), []string{"error bad-url " + x + "/url interface"}},
		{"GRPC host:port", listed(at("grpc.example.com:443", "GRPC")), nil},
		{"GRPC IPv6", listed(at("[2001:db8::1]:50051", "GRPC")), nil},
		{"GRPC with https", listed(at("https://grpc.example.com/a2a", "GRPC")), []string{"warning grpc-url " + x + "/url"}},
		{"MCP endpoint", listed(at("https://a.example/mcp/", "JSONRPC")), []string{"warning mcp-endpoint " + x + "/url"}},
		{"upper case", listed(at("HTTPS://A.Example:8443/x", "JSONRPC")), nil},

		{"mirror elsewhere", card10("url", `"https://b.example/rpc"`), []string{"warning mirror-differs /url"}},
		{"mirror in other letters", card10("url", `"HTTPS://A.EXAMPLE:443/rpc"`), nil},
		{"mirror with a Kelvin sign", card10("url", `"https://\u212a.example/rpc"`, "supportedInterfaces", "["+at("https://k.example/rpc", "JSONRPC")+"]"), []string{"warning mirror-differs /url"}},
		{"mirror with a slash more", card10("url", `"https://a.example/rpc/"`), []string{"warning mirror-differs /url"}},
	})
}

// One entry of a row is an interface as binding, version, text of the version,
// url, and "!" when it is disabled.
func TestInterfaces(t *testing.T) {
	tests := []struct {
		name string
		doc  string
		want []string
	}{
		{"1.0", card10(), []string{"JSONRPC 1.0 1.0 https://a.example/rpc"}},
		{"patch", listed(entry(`"protocolVersion":"1.0.1"`)), []string{"JSONRPC 1.0 1.0.1 https://a.example/rpc"}},
		{"malformed", listed(entry(`"protocolVersion":"1"`)), []string{"JSONRPC  1 https://a.example/rpc"}},
		{"suffix", listed(entry(`"protocolVersion":"1.0-rc1"`)), []string{"JSONRPC  1.0-rc1 https://a.example/rpc"}},
		{"unknown", listed(entry(`"x":1`)), []string{"JSONRPC   https://a.example/rpc"}},
		{"the card's version", card10("protocolVersion", `"1.0"`, "supportedInterfaces", "["+entry(`"x":1`)+"]"), []string{"JSONRPC 1.0 1.0 https://a.example/rpc"}},
		{"empty is unknown", listed(entry(`"protocolVersion":""`)), []string{"JSONRPC   https://a.example/rpc"}},
		{"0.3", card03(), []string{"JSONRPC 0.3 0.3.0 https://a.example/rpc"}},
		{"0.2", card03("protocolVersion", `"0.2.5"`), []string{"JSONRPC 0.2 0.2.5 https://a.example/rpc"}},
		{"0.2 without", card03("protocolVersion", "", "preferredTransport", ""), []string{"JSONRPC 0.3 0.3 https://a.example/rpc"}},
		{"0.3 that says 1.0", card03("protocolVersion", `"1.0"`), []string{"JSONRPC 0.3 0.3 https://a.example/rpc"}},
		{
			"0.3 with more, the main one among them",
			card03("additionalInterfaces", `[{"url":"https://a.example/rpc","transport":"JSONRPC"},{"url":"https://a.example/rpc","transport":"HTTP+JSON"},{"url":"g.example:443","transport":"GRPC"}]`),
			[]string{"JSONRPC 0.3 0.3.0 https://a.example/rpc", "HTTP+JSON 0.3 0.3.0 https://a.example/rpc", "GRPC 0.3 0.3.0 g.example:443"},
		},
		{
			"a url without transport is the listed one",
			card03("preferredTransport", "", "additionalInterfaces", `[{"url":"https://A.example/rpc","transport":"HTTP+JSON"}]`),
			[]string{"HTTP+JSON 0.3 0.3.0 https://A.example/rpc"},
		},
		{
			"an entry without transport stands for no url",
			card03("preferredTransport", "", "additionalInterfaces", `[{"url":"https://a.example/rpc"},{"url":"https://a.example/rest","transport":"HTTP+JSON"}]`),
			[]string{"JSONRPC 0.3 0.3.0 https://a.example/rpc", "   https://a.example/rpc!", "HTTP+JSON 0.3 0.3.0 https://a.example/rest"},
		},
		{
			"a later entry does",
			card03("preferredTransport", "", "additionalInterfaces", `[{"url":"https://a.example/rpc"},{"url":"https://a.example/rpc","transport":"HTTP+JSON"}]`),
			[]string{"   https://a.example/rpc!", "HTTP+JSON 0.3 0.3.0 https://a.example/rpc"},
		},
		{
			"a host:port without transport is the listed one",
			card03("url", `"g.example:443"`, "preferredTransport", "", "additionalInterfaces", `[{"url":"g.example:443","transport":"GRPC"}]`),
			[]string{"GRPC 0.3 0.3.0 g.example:443"},
		},
		{
			"the Kelvin sign is no k", listed(at("https://\u212a.example/", "JSONRPC"), at("https://k.example/", "JSONRPC")),
			[]string{"JSONRPC 1.0 1.0 https://\u212a.example/", "JSONRPC 1.0 1.0 https://k.example/"},
		},
		{"hybrid with a mirror", card10("url", `"https://a.example/rpc"`), []string{"JSONRPC 1.0 1.0 https://a.example/rpc"}},
		{
			"hybrid with a transport is a second interface",
			card10("url", `"https://a.example/rpc"`, "preferredTransport", `"JSONRPC"`, "protocolVersion", `"0.3.0"`),
			[]string{"JSONRPC 1.0 1.0 https://a.example/rpc", "JSONRPC 0.3 0.3.0 https://a.example/rpc"},
		},
		{
			"hybrid whose list has the 0.3 one",
			card10("supportedInterfaces", "["+good+`,{"url":"https://a.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]`,
				"url", `"https://a.example:443/rpc"`, "preferredTransport", `"JSONRPC"`),
			[]string{"JSONRPC 1.0 1.0 https://a.example/good", "JSONRPC 0.3 0.3 https://a.example/rpc"},
		},
		{
			"hybrid with an address of its own",
			card10("url", `"https://old.example"`),
			[]string{"JSONRPC 1.0 1.0 https://a.example/rpc", "JSONRPC 0.3 0.3 https://old.example"},
		},
		{"GRPC as https is the same", listed(at("https://g.example", "GRPC"), at("g.example:443", "GRPC")), []string{"GRPC 1.0 1.0 https://g.example"}},
		{"disabled stays", listed(at("/x", "GRPC"), good), []string{"GRPC 1.0 1.0 /x!", "JSONRPC 1.0 1.0 https://a.example/good"}},
		{"disabled is no twin", listed(`{"url":"https://a.example/good","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":1}`, good), []string{"JSONRPC 1.0 1.0 https://a.example/good!", "JSONRPC 1.0 1.0 https://a.example/good"}},
		{"the legacy name of the binding", listed(`{"url":"https://a.example","transport":"JSONRPC","protocolVersion":"1.0"}`), []string{"JSONRPC 1.0 1.0 https://a.example"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, x := range mustParse(t, tt.doc).Interfaces {
				s := strings.Join([]string{x.ProtocolBinding, x.Version, x.ProtocolVersion, x.URL}, " ")
				if x.Disabled != "" {
					s += "!"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("interfaces of %s (-want +got):\n%s", tt.doc, diff)
			}
		})
	}
}

func TestInterfaceMembers(t *testing.T) {
	c := mustParse(t, card10("supportedInterfaces", `[{"url":"https://a.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"acme","region":{"b":1.0,"a":null}}]`,
		"additionalInterfaces", `[{"url":"https://a.example/rest","transport":"HTTP+JSON"}]`))
	got := c.Interfaces[0]
	if got.Tenant != "acme" || got.Pointer != "/supportedInterfaces/0" || got.Legacy || string(got.Unknown["region"]) != `{"a":null,"b":1}` || len(got.Unknown) != 1 {
		t.Errorf("Interfaces[0] = %+v", got)
	}
	if got := c.Interfaces[1]; !got.Legacy || got.Pointer != "/additionalInterfaces/0" {
		t.Errorf("Interfaces[1] = %+v", got)
	}
	if c.Sources["interfaces"] != Declared || mustParse(t, card03()).Sources["interfaces"] != Legacy {
		t.Errorf("Sources = %v", c.Sources)
	}
}

func TestUnknownBindingSuggests(t *testing.T) {
	for binding, want := range map[string]string{
		"jsonrpc": "JSONRPC", "JSON-RPC": "JSONRPC", "HTTP+JSON/REST": "HTTP+JSON", "rest": "HTTP+JSON", "grpc": "GRPC", "JSON-RPC 2.0": "JSONRPC",
		"MCP": "",
	} {
		c := mustParse(t, listed(at("https://a.example", binding)))
		if len(c.Findings) != 1 || c.Findings[0].Code != "unknown-binding" {
			t.Errorf("findings of binding %q = %v", binding, found(c))
			continue
		}
		_, hint, _ := strings.Cut(c.Findings[0].Message, "; is ")
		hint, _ = strings.CutSuffix(hint, " meant?")
		if hint != want {
			t.Errorf("binding %q suggests %q, want %q", binding, hint, want)
		}
	}
}
