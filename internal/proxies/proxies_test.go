package proxies

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"proxy.example:3128": "http://proxy.example:3128", "Proxy.example": "http://proxy.example:80", "http://[::1]": "http://[::1]:80",
		"https://proxy.example": "http://proxy.example:443", "socks5h://u:p@proxy.example": "socks5h://u:p@proxy.example:1080",
	} {
		if u, _, err := parse(text); err != nil || u.String() != want {
			t.Errorf("parse(%q) = %v, %v, want %s", text, u, err, want)
		}
	}
}

func TestFor(t *testing.T) {
	p, err := New(&httpproxy.Config{HTTPProxy: "http://plain.example", HTTPSProxy: "https://u:p@Secure.example", NoProxy: "direct.example,10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"https://a.example:443": "http://u:p@secure.example:443", "http://a.example:80": "http://plain.example:80",
		"https://direct.example:443": "", "https://x.direct.example:443": "", "https://10.0.0.4:443": "",
		"https://localhost:443": "", "https://a.localhost:443": "", "https://127.8.9.1:443": "", "https://[::1]:443": "",
	} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		via, err := p.For(u)
		if via != nil {
			got = via.String()
		}
		if err != nil || got != want {
			t.Errorf("For(%s) = %q, %v, want %q", target, got, err, want)
		}
	}
	if overTLS, known := p.Knows("secure.example:443"); !overTLS || !known {
		t.Error("the proxy that speaks TLS is not known as that")
	}
	if overTLS, known := p.Knows("plain.example:80"); overTLS || !known {
		t.Error("the plain proxy is not known as that")
	}
	if _, known := p.Knows("secure.example:80"); known {
		t.Error("another port is known as a proxy")
	}
	if via, err := (Proxies{}).For(&url.URL{Scheme: "https", Host: "a.example:443"}); via != nil || err != nil {
		t.Errorf("For without a proxy = %v, %v", via, err)
	}
}

func TestNewQuotesNothing(t *testing.T) {
	for _, text := range []string{
		"ftp://me:geheim@proxy.example", "http://me:geheim@", "http://me:geheim@proxy example", "socks4://geheim", "http://geheim%zz",
		"http://2130706433", "http://proxy.example:port", "http://proxy.example:0", "me:geheim@:3128",
	} {
		_, err := New(&httpproxy.Config{HTTPSProxy: text, HTTPProxy: text})
		if err == nil || !strings.Contains(err.Error(), "HTTPS_PROXY: want") || !strings.Contains(err.Error(), "HTTP_PROXY: want") {
			t.Errorf("New with %s = %v, want both named", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}
