package strength

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	want := map[string]Strength{
		"mtls": MutualTLS, "mutual-TLS": MutualTLS, "mutualTLS": MutualTLS, "mutual tls": MutualTLS,
		"oauth2": OAuth2, "OAuth 2": OAuth2, "oauth2-client-credentials": OAuth2, "oidc": OAuth2, "openIdConnect": OAuth2,
		"bearer": Bearer, "api-key": APIKey, "apiKey": APIKey, "api_key": APIKey, "Basic": Basic, "anonymous": Anonymous,
	}
	for s, strength := range want {
		if got, err := Parse(s); err != nil || got != strength {
			t.Errorf("Parse(%q) = %v, %v, want %v", s, got, err, strength)
		}
	}
	for s := Anonymous; s <= MutualTLS; s++ {
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Errorf("Parse(%q) = %v, %v, want %v", s, got, err, s)
		}
	}
	for _, s := range []string{"", "token", "basic2"} {
		if _, err := Parse(s); err == nil || !strings.Contains(err.Error(), "want mtls") {
			t.Errorf("Parse(%q): error %v, want one that lists the kinds", s, err)
		}
	}
}
