package diff

import (
	"strings"
	"testing"
)

func TestExtensionRules(t *testing.T) {
	const known, other = `"uri":"https://ext.example/citations/v1"`, `"uri":"https://ext.example/billing/v1"`
	exts := func(entries ...string) string {
		return `{"capabilities":{"extensions":[{` + strings.Join(entries, "},{") + `}]}}`
	}
	uri := func(u string) string { return `"uri":"` + u + `"` }
	needs := func(u string) string { return `{"requires":{"extensions":["` + u + `"]}}` }
	needKnown := needs("https://ext.example/citations/v1")
	runRows(t, []row{
		// extension-missing
		{name: "declared as ever", was: exts(known), now: exts(known, other), lock: needKnown, want: []string{"extension-gained"}},
		{name: "order", was: exts(known, other), now: exts(other, known), lock: needKnown, want: []string{"card-changed"}},
		{name: "description", was: exts(known), now: exts(known, `"uri":"https://ext.example/citations/v1","description":"x"`), lock: needKnown, want: []string{"card-changed"}},
		{name: "not required by the lock", was: exts(known), want: []string{"extension-lost-unused"}},
		{name: "required by the agent and by the lock", was: exts(known + `,"required":true`), lock: needKnown, want: []string{"extension-missing"}},
		{
			name: "two are missing", was: exts(known, other), want: []string{"extension-missing", "extension-missing"},
			lock: `{"requires":{"extensions":["https://ext.example/citations/v1","https://ext.example/billing/v1"]}}`,
		},
		// extension-version-moved
		{name: "both versions are there", was: exts(known), now: exts(known, uri("https://ext.example/citations/v2")), lock: needKnown, want: []string{"extension-gained"}},
		{name: "another name", was: exts(known), now: exts(uri("https://ext.example/quotations/v1")), lock: needKnown, want: []string{"extension-missing", "extension-gained"}},
		{name: "another host", was: exts(known), now: exts(uri("https://ext2.example/citations/v1")), lock: needKnown, want: []string{"extension-missing", "extension-gained"}},
		{name: "another port is no version", was: exts(uri("https://e.example:8443/x")), now: exts(uri("https://e.example:9443/x")), lock: needs("https://e.example:8443/x"), want: []string{"extension-missing", "extension-gained"}},
		{name: "a slash more is no version", was: exts(uri("https://e.example/x/v1")), now: exts(uri("https://e.example/x/v1/")), lock: needs("https://e.example/x/v1"), want: []string{"extension-missing", "extension-gained"}},
		{name: "a version segment came", was: exts(uri("https://e.example/x")), now: exts(uri("https://e.example/x/v1")), lock: needs("https://e.example/x"), want: []string{"extension-missing", "extension-gained"}},
		{name: "version and name", was: exts(known), now: exts(uri("https://ext.example/quotations/v2")), lock: needKnown, want: []string{"extension-missing", "extension-gained"}},
		{name: "version in a urn", was: exts(uri("urn:a2a:ext:v1.0")), now: exts(uri("urn:a2a:ext:v1.1")), lock: needs("urn:a2a:ext:v1.0"), want: []string{"extension-version-moved"}},
		{name: "a date", was: exts(uri("https://e.example/2025-01-01/x")), now: exts(uri("https://e.example/2025-06-01/x")), lock: needs("https://e.example/2025-01-01/x"), want: []string{"extension-version-moved"}},
		{
			name: "moved, and the new one is required", was: exts(known), now: exts(uri("https://ext.example/citations/v2") + `,"required":true`), lock: needKnown,
			want: []string{"extension-version-moved", "extension-required-unknown"},
		},
		{
			name: "moved, not required by the lock", was: exts(known), now: exts(uri("https://ext.example/citations/v2")),
			want: []string{"extension-gained", "extension-lost-unused"},
		},
		// extension-required-unknown, extension-required-known
		{name: "an optional one came", now: exts(other), want: []string{"extension-gained"}},
		{name: "required false", now: exts(other + `,"required":false`), want: []string{"extension-gained"}},
		{name: "known and required as ever", was: exts(known + `,"required":true`), now: exts(known + `,"required":true`)},
		{name: "known and required came", now: exts(known + `,"required":true`), want: []string{"extension-required-known"}},
		{name: "unknown became required", was: exts(other), now: exts(other + `,"required":true`), want: []string{"extension-required-unknown"}},
		{
			name: "one of two is unknown", now: exts(known+`,"required":true`, other+`,"required":true`),
			want: []string{"extension-required-known", "extension-required-unknown"},
		},
		{
			name: "nothing recorded", now: exts(known + `,"required":true`), want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		{
			name: "nothing recorded, unknown", now: exts(other + `,"required":true`), want: []string{"extension-required-unknown"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		{
			name: "one cause, one finding", was: `{"skills":[{"id":"quote"}]}`,
			now:  `{"skills":[{"id":"quote"}],"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1","required":true}]}}`,
			want: []string{"extension-required-unknown"},
		},
		// extension-params-changed
		{name: "member order of params", was: exts(known + `,"params":{"a":1,"b":2}`), now: exts(known + `,"params":{"b":2,"a":1.0}`), lock: needKnown},
		{name: "params of an unused one", was: exts(other + `,"params":{"a":1}`), now: exts(other + `,"params":{"a":2}`), want: []string{"extension-params-changed compatible"}},
		{name: "params of a required one", was: exts(known + `,"required":true,"params":{"a":1}`), now: exts(known + `,"required":true,"params":{"a":2}`), want: []string{"extension-params-changed"}},
		{name: "params came", was: exts(known), now: exts(known + `,"params":{"a":2}`), lock: needKnown, want: []string{"extension-params-changed"}},
		{name: "params went", was: exts(known + `,"params":{"a":2}`), now: exts(known), lock: needKnown, want: []string{"extension-params-changed"}},
		{name: "null params are none", was: exts(known), now: exts(known + `,"params":null`), lock: needKnown, want: []string{"card-changed"}},
		{name: "params of one that went", was: exts(other + `,"params":{"a":2}`), want: []string{"extension-lost-unused"}},
		// extension-no-longer-required, extension-gained, extension-lost-unused
		{name: "no longer required and gone", was: exts(known + `,"required":true`), want: []string{"extension-no-longer-required"}},
		{name: "no longer required, and the lock requires it", was: exts(known + `,"required":true`), now: exts(known), lock: needKnown, want: []string{"extension-no-longer-required"}},
		{name: "the lock requires what came", now: exts(known), lock: needKnown, want: []string{"card-changed"}},
		{name: "declared twice", was: exts(other), now: exts(other, other), want: []string{"card-changed"}},
	})
}
