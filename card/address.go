package card

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// coreBindings are the bindings of A2A 5.8, by their folded spellings.
var coreBindings = map[string]string{
	"jsonrpc": "JSONRPC", "jsonrpc2": "JSONRPC", "jsonrpc20": "JSONRPC",
	"grpc":     "GRPC",
	"httpjson": "HTTP+JSON", "httpjsonrest": "HTTP+JSON", "rest": "HTTP+JSON", "http": "HTTP+JSON", "https": "HTTP+JSON",
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
	if core := coreBindings[jsondoc.Fold(spelled)]; core != "" {
		hint = "; is " + core + " meant?"
	}
	ir.Gap(e, "unknown-binding", n, "%s: %s is no binding of the specification and no URI%s", ir.Label(n), jsondoc.Quote(binding), hint)
}

// checkAddress judges a url: an absolute http or https URL, or host:port for
// GRPC.
func (ir *interfaceReader) checkAddress(e *jsondoc.Element, x Interface, n jsondoc.Ref) {
	bad := func(code, msg string) { ir.Err(e, code, n, "url: %s %s", jsondoc.Quote(x.URL), msg) }
	if x.ProtocolBinding == "GRPC" && isHostPort(x.URL) {
		return
	}
	u, err := url.Parse(x.URL)
	want := "want an absolute http or https URL"
	if x.ProtocolBinding == "GRPC" {
		want = "want host:port"
	}
	switch {
	case isHostPort(x.URL), !strings.Contains(x.URL, "://") && (err != nil || u.Scheme == ""), err == nil && u.Scheme == "":
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
	return u.Port() == "" || isPort(u.Port())
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return err == nil && host != "" && isPort(port) && !strings.ContainsAny(host, "/?#@{}<>\\ ")
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// urlKey is what two spellings of one address share: scheme and host without
// case, no default port, and host:port as https. Nothing else is equal to
// anything.
func urlKey(binding, u string) string {
	if binding == "GRPC" && !strings.Contains(u, "://") {
		u = "https://" + u
	}
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	scheme = strings.ToLower(scheme)
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@') + 1
	host := strings.ToLower(rest[at:end])
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + rest[:at] + host + rest[end:]
}
