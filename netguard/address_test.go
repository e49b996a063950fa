package netguard

import (
	"net/netip"
	"testing"

	"github.com/a2alock/a2alock/internal/address"
)

func TestClassOf(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want address.Class
	}{
		{"8.8.8.8", ""},
		{"93.184.215.14", ""},
		{"2606:2800:21f:cb07::1", ""},
		{"127.0.0.1", address.Loopback},
		{"127.255.255.254", address.Loopback},
		{"::1", address.Loopback},
		{"10.0.0.4", address.Private},
		{"172.16.0.1", address.Private},
		{"172.31.255.255", address.Private},
		{"172.32.0.0", ""},
		{"192.168.1.1", address.Private},
		{"fd12:3456::1", address.Private},
		{"fec0::1", address.Private},
		{"169.254.1.1", address.LinkLocal},
		{"fe80::1", address.LinkLocal},
		{"fe80::1%eth0", address.LinkLocal},
		{"100.64.0.1", address.Shared},
		{"100.127.255.255", address.Shared},
		{"100.128.0.0", ""},
		{"224.0.0.1", address.Multicast},
		{"239.255.255.250", address.Multicast},
		{"ff02::1", address.Multicast},
		{"0.0.0.0", address.Unspecified},
		{"0.1.2.3", address.Unspecified},
		{"::", address.Unspecified},
		{"169.254.169.254", address.Metadata},
		{"169.254.170.2", address.Metadata},
		{"fd00:ec2::254", address.Metadata},
		{"100.100.100.200", address.Metadata},
		{"168.63.129.16", address.Metadata},
		{"168.63.129.17", ""},
		{"192.0.2.7", address.Docs},
		{"198.51.100.7", address.Docs},
		{"203.0.113.7", address.Docs},
		{"2001:db8::7", address.Docs},
		{"198.18.0.1", address.Benchmark},
		{"2001:2::1", address.Benchmark},
		{"192.0.0.8", classReserved},
		{"240.0.0.1", classReserved},
		{"255.255.255.255", classReserved},
		{"192.175.48.1", classReserved}, // AS112
		{"100::1", classReserved},       // discard-only
		{"4000::1", classReserved},      // outside global unicast

		// IPv4 inside IPv6.
		{"::ffff:10.0.0.1", address.Private},
		{"::ffff:8.8.8.8", ""},
		{"::ffff:169.254.169.254", address.Metadata},
		{"::10.0.0.1", classReserved}, // IPv4-compatible, RFC 4291
		{"64:ff9b::8.8.8.8", ""},
		{"64:ff9b::10.0.0.1", classNAT64},
		{"64:ff9b::169.254.169.254", classNAT64},
		{"64:ff9b::7f00:1", classNAT64},
		{"64:ff9b:1::10.0.0.1", address.LocalNAT64}, // local NAT64, RFC 8215
		{"2002:a00:1::1", address.Transition},       // 6to4 of 10.0.0.1
		{"2002:808:808::1", address.Transition},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", address.Transition}, // Teredo
	} {
		if got := classOf(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("classOf(%s) = %q, want %q", tt.addr, got, tt.want)
		}
	}
	if got := classOf(netip.Addr{}); got == "" {
		t.Error("the zero address counts as public")
	}
}
