package compile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeldFor(t *testing.T) {
	c := &Client{Credentials: []Credential{
		{Name: "anywhere", Kind: Bearer},
		{Name: "agent", Kind: Bearer, Origins: []string{"https://agent.example:443"}},
		{Name: "port", Kind: Bearer, Origins: []string{"https://agent.example:8443", "http://localhost:8080"}},
		{Name: "idna", Kind: Bearer, Origins: []string{"https://xn--mnchen-3ya.example:443", "https://[2001:db8::1]:443"}},
		{Name: "nowhere", Kind: Bearer, Origins: []string{}},
	}}
	for _, tt := range []struct {
		binding, url string
		want         []string
	}{
		{"JSONRPC", "https://agent.example/rpc", []string{"agent"}},
		{"JSONRPC", "https://AGENT.example.:443?x", []string{"agent"}},
		{"GRPC", "agent.example:443", []string{"agent"}},
		{"GRPC", "https://agent.example:8443", []string{"port"}},
		{"GRPC", "agent.example:8443", []string{"port"}},
		{"JSONRPC", "http://localhost:8080/", []string{"port"}},
		{"GRPC", "localhost:8080", []string{"port"}}, // in plain text, if the network policy has it so
		{"GRPC", "http://localhost:8080", []string{"port"}},
		{"JSONRPC", "https://münchen.example/", []string{"idna"}},
		{"JSONRPC", "https://[2001:DB8:0::1]/", []string{"idna"}},

		{"JSONRPC", "https://localhost:8080/", nil},
		{"GRPC", "https://localhost:8080", nil},
		{"JSONRPC", "http://agent.example/rpc", nil},
		{"JSONRPC", "http://agent.example:443/rpc", nil},
		{"JSONRPC", "https://agent.example:80/", nil},
		{"JSONRPC", "agent.example:443", nil}, // host:port is GRPC's alone
		{"GRPC", "agent.example:8080", nil},
		{"JSONRPC", "https://x.agent.example/", nil},
		{"JSONRPC", "https://agent.example@evil.example/", nil},
		{"JSONRPC", "https://agent.example.evil.example/", nil},
		{"JSONRPC", "ftp://agent.example:443/", nil},
		{"JSONRPC", "https://0x7f.1/", nil},
		{"JSONRPC", "", nil},
	} {
		var got []string
		for _, h := range c.HeldFor(&Interface{URL: tt.url, Binding: tt.binding})[1:] {
			got = append(got, h.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("HeldFor(%s %q) beside anywhere (-want +got):\n%s", tt.binding, tt.url, diff)
		}
	}
	if got := c.HeldFor(nil); len(got) != len(c.Credentials) {
		t.Errorf("HeldFor(nil) = %v, want all", got)
	}
	if got := (*Client)(nil).HeldFor(&Interface{}); got != nil {
		t.Errorf("HeldFor of no client = %v", got)
	}
}
