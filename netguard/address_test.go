package netguard

import (
	"net/netip"
	"testing"
)

func TestClassOf(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want class
	}{
		{"8.8.8.8", ""},
		{"93.184.215.14", ""},
		{"2606:2800:21f:cb07::1", ""},
		{"127.0.0.1", classLoopback},
		{"127.255.255.254", classLoopback},
		{"::1", classLoopback},
		{"10.0.0.4", classPrivate},
		{"172.16.0.1", classPrivate},
		{"172.31.255.255", classPrivate},
		{"172.32.0.0", ""},
		{"192.168.1.1", classPrivate},
		{"fd12:3456::1", classPrivate},
		{"fec0::1", classPrivate},
		{"169.254.1.1", classLinkLocal},
		{"fe80::1", classLinkLocal},
		{"fe80::1%eth0", classLinkLocal},
		{"100.64.0.1", classShared},
		{"100.127.255.255", classShared},
		{"100.128.0.0", ""},
		{"224.0.0.1", classMulticast},
		{"239.255.255.250", classMulticast},
		{"ff02::1", classMulticast},
		{"0.0.0.0", classUnspecified},
		{"0.1.2.3", classUnspecified},
		{"::", classUnspecified},
		{"169.254.169.254", classMetadata},
		{"169.254.170.2", classMetadata},
		{"fd00:ec2::254", classMetadata},
		{"100.100.100.200", classMetadata},
		{"168.63.129.16", classMetadata},
		{"168.63.129.17", ""},
		{"192.0.2.7", classDocs},
		{"198.51.100.7", classDocs},
		{"203.0.113.7", classDocs},
		{"2001:db8::7", classDocs},
		{"198.18.0.1", classBenchmark},
		{"2001:2::1", classBenchmark},
		{"192.0.0.8", classReserved},
		{"240.0.0.1", classReserved},
		{"255.255.255.255", classReserved},
		{"192.175.48.1", classReserved}, // AS112
		{"100::1", classReserved},       // discard-only
		{"4000::1", classReserved},      // outside global unicast

		// IPv4 inside IPv6.
		{"::ffff:10.0.0.1", classPrivate},
		{"::ffff:8.8.8.8", ""},
		{"::ffff:169.254.169.254", classMetadata},
		{"::10.0.0.1", classReserved}, // IPv4-compatible, RFC 4291
		{"64:ff9b::8.8.8.8", ""},
		{"64:ff9b::10.0.0.1", classNAT64},
		{"64:ff9b::169.254.169.254", classNAT64},
		{"64:ff9b::7f00:1", classNAT64},
		{"64:ff9b:1::10.0.0.1", classReserved}, // local NAT64, RFC 8215
		{"2002:a00:1::1", classTransition},     // 6to4 of 10.0.0.1
		{"2002:808:808::1", classTransition},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", classTransition}, // Teredo
	} {
		if got := classOf(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("classOf(%s) = %q, want %q", tt.addr, got, tt.want)
		}
	}
	if got := classOf(netip.Addr{}); got == "" {
		t.Error("the zero address counts as public")
	}
}
