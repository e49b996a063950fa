package card

import (
	"strings"
	"testing"
)

func TestLookAlikeHosts(t *testing.T) {
	const x = "/supportedInterfaces/0"
	const mixed, cyrillic = "https://pаrtner.example/rpc", "https://xn--80ak6aa92e.com"
	flow := func(u string) string {
		return `{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"` + u + `","scopes":{}}}}}}`
	}
	runFindingCases(t, []findingCase{
		{"interface", listed(at(mixed, "JSONRPC")), []string{"warning look-alike-host " + x + "/url"}},
		{"Punycode", listed(at("HTTPS://XN--prtner-3nf.Example/rpc", "JSONRPC")), []string{"warning look-alike-host " + x + "/url"}},
		{"percent", listed(at("https://p%D0%B0rtner.example/rpc", "JSONRPC")), []string{"warning look-alike-host " + x + "/url"}},
		{"GRPC host:port", listed(at("pаrtner.example:443", "GRPC")), []string{"warning look-alike-host " + x + "/url"}},
		{"a later interface", listed(good, at(mixed, "JSONRPC")), []string{"warning look-alike-host /supportedInterfaces/1/url"}},
		{"the same host twice", listed(at(mixed, "JSONRPC"), at(mixed+"/2", "JSONRPC")), []string{"warning look-alike-host " + x + "/url"}},
		{"legacy", card03("url", `"`+mixed+`"`), []string{"warning look-alike-host /url"}},
		{"additional", card03("additionalInterfaces", `[{"url":"`+mixed+`","transport":"HTTP+JSON"}]`), []string{"warning look-alike-host /additionalInterfaces/0/url"}},
		{"provider", card10("provider", `{"organization":"Apple","url":"`+cyrillic+`"}`), []string{"warning look-alike-host /provider/url"}},
		{"documentation and icon", card10("documentationUrl", `"`+cyrillic+`"`, "iconUrl", `"`+mixed+`"`), []string{"warning look-alike-host /documentationUrl", "warning look-alike-host /iconUrl"}},
		{"token URL", card10("securitySchemes", flow(mixed)), []string{"warning look-alike-host /securitySchemes/o/oauth2SecurityScheme/flows/clientCredentials/tokenUrl"}},
		{"snake case", card10("icon_url", `"`+mixed+`"`), []string{"warning snake-case /icon_url", "warning look-alike-host /icon_url"}},
		{"an interface that is disabled", listed(at("https://pаrtner.example:70000", "JSONRPC"), good), []string{"error bad-url " + x + "/url interface", "warning look-alike-host " + x + "/url"}},

		{"an honest host", listed(at("https://münchen.example/rpc", "JSONRPC")), nil},
		{"an honest host of its own script", listed(at("https://пример.example/rpc", "JSONRPC")), nil},
		{"letters in the path", listed(at("https://a.example/цена-price", "JSONRPC")), nil},
		{"a text that is no address", card10("description", `"`+mixed+`"`), nil},
		{"no URL", card10("iconUrl", `"https://[pа"`), nil},
		{"a long host", card10("iconUrl", `"https://`+strings.Repeat("аa.", 400)+`example"`), nil},
	})
	const want = `url: in the host, the label "pаrtner" (xn--prtner-3nf) mixes Cyrillic and Latin letters`
	c := mustParse(t, listed(at(mixed, "JSONRPC")))
	if got := c.Findings[0].Message; got != want {
		t.Errorf("message = %s, want %s", got, want)
	}
	if c.Interfaces[0].Disabled != "" {
		t.Error("a warning disables the interface")
	}
}
