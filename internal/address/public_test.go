package address

import (
	"net/netip"
	"testing"
)

func TestSpecial(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want Class
	}{
		{"8.8.8.8", ""},
		{"93.184.215.14", ""},
		{"2606:2800:21f:cb07::1", ""},
		{"127.0.0.1", Loopback},
		{"127.255.255.254", Loopback},
		{"::1", Loopback},
		{"10.0.0.4", Private},
		{"172.16.0.1", Private},
		{"172.31.255.255", Private},
		{"172.32.0.0", ""},
		{"192.168.1.1", Private},
		{"fd12:3456::1", Private},
		{"fec0::1", Private},
		{"169.254.1.1", LinkLocal},
		{"fe80::1", LinkLocal},
		{"fe80::1%eth0", LinkLocal},
		{"100.64.0.1", Shared},
		{"100.127.255.255", Shared},
		{"100.128.0.0", ""},
		{"224.0.0.1", Multicast},
		{"239.255.255.250", Multicast},
		{"ff02::1", Multicast},
		{"0.0.0.0", Unspecified},
		{"0.1.2.3", Unspecified},
		{"::", Unspecified},
		{"169.254.169.254", Metadata},
		{"169.254.170.2", Metadata},
		{"fd00:ec2::254", Metadata},
		{"100.100.100.200", Metadata},
		{"168.63.129.16", Metadata},
		{"168.63.129.17", ""},
		{"192.0.2.7", Docs},
		{"198.51.100.7", Docs},
		{"203.0.113.7", Docs},
		{"2001:db8::7", Docs},
		{"198.18.0.1", Benchmark},
		{"2001:2::1", Benchmark},
		{"192.0.0.8", Reserved},
		{"240.0.0.1", Reserved},
		{"255.255.255.255", Reserved},
		{"192.175.48.1", Reserved}, // AS112
		{"100::1", Reserved},       // discard-only
		{"4000::1", Reserved},      // outside global unicast

		// IPv4 inside IPv6.
		{"::ffff:10.0.0.1", Private},
		{"::ffff:8.8.8.8", ""},
		{"::ffff:169.254.169.254", Metadata},
		{"::10.0.0.1", Reserved}, // IPv4-compatible, RFC 4291
		{"64:ff9b::8.8.8.8", ""},
		{"64:ff9b::10.0.0.1", NAT64},
		{"64:ff9b::169.254.169.254", NAT64},
		{"64:ff9b::7f00:1", NAT64},
		{"64:ff9b:1::10.0.0.1", LocalNAT64}, // local NAT64, RFC 8215
		{"2002:a00:1::1", Transition},       // 6to4 of 10.0.0.1
		{"2002:808:808::1", Transition},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", Transition}, // Teredo
	} {
		if got := Special(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("Special(%s) = %q, want %q", tt.addr, got, tt.want)
		}
	}
	if got := Special(netip.Addr{}); got == "" {
		t.Error("the zero address counts as public")
	}
}
