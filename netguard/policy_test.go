package netguard

import (
	"net/netip"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		allow []string
		named []string
		to    target
		addr  string
		want  bool
	}{
		{"public", nil, nil, target{"a.example", 443}, public, true},
		{"private", nil, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"private by CIDR", []string{"10.0.0.0/8"}, nil, target{"a.example", 443}, "10.0.0.4", true},
		{"CIDR with host bits", []string{"10.1.2.3/8"}, nil, target{"a.example", 443}, "10.0.0.4", true},
		{"next to the CIDR", []string{"10.0.0.0/30"}, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"mapped address by CIDR", []string{"10.0.0.0/8"}, nil, target{"a.example", 443}, "::ffff:10.0.0.4", true},
		{"mapped CIDR", []string{"::ffff:10.0.0.0/104"}, nil, target{"a.example", 443}, "10.0.0.4", true},
		{"by address", []string{"10.0.0.4"}, nil, target{"a.example", 443}, "10.0.0.4", true},
		{"by IPv6 address", []string{"fd00::4"}, nil, target{"a.example", 443}, "fd00::4", true},
		{"by address and port", []string{"10.0.0.4:8080"}, nil, target{"a.example", 8080}, "10.0.0.4", true},
		{"by address and another port", []string{"10.0.0.4:8080"}, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"by IPv6 address and port", []string{"[fd00::4]:8080"}, nil, target{"a.example", 8080}, "fd00::4", true},
		{"by host", []string{"A.example."}, nil, target{"a.example", 443}, "10.0.0.4", true},
		{"by another host", []string{"b.example"}, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"a host is not its subdomains", []string{"example"}, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"by host and port", []string{"a.example:8080"}, nil, target{"a.example", 8080}, "10.0.0.4", true},
		{"by host and another port", []string{"a.example:8080"}, nil, target{"a.example", 443}, "10.0.0.4", false},
		{"a host opens loopback", []string{"a.example"}, nil, target{"a.example", 443}, "127.0.0.1", true},
		{"a host opens no metadata", []string{"a.example"}, nil, target{"a.example", 443}, "169.254.169.254", false},
		{"a host opens no link-local", []string{"a.example"}, nil, target{"a.example", 443}, "fe80::1", false},
		{"metadata by address", []string{"169.254.169.254"}, nil, target{"a.example", 443}, "169.254.169.254", true},
		{"NAT64 of private", []string{"10.0.0.0/8"}, nil, target{"a.example", 443}, "64:ff9b::10.0.0.4", false},
		{"localhost unnamed", nil, nil, target{"localhost", 443}, "127.0.0.1", false},
		{"localhost by host", []string{"localhost"}, nil, target{"localhost", 443}, "::1", true},
		{"localhost by CIDR", []string{"127.0.0.0/8"}, nil, target{"localhost", 443}, "127.0.0.1", true},
		{"localhost named", nil, []string{"localhost"}, target{"localhost", 443}, "127.0.0.1", true},
		{"another loopback host named", nil, []string{"a.localhost"}, target{"localhost", 443}, "127.0.0.1", false},
		{"localhost elsewhere", []string{"10.0.0.0/8"}, []string{"localhost"}, target{"localhost", 443}, "10.0.0.4", false},
		{"localhost at a public address", nil, []string{"localhost"}, target{"localhost", 443}, public, false},
		{"a name that leads to what was named", nil, []string{"127.0.0.1"}, target{"a.example", 443}, "127.0.0.1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := newPolicy(tt.allow, nil, tt.named)
			if err != nil {
				t.Fatal(err)
			}
			r := p.judge(tt.to, netip.MustParseAddr(tt.addr))
			if (r == nil) != tt.want {
				t.Errorf("judge(%v, %s) = %v, want allowed %v", tt.to, tt.addr, r, tt.want)
			}
			if r != nil && (r.Host != tt.to.host || r.Port != tt.to.port || !r.Addr.IsValid()) {
				t.Errorf("refusal %+v does not say what to allow", r)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	p, err := newPolicy(nil, []string{"Plain.example", "port.example:8080", "10.0.0.4", "[fd00::4]"}, []string{"localhost"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		to   target
		want bool
	}{
		{target{"plain.example", 80}, true},
		{target{"plain.example", 8080}, true},
		{target{"a.plain.example", 80}, false},
		{target{"port.example", 8080}, true},
		{target{"port.example", 80}, false},
		{target{"10.0.0.4", 80}, true},
		{target{"fd00::4", 80}, true},
		{target{"localhost", 9000}, true},
		{target{"localhost", 80}, true},
		{target{"a.localhost", 80}, false},
	} {
		if got := p.plain(tt.to); got != tt.want {
			t.Errorf("plain(%v) = %v, want %v", tt.to, got, tt.want)
		}
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	g := &Guard{
		Allow: []string{"10.0.0.0/33", "https://a.example", "a.example:0", "a.example:", "*.example", "", "ok.example", "0x7f.1"},
		HTTP:  []string{"a b", "10.0.0.0/8"},
	}
	err := g.Validate()
	if err == nil {
		t.Fatal("Validate() = nil")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 9 {
		t.Errorf("Validate() has %d lines, want 9:\n%v", len(lines), err)
	}
	for _, want := range []string{`allow: "10.0.0.0/33"`, `allow: "a.example:0"`, `allow: "a.example:"`, `http: "10.0.0.0/8"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
	if _, _, got := get(t, g, "https://ok.example/", nil); got == nil || got.Error() != err.Error() {
		t.Errorf("Do with entries that cannot be read = %v, want %v", got, err)
	}
	if err := new(Guard).Validate(); err != nil {
		t.Errorf("Validate() of the zero Guard = %v", err)
	}
}
