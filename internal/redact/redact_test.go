package redact

import "testing"

func TestURL(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"https://h.example/card.json", "https://h.example/card.json"},
		{"https://h.example/c?tenant_id=1234&v=2", "https://h.example/c?tenant_id=1234&v=2"},
		{"https://h.example/c?token=abc&tenant=1", "https://h.example/c?token=REDACTED&tenant=1"},
		{"https://h.example/c?tenant=1&Access_Token=abc", "https://h.example/c?tenant=1&Access_Token=REDACTED"},
		{"https://h.example/c?api-key=a&apikey=b&key=c&x-api-key=d", "https://h.example/c?api-key=REDACTED&apikey=REDACTED&key=REDACTED&x-api-key=REDACTED"},
		{"https://h.example/c?sig=a&X-Amz-Signature=b&code=c", "https://h.example/c?sig=REDACTED&X-Amz-Signature=REDACTED&code=REDACTED"},
		{"https://h.example/c?client_secret=a&password=b&pwd=c", "https://h.example/c?client_secret=REDACTED&password=REDACTED&pwd=REDACTED"},
		{"https://h.example/c?%74oken=abc", "https://h.example/c?%74oken=REDACTED"},
		{"https://h.example/c?to%6ben=a=b&x", "https://h.example/c?to%6ben=REDACTED&x"},
		{"https://h.example/c?token=&b", "https://h.example/c?token=&b"},
		{"https://h.example/c?design=a&country_code=de&keyword=k", "https://h.example/c?design=a&country_code=de&keyword=k"},
		{"https://h.example/c#access_token=abc&x=1", "https://h.example/c#access_token=REDACTED&x=1"},
		{"https://me:geheim@h.example/c?a=1", "https://REDACTED@h.example/c?a=1"},
		{"https://h.example/@me", "https://h.example/@me"},
		{"/relative?key=1", "/relative?key=REDACTED"},
		{"%zz?key=%zz", "%zz?key=REDACTED"},
		{"", ""},
	} {
		if got := URL(tt.url); got != tt.want {
			t.Errorf("URL(%q) = %q, want %q", tt.url, got, tt.want)
		}
		if again := URL(tt.want); again != tt.want {
			t.Errorf("URL(%q) = %q, want it unchanged", tt.want, again)
		}
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"no URL, key=1", "no URL, key=1"},
		{`it was "https://me:geheim@a.example/c?token=x" and is "http://b.example"`, `it was "https://REDACTED@a.example/c?token=REDACTED" and is "http://b.example"`},
		{`{"url":"https://a.example/?sig=x&v=1","tenant":"t?key=1"}`, `{"url":"https://a.example/?sig=REDACTED&v=1","tenant":"t?key=1"}`},
		{"<https://a.example/?key=x> `https://a.example/?key=y`", "<https://a.example/?key=REDACTED> `https://a.example/?key=REDACTED`"},
		{`"https://a.example/?key=x\u003cy"`, `"https://a.example/?key=REDACTED\u003cy"`},
	} {
		if got := Text(tt.text); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}
