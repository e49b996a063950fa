package hostname

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"example.com", "example.com"},
		{"Example.COM.", "example.com"},
		{"MÜNCHEN.example", "xn--mnchen-3ya.example"},
		{"xn--mnchen-3ya.example", "xn--mnchen-3ya.example"},
		{"my_agent.internal", "my_agent.internal"},
		{"r3---sn-4g5e.example", "r3---sn-4g5e.example"},
		{"localhost.", "localhost"},
		{"ＬＯＣＡＬＨＯＳＴ", "localhost"},
		{"7f000001.nip.io", "7f000001.nip.io"}, // judged at the dial
		{"127.0.0.1", "127.0.0.1"},
		{"127.0.0.1.", "127.0.0.1"},
		{"127。0。0。1", "127.0.0.1"},
		{"１２７.0.0.1", "127.0.0.1"},
		{"::1", "::1"},
		{"0:0:0:0:0:0:0:1", "::1"},
		{"::ffff:10.0.0.1", "10.0.0.1"},
		{"::FFFF:7f00:1", "127.0.0.1"},
		{"FD00:EC2::254", "fd00:ec2::254"},
	} {
		if got, err := Normalize(tt.host); err != nil || got != tt.want {
			t.Errorf("Normalize(%q) = %q, %v, want %q", tt.host, got, err, tt.want)
		}
	}
}

func TestNormalizeErrors(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"2130706433", "four decimal numbers"},
		{"0x7f.1", "four decimal numbers"},
		{"0x7f000001", "four decimal numbers"},
		{"0X7F.0.0.1", "four decimal numbers"},
		{"0177.0.0.1", "four decimal numbers"},
		{"127.1", "four decimal numbers"},
		{"127.0.0.1.2", "four decimal numbers"},
		{"1.2.3.256", "four decimal numbers"},
		{"a.0x", "four decimal numbers"},
		{"fe80::1%eth0", "zone"},
		{"", "no host"},
		{".", "no host"},
		{"a..b", "no valid host name"},
		{"a b", "no valid host name"},
		{"a,b.example", "no valid host name"},
		{"xn--zz.example", "no valid host name"},
		{strings.Repeat("a", 64) + ".example", "no valid host name"},
		{strings.Repeat("a.", 130) + "example", "over 253"},
		{strings.Repeat("ä", 1<<20), "over 253"},
		{"a\x93b.example", "no valid host name"}, // no UTF-8
		{"a\u202eb.example", "no valid host name"},
	} {
		got, err := Normalize(tt.host)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Normalize(%q) = %q, %v, want an error with %q", tt.host, got, err, tt.want)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\u202e') {
			t.Errorf("Normalize(%q): the error %q shows an invisible character", tt.host, err)
		}
	}
}

var inetAton = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

// A host that passes is in its last form, and nothing that any program takes
// for an address passes as a name.
func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"example.com", "EXAMPLE.com.", "2130706433", "0x7f.1", "::ffff:10.0.0.1", "faß.de",
		"１２７.0.0.1", "a.b.c。", "xn--mnchen-3ya.de", "fe80::1%25eth0", "0.0.0.0x1", "\u200blocalhost",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Normalize(s)
		if err != nil {
			return
		}
		again, err := Normalize(got)
		if err != nil || again != got {
			t.Errorf("Normalize(%q) = %q, and of that %q, %v", s, got, again, err)
		}
		if strings.ToLower(got) != got || strings.HasSuffix(got, ".") {
			t.Errorf("Normalize(%q) = %q, which has capitals or a dot at its end", s, got)
		}
		if _, err := netip.ParseAddr(got); err == nil {
			return
		}
		last := got[strings.LastIndexByte(got, '.')+1:]
		if inetAton.MatchString(last) {
			t.Errorf("Normalize(%q) = %q, which inet_aton reads as an address", s, got)
		}
		if strings.Trim(got, hostChars+".") != "" {
			t.Errorf("Normalize(%q) = %q, which has other characters than a host name", s, got)
		}
	})
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true,
		"localhost.example": false, "notlocalhost": false, "10.0.0.1": false, "0.0.0.0": false, "::": false, "": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", host, got, want)
		}
	}
}
