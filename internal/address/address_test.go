package address

import "testing"

func TestNormalize(t *testing.T) {
	tests := []struct {
		name, binding, url, want, origin, host string
	}{
		{"as it is", "JSONRPC", "https://a.example/x", "https://a.example/x", "https://a.example", "a.example"},
		{"scheme and host case", "JSONRPC", "HTTPS://A.Example/X?Q=1#F", "https://a.example/X?Q=1#F", "https://a.example", "a.example"},
		{"default port", "JSONRPC", "https://a.example:443/x", "https://a.example/x", "https://a.example", "a.example"},
		{"default port of http", "JSONRPC", "http://a.example:80", "http://a.example", "http://a.example", "a.example"},
		{"other scheme's port", "JSONRPC", "http://a.example:443/", "http://a.example:443/", "http://a.example:443", "a.example"},
		{"empty port", "JSONRPC", "https://a.example:/x", "https://a.example/x", "https://a.example", "a.example"},
		{"slash kept", "JSONRPC", "https://a.example/x/", "https://a.example/x/", "https://a.example", "a.example"},
		{"no slash added", "JSONRPC", "https://a.example", "https://a.example", "https://a.example", "a.example"},
		{"escapes kept", "JSONRPC", "https://a.example/%7e/a%2Fb/../c", "https://a.example/%7e/a%2Fb/../c", "https://a.example", "a.example"},
		{"query at once", "JSONRPC", "https://A.example?X=1", "https://a.example?X=1", "https://a.example", "a.example"},
		{"user kept, not in the origin", "JSONRPC", "https://U:P@A.example/", "https://U:P@a.example/", "https://a.example", "a.example"},
		{"IPv6", "JSONRPC", "https://[2001:DB8::1]:443/x", "https://[2001:db8::1]/x", "https://[2001:db8::1]", "2001:db8::1"},
		{"IPv6 without port", "JSONRPC", "https://[2001:DB8::1]/x", "https://[2001:db8::1]/x", "https://[2001:db8::1]", "2001:db8::1"},
		{"Kelvin sign is no k", "JSONRPC", "https://\u212a.example/", "https://\u212a.example/", "https://\u212a.example", "\u212a.example"},
		{"GRPC host:port", "GRPC", "GRPC.example.com:443", "https://grpc.example.com", "https://grpc.example.com", "grpc.example.com"},
		{"GRPC other port", "GRPC", "grpc.example.com:8443", "https://grpc.example.com:8443", "https://grpc.example.com:8443", "grpc.example.com"},
		{"GRPC IPv6", "GRPC", "[::1]:50051", "https://[::1]:50051", "https://[::1]:50051", "::1"},
		{"GRPC URL", "GRPC", "https://grpc.example.com:443/a2a", "https://grpc.example.com/a2a", "https://grpc.example.com", "grpc.example.com"},
		{"host:port is GRPC's alone", "JSONRPC", "a.example:443", "a.example:443", "", ""},
		{"GRPC with a path and no scheme", "GRPC", "a.example:443/x", "a.example:443/x", "", ""},
		{"GRPC without port", "GRPC", "a.example", "a.example", "", ""},
		{"GRPC port zero", "GRPC", "a.example:0", "a.example:0", "", ""},
		{"relative", "JSONRPC", "/a2a", "/a2a", "", ""},
		{"scheme-relative", "JSONRPC", "//A.example/x", "//A.example/x", "", ""},
		{"no host", "GRPC", "dns:///A.example", "dns:///A.example", "", ""},
		{"opaque", "JSONRPC", "mailto:x@A.example?u=http://b", "mailto:x@A.example?u=http://b", "", ""},
		{"URL in a query", "JSONRPC", "x?u=HTTP://B", "x?u=HTTP://B", "", ""},
		{"unparsable", "JSONRPC", "https://A.example/%zz", "https://A.example/%zz", "", ""},
		{"empty", "JSONRPC", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Normalize(tt.binding, tt.url); got != tt.want {
				t.Errorf("Normalize(%q, %q) = %q, want %q", tt.binding, tt.url, got, tt.want)
			}
			if got := Normalize(tt.binding, tt.want); got != tt.want {
				t.Errorf("Normalize(%q, %q) = %q, want a fixed point", tt.binding, tt.want, got)
			}
			if got := Origin(tt.binding, tt.url); got != tt.origin {
				t.Errorf("Origin(%q, %q) = %q, want %q", tt.binding, tt.url, got, tt.origin)
			}
			if got := Host(tt.binding, tt.url); got != tt.host {
				t.Errorf("Host(%q, %q) = %q, want %q", tt.binding, tt.url, got, tt.host)
			}
		})
	}
}

func TestIsPrivate(t *testing.T) {
	private := []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "::", "[::]", "::1", "[::1]", "10.0.0.4", "172.16.0.1", "172.31.255.255",
		"192.168.1.1", "169.254.169.254", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "100.64.0.1",
		"100.127.255.255", "224.0.0.1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "0.1.2.3",
		"168.63.129.16", "192.0.0.192", "64:ff9b::a83f:8110",
		"2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "127.1", "10.1", "192.168.257",
		"localhost", "LOCALHOST", "localhost.", "api.localhost", "printer.local", "metadata.google.internal",
		"local", "pricing.travel.svc", "pricing.travel.svc.cluster.local",
	}
	for _, host := range private {
		if !IsPrivate(host) {
			t.Errorf("IsPrivate(%q) = false, want true", host)
		}
	}
	public := []string{
		"192.0.2.7", "198.18.0.1", "192.88.99.1", "2002:a00:1::1", "168.63.129.17",
		"", "agent.example.com", "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.1.1", "100.128.0.1", "2001:db8::1",
		"64:ff9b::808:808", "::ffff:8.8.8.8", "134744072", "0x08080808", "localhost.example.com", "mylocalhost",
		"notlocal", "x.internal.example", "svc.example.com", "256.1.1.1", "1.2.3.4.5", "4294967296", "0b1111111.0.0.1", "1_0.0.0.1",
		"xn--bcher-kva.example",
	}
	for _, host := range public {
		if IsPrivate(host) {
			t.Errorf("IsPrivate(%q) = true, want false", host)
		}
	}
}
