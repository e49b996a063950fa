package address

import "testing"

func TestExact(t *testing.T) {
	for _, tt := range []struct{ binding, url, want string }{
		{"JSONRPC", "https://agent.example/rpc", "https://agent.example:443"},
		{"JSONRPC", "https://AGENT.example.:443?x", "https://agent.example:443"},
		{"JSONRPC", "http://agent.example", "http://agent.example:80"},
		{"JSONRPC", "https://agent.example@evil.example/", "https://evil.example:443"},
		{"JSONRPC", "https://münchen.example/", "https://xn--mnchen-3ya.example:443"},
		{"JSONRPC", "https://[2001:DB8:0::1]:8443/", "https://[2001:db8::1]:8443"},
		{"GRPC", "agent.example:8443", "https://agent.example:8443"},
		{"GRPC", "http://localhost:8080", "http://localhost:8080"},

		{"JSONRPC", "agent.example:443", ""}, // host:port is GRPC's alone
		{"JSONRPC", "ftp://agent.example:443/", ""},
		{"JSONRPC", "https://0x7f.1/", ""},
		{"JSONRPC", "", ""},
	} {
		if got := Exact(tt.binding, tt.url); got != tt.want {
			t.Errorf("Exact(%s, %q) = %q, want %q", tt.binding, tt.url, got, tt.want)
		}
	}
}
