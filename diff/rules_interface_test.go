package diff

import (
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// at lists interfaces: "BINDING VERSION URL [TENANT]".
func at(entries ...string) string {
	var out []string
	for _, e := range entries {
		f := strings.Fields(e)
		entry := `{"protocolBinding":"` + f[0] + `","protocolVersion":"` + f[1] + `","url":"` + f[2] + `"`
		if len(f) > 3 {
			entry += `,"tenant":"` + f[3] + `"`
		}
		out = append(out, entry+"}")
	}
	return `{"supportedInterfaces":[` + strings.Join(out, ",") + `]}`
}

func TestInterfaceRules(t *testing.T) {
	const (
		rpc  = "JSONRPC 1.0 https://agent.example/a2a"
		rest = "HTTP+JSON 1.0 https://agent.example/rest"
		grpc = "GRPC 1.0 agent.example:443"
	)
	runRows(t, []row{
		// interface-none-usable
		{name: "patch number does not count", now: at("JSONRPC 1.0.1 https://agent.example/a2a"), want: []string{"card-changed"}},
		{name: "an unusable one beside it", now: at(grpc, rpc), want: []string{"card-changed"}},
		{name: "another usable one is left", now: at(rest), want: []string{"interface-dropped"}},
		{name: "other version", now: at("JSONRPC 0.3 https://agent.example/a2a"), want: []string{"interface-none-usable"}},
		{name: "other binding", now: at(grpc), want: []string{"interface-none-usable"}},
		{name: "a spelling of the binding", now: at("jsonrpc 1.0 https://agent.example/a2a"), want: []string{"interface-none-usable"}},
		{
			name: "one cause, one finding", was: at(rpc, rest), now: at("JSONRPC 2.0 http://10.0.0.1/"),
			want: []string{"interface-none-usable"},
		},
		{
			name: "skills and flags are still compared", was: `{"capabilities":{"streaming":true},"skills":[{"id":"quote"}]}`,
			now:  strings.TrimSuffix(at(grpc), "}") + `,"skills":[{"id":"book"}]}`,
			lock: `{"requires":{"streaming":true}}`,
			want: []string{"interface-none-usable", "skill-removed", "skill-gained", "streaming-lost"},
		},
		// interface-changed, interface-dropped
		{name: "order behind the chosen one", was: at(rpc, rest, grpc), now: at(rpc, grpc, rest), want: []string{"card-changed"}},
		{name: "a foreign binding put first", now: at(grpc, rpc), want: []string{"card-changed"}},
		{
			name: "the client's own order", was: at(rpc, rest), now: at(rest, rpc),
			client: func(cl *compileClient) { cl.Select = compile.ClientOrder }, want: []string{"card-changed"},
		},
		{name: "put first, the pinned one stays", was: at(rpc), now: at(rest, rpc), want: []string{"interface-changed"}},
		{
			name: "the pinned one stays at another address", was: at(rpc, rest), now: at(rest, "JSONRPC 1.0 https://agent.example/new"),
			want: []string{"interface-changed", "interface-gained"},
		},
		{name: "dropped for a fallback", was: at(rpc, rest), now: at(rest), want: []string{"interface-dropped"}},
		{
			name: "dropped, the same binding in a version that the client lacks", was: at(rpc, rest),
			now: at("JSONRPC 2.0 https://agent.example/a2a", rest), want: []string{"interface-dropped"},
		},
		// interface-url-changed
		{name: "host case and default port", now: at("JSONRPC 1.0 https://AGENT.example:443/a2a"), want: []string{"card-changed"}},
		{name: "scheme case", now: at("JSONRPC 1.0 HTTPS://agent.example/a2a"), want: []string{"card-changed"}},
		{
			name: "host:port is https for GRPC", was: at("GRPC 1.0 https://agent.example"), now: at(grpc), want: []string{"card-changed"},
			client: func(cl *compileClient) { cl.Interfaces = append(cl.Interfaces, transportOf("GRPC", "1.0")) },
		},
		{name: "path", now: at("JSONRPC 1.0 https://agent.example/v2"), want: []string{"interface-url-changed"}},
		{name: "path case", now: at("JSONRPC 1.0 https://agent.example/A2A"), want: []string{"interface-url-changed"}},
		{name: "query", now: at("JSONRPC 1.0 https://agent.example/a2a?x=1"), want: []string{"interface-url-changed"}},
		{name: "path beside another binding says nothing more", now: at("HTTP+JSON 1.0 https://agent.example/other"), want: []string{"interface-dropped"}},
		{
			name: "http became https", was: at("JSONRPC 1.0 http://agent.example/a2a"), now: at(rpc),
			want: []string{"interface-url-changed"},
		},
		{
			name: "http became https with spelled-out default ports", was: at("JSONRPC 1.0 http://agent.example:80/a2a"),
			now: at("JSONRPC 1.0 https://agent.example:443/a2a"), want: []string{"interface-url-changed"},
		},
		{
			name: "two of one kind change places", was: at(rpc, "JSONRPC 1.0 https://agent.example/b"),
			now: at("JSONRPC 1.0 https://agent.example/b", rpc), want: []string{"interface-url-changed"},
		},
		// interface-origin-changed
		{
			name: "http became https on another port", was: at("JSONRPC 1.0 http://agent.example:8080/a2a"), now: at(rpc),
			want: []string{"interface-origin-changed"},
		},
		{
			name: "http became https on the same odd port", was: at("JSONRPC 1.0 http://agent.example:8080/a2a"),
			now: at("JSONRPC 1.0 https://agent.example:8080/a2a"), want: []string{"interface-origin-changed"},
		},
		{name: "port", now: at("JSONRPC 1.0 https://agent.example:8443/a2a"), want: []string{"interface-origin-changed"}},
		{name: "subdomain", now: at("JSONRPC 1.0 https://eu.agent.example/a2a"), want: []string{"interface-origin-changed"}},
		{
			name: "a foreign entry put first", now: at("HTTP+JSON 1.0 https://evil.example/rest", rpc),
			want: []string{"interface-changed", "interface-origin-changed"},
		},
		{
			name: "dropped for a foreign one", now: at("HTTP+JSON 1.0 https://evil.example/rest"),
			want: []string{"interface-dropped", "interface-origin-changed"},
		},
		{
			name: "a foreign entry behind the chosen one", now: at(rpc, "HTTP+JSON 1.0 https://evil.example/rest"),
			want: []string{"interface-gained"},
		},
		{
			name: "an allowed origin", now: at("JSONRPC 1.0 https://eu.agent.example/a2a"),
			lock: `{"trust":{"allowed_origins":["https://eu.agent.example"]}}`,
			want: []string{"interface-origin-changed review"},
		},
		{
			name: "allowed is the origin, not its subdomains", now: at("JSONRPC 1.0 https://x.eu.agent.example/a2a"),
			lock: `{"trust":{"allowed_origins":["https://eu.agent.example"]}}`,
			want: []string{"interface-origin-changed"},
		},
		// interface-insecure
		{name: "never had TLS", was: at("JSONRPC 1.0 http://agent.example/a"), now: at("JSONRPC 1.0 http://agent.example/b"), want: []string{"interface-url-changed"}},
		{name: "TLS lost on another port of the host", now: at("JSONRPC 1.0 http://agent.example:8080/a2a"), want: []string{"interface-insecure"}},
		{
			name: "TLS lost on another host", now: at("JSONRPC 1.0 http://evil.example/a2a"),
			want: []string{"interface-insecure", "interface-origin-changed"},
		},
		{name: "http put behind", now: at(rpc, "HTTP+JSON 1.0 http://agent.example/rest"), want: []string{"interface-gained"}},
		{
			name: "http put first", now: at("HTTP+JSON 1.0 http://agent.example/rest", rpc),
			want: []string{"interface-changed", "interface-insecure"},
		},
		// interface-address-private
		{
			name: "private as ever", was: at("JSONRPC 1.0 https://10.0.0.4/a2a"), now: at("JSONRPC 1.0 https://10.0.0.5/a2a"),
			want: []string{"interface-origin-changed"},
		},
		{
			name: "private became public", was: at("JSONRPC 1.0 https://10.0.0.4/a2a"), now: at(rpc),
			want: []string{"interface-origin-changed"},
		},
		{name: "a public address", now: at("JSONRPC 1.0 https://8.8.8.8/a2a"), want: []string{"interface-origin-changed"}},
		{name: "a name that only sounds local", now: at("JSONRPC 1.0 https://localhost.example/a2a"), want: []string{"interface-origin-changed"}},
		{
			name: "loopback without TLS", now: at("JSONRPC 1.0 http://localhost:9999/"),
			want: []string{"interface-address-private", "interface-insecure"},
		},
		{name: "wildcard", now: at("JSONRPC 1.0 https://0.0.0.0/a2a"), want: []string{"interface-address-private"}},
		{name: "IPv6 loopback", now: at("JSONRPC 1.0 https://[::1]/a2a"), want: []string{"interface-address-private"}},
		// interface-tenant-changed
		{name: "empty tenant is absent", now: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":""}]}`, want: []string{"card-changed"}},
		{name: "tenant removed", was: at(rpc + " acme"), now: at(rpc), want: []string{"interface-tenant-changed"}},
		{name: "tenant changed", was: at(rpc + " acme"), now: at(rpc + " Acme"), want: []string{"interface-tenant-changed"}},
		{name: "tenant of another interface", was: at(rpc, rest), now: at(rpc, rest+" acme"), want: []string{"card-changed"}},
		{name: "tenant beside another binding says nothing more", was: at(rpc+" acme", rest), now: at(rest), want: []string{"interface-dropped"}},
		{
			name: "tenant and path", now: at("JSONRPC 1.0 https://agent.example/b acme"),
			want: []string{"interface-tenant-changed", "interface-url-changed"},
		},
		// fallback-lost, interface-gained
		{name: "one that the client cannot use went", was: at(rpc, grpc), now: at(rpc), want: []string{"card-changed"}},
		{name: "one that the client cannot use came", now: at(rpc, grpc), want: []string{"card-changed"}},
		{name: "one of unknown version came", now: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/r","protocolBinding":"HTTP+JSON"}]}`, want: []string{"card-changed"}},
		{name: "listed twice", was: at(rpc, rest), now: at(rpc, rest, rest), want: []string{"card-changed"}},
		{name: "host case of a fallback", was: at(rpc, rest), now: at(rpc, "HTTP+JSON 1.0 https://AGENT.example/rest"), want: []string{"card-changed"}},
		{
			name: "a fallback moved", was: at(rpc, rest), now: at(rpc, "HTTP+JSON 1.0 https://agent.example/r2"),
			want: []string{"fallback-lost", "interface-gained"},
		},
	})
}

// A lock that records binding and version alone, as a person would write it.
func TestInterfaceOfMinimalLock(t *testing.T) {
	edit := func(c *Comparison) {
		c.Lock.Profile = nil
		c.Lock.Interface = &lockfile.Interface{Binding: "JSONRPC", Version: "1.0"}
	}
	runRows(t, []row{
		{name: "the same", edit: edit},
		{name: "URL is not recorded", now: at("JSONRPC 1.0 http://10.0.0.1/a2a acme"), edit: edit, want: []string{"card-changed"}},
		{name: "changed", now: at("HTTP+JSON 1.0 http://evil.example/", "JSONRPC 1.0 https://agent.example/a2a"), edit: edit, want: []string{"interface-changed"}},
		{name: "dropped", now: at("HTTP+JSON 1.0 https://agent.example/rest"), edit: edit, want: []string{"interface-dropped"}},
		{name: "none", now: at("GRPC 1.0 agent.example:443"), edit: edit, want: []string{"interface-none-usable"}},
		{
			name: "no interface recorded at all", now: at("HTTP+JSON 1.0 http://evil.example/"), want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile, c.Lock.Interface = nil, nil },
		},
		{
			name: "a tenant alone is recorded", now: at("JSONRPC 1.0 https://agent.example/a2a other"), want: []string{"interface-tenant-changed"},
			edit: func(c *Comparison) { edit(c); c.Lock.Interface.Tenant = "acme" },
		},
		{
			name: "the profile has what the interface leaves out", now: at("JSONRPC 1.0 https://agent.example/b acme"),
			edit: func(c *Comparison) { c.Lock.Interface = &lockfile.Interface{Binding: "JSONRPC", Version: "1.0"} },
			want: []string{"interface-tenant-changed", "interface-url-changed"},
		},
	})
}
