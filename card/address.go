package card

import (
	"net/url"
	"strings"

	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/jsondoc"
)

// coreBinding is the binding of A2A 5.8 that a folded spelling means; "" for
// none.
func coreBinding(folded string) string {
	switch folded {
	case "jsonrpc", "jsonrpc2", "jsonrpc20":
		return "JSONRPC"
	case "grpc":
		return "GRPC"
	case "httpjson", "httpjsonrest", "rest", "http", "https":
		return "HTTP+JSON"
	}
	return ""
}

// checkBinding reports what is neither a core binding nor a URI (A2A 5.8).
func (ir *interfaceReader) checkBinding(e *jsondoc.Element, binding string, n jsondoc.Ref) {
	switch binding {
	case "", "JSONRPC", "GRPC", "HTTP+JSON":
		return
	}
	if u, err := url.Parse(binding); err == nil && u.IsAbs() {
		return
	}
	hint := ""
	spelled := strings.NewReplacer("+", "", "/", "", " ", "", ".", "").Replace(binding)
	if core := coreBinding(jsondoc.Fold(spelled)); core != "" {
		hint = "; is " + core + " meant?"
	}
	ir.Gap(e, "unknown-binding", n, "%s: %s is no binding of the specification and no URI%s", ir.Label(n), jsondoc.Quote(binding), hint)
}

// checkAddress judges a url: an absolute http or https URL, or host:port for
// GRPC.
func (ir *interfaceReader) checkAddress(e *jsondoc.Element, x Interface, n jsondoc.Ref) {
	bad := func(code, msg string) { ir.Err(e, code, n, "url: %s %s", jsondoc.Quote(x.URL), msg) }
	if x.ProtocolBinding == "GRPC" && address.IsHostPort(x.URL) {
		return
	}
	u, err := url.Parse(x.URL)
	want := "want an absolute http or https URL"
	if x.ProtocolBinding == "GRPC" {
		want = "want host:port"
	}
	switch {
	case address.IsHostPort(x.URL), !strings.Contains(x.URL, "://") && (err != nil || u.Scheme == ""), err == nil && u.Scheme == "":
		bad("relative-interface-url", "is not absolute: "+want)
	case err == nil && u.Scheme != "http" && u.Scheme != "https":
		bad("bad-url", "is not http or https: "+want)
	case err != nil || !isHost(u):
		bad("bad-url", "is no URL: "+want)
	case x.ProtocolBinding == "GRPC":
		ir.Warn("grpc-url", n, "url: %s is a URL, and GRPC has host:port (A2A 4.4.6)", jsondoc.Quote(x.URL))
	case strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp"):
		ir.Warn("mcp-endpoint", n, "url: %s looks like an MCP endpoint", jsondoc.Quote(x.URL))
	}
}

// isHost reports whether u names a host that can be looked up: templates such
// as {host} parse as URLs too.
func isHost(u *url.URL) bool {
	if u.Hostname() == "" || strings.ContainsAny(u.Host, "{}<>|\\^`\"'$* ") {
		return false
	}
	return u.Port() == "" || address.IsPort(u.Port())
}
