package diff

import "testing"

func TestIdentityRules(t *testing.T) {
	version := func(v string) string { return `{"version":"` + v + `"}` }
	provider := func(org, url string) string { return `{"provider":{"organization":"` + org + `","url":"` + url + `"}}` }
	runRows(t, []row{
		// agent-version-changed
		{name: "version came", was: `{"version":null}`, now: version("1.0.0"), want: []string{"card-changed"}},
		{name: "version went away", now: `{"version":null}`, want: []string{"agent-version-changed"}},
		{name: "empty is absent", was: `{"version":null}`, now: version(""), want: []string{"card-changed"}},
		{name: "patch", was: version("1.0.0"), now: version("1.0.1"), want: []string{"agent-version-changed"}},
		{name: "no semver", was: version("blue"), now: version("green"), want: []string{"agent-version-changed"}},
		{name: "protocol version is another thing", now: `{"protocolVersion":"1.0"}`, want: []string{"card-changed"}},
		// agent-version-decreased
		{name: "down", was: version("2.0.0"), now: version("1.9.9"), want: []string{"agent-version-decreased"}},
		{name: "with a v", was: version("v2.0.0"), now: version("1.9.9"), want: []string{"agent-version-decreased"}},
		{name: "to a pre-release", was: version("2.0.0"), now: version("2.0.0-rc.1"), want: []string{"agent-version-decreased"}},
		{name: "build data is no order", was: version("2.0.0+b"), now: version("2.0.0+a"), want: []string{"agent-version-changed"}},
		{name: "two numbers are no semver", was: version("2.1"), now: version("2.0"), want: []string{"agent-version-changed"}},
		{name: "a month is no semver", was: version("2025.10"), now: version("2025.9"), want: []string{"agent-version-changed"}},
		{name: "one side is no semver", was: version("2.0.0"), now: version("1.0.x"), want: []string{"agent-version-changed"}},
		{name: "leading zeros", was: version("1.02.0"), now: version("1.01.0"), want: []string{"agent-version-changed"}},
		{name: "numbers, not text", was: version("1.9.0"), now: version("1.10.0"), want: []string{"agent-version-changed"}},
		// agent-renamed
		{name: "case", now: `{"name":"PRICING"}`, want: []string{"text-changed"}},
		{name: "spaces and dashes", was: `{"name":"Pricing Agent"}`, now: `{"name":"pricing-_agent "}`, want: []string{"text-changed"}},
		{name: "name came", was: `{"name":null}`, want: []string{"text-changed"}},
		{name: "a letter more", now: `{"name":"Pricing2"}`, want: []string{"agent-renamed"}},
		{name: "name went away", now: `{"name":null}`, want: []string{"agent-renamed"}},
		{name: "a letter of another script", now: `{"name":"Prіcing"}`, want: []string{"agent-renamed"}},
		{
			name: "hidden and renamed", now: `{"name":"Booking\u200b"}`,
			want: []string{"agent-renamed", "text-hidden-characters"},
		},
		// provider-changed
		{name: "provider came", now: provider("Partner", "https://partner.example"), want: []string{"card-changed"}},
		{
			name: "path of its URL", was: provider("Partner", "https://partner.example/a"),
			now: provider("Partner", "https://partner.example/b"), want: []string{"card-changed"},
		},
		{
			name: "scheme and case of its URL", was: provider("Partner", "http://partner.example"),
			now: provider("Partner", "https://Partner.example"), want: []string{"card-changed"},
		},
		{
			name: "scheme left out", was: provider("Partner", "partner.example/x"),
			now: provider("Partner", "https://partner.example"), want: []string{"card-changed"},
		},
		{
			name: "URL came", was: provider("Partner", ""), now: provider("Partner", "https://partner.example"),
			want: []string{"card-changed"},
		},
		{
			name: "host", was: provider("Partner", "https://partner.example"),
			now: provider("Partner", "https://other.example"), want: []string{"provider-changed"},
		},
		{
			name: "host without scheme", was: provider("Partner", "partner.example"),
			now: provider("Partner", "other.example"), want: []string{"provider-changed"},
		},
		{
			name: "organization", was: provider("Partner", "https://partner.example"),
			now: provider("Partner Inc", "https://partner.example"), want: []string{"provider-changed"},
		},
		{name: "provider went away", was: provider("Partner", "https://partner.example"), want: []string{"provider-changed"}},
		{
			name: "URL went away", was: provider("Partner", "https://partner.example"),
			now: provider("Partner", ""), want: []string{"provider-changed"},
		},
	})
}
