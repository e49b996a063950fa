package fetch

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/cachecontrol"
)

func TestMemoryAsJSON(t *testing.T) {
	var every []byte
	for b := range 256 {
		every = append(every, byte(b))
	}
	m := Memory{Unreliable: 1, Ignored: 2, Entries: []Entry{{
		URL: cardURL, Identity: "partner", Digest: digestOf(nil), ETag: Field(every), LastModified: monday, Date: tuesday,
		CacheControl: "max-age=1", Expires: "0", Vary: []string{"Accept"}, Variant: "ab",
	}}}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got Memory
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%s reads as %+v, %v, want %+v", data, got, err, m)
	}
	if data, _ := json.Marshal(Memory{}); string(data) != "{}" {
		t.Errorf("the zero Memory is %s", data)
	}
	if err := json.Unmarshal([]byte(`{"entries":[{"etag":"\"\u20ac\""}]}`), &got); err != nil || got.Entries[0].ETag != "" {
		t.Errorf("text that nobody wrote reads as %q, %v", got.Entries[0].ETag, err)
	}
}

func TestIsETag(t *testing.T) {
	for tag, want := range map[string]bool{
		`"a"`: true, `""`: true, `W/"a"`: true, `W/""`: true, `"a,b"`: true, "\"\x80\xff\"": true, `"\"`: true,
		``: false, `"`: false, `a`: false, `"a`: false, `a"`: false, `w/"a"`: false, `W/ "a"`: false, `W/a`: false,
		`W/W/"a"`: false, `"a", "b"`: false, `"a b"`: false, "\"a\tb\"": false, "\"a\nb\"": false, "\"\x7f\"": false, `*`: false,
	} {
		if got := isETag(tag); got != want {
			t.Errorf("isETag(%q) = %v, want %v", tag, got, want)
		}
	}
}

func TestMaxAge(t *testing.T) {
	for _, tt := range []struct {
		control, expires, age string
		want                  time.Duration
	}{
		{"", "", "", 0},
		{"max-age=60", "", "", time.Minute},
		{"public,MAX-AGE = 60", tuesday, "", time.Minute},
		{`max-age="60"`, "", "", time.Minute},
		{"max-age=60, max-age=9", "", "", time.Minute},
		{"s-maxage=60", "", "", 0},
		{"max-age=60, no-cache", "", "", 0},
		{`x="no-cache, max-age=9", max-age=60`, "", "", time.Minute},
		{`x="\", max-age=9", max-age=60`, "", "", time.Minute},
		{"max-age=-1", tuesday, "", 0},
		{"max-age=soon", tuesday, "", 0},
		{"max-age=" + strings.Repeat("9", 30), "", "", cachecontrol.Longest},
		{"max-age=60", "", "15", 45 * time.Second},
		{"max-age=60", "", "61", 0},
		{"max-age=60", "", "-15", time.Minute},
		{"", tuesday, "", 24 * time.Hour},
		{"", tuesday, "3600", 23 * time.Hour},
		{"", "0", "", 0},
		{"", "Sun, 01 Nov 2026 10:00:00 GMT", "", 0},
		{"", future, "", cachecontrol.Longest},
	} {
		e := Entry{CacheControl: Field(tt.control), Expires: Field(tt.expires), Date: monday}
		if got := e.maxAge(tt.age); got != tt.want {
			t.Errorf("maxAge of %q, %q, age %q = %s, want %s", tt.control, tt.expires, tt.age, got, tt.want)
		}
	}
}

// What a request says in a header that an answer varies by may be a secret.
func TestVariantsTellNothing(t *testing.T) {
	header := http.Header{"Authorization": {"Bearer geheim"}, "A2a-Version": {"1.0"}}
	req := &http.Request{URL: parsed(t, cardURL), Header: header}
	e := newEntry(req, "", http.Header{"Vary": {"authorization"}}, digestOf(nil))
	data, _ := json.Marshal(Memory{Entries: []Entry{e}})
	if strings.Contains(string(data), "geheim") {
		t.Errorf("remembered: %s", data)
	}
	m := Memory{Entries: []Entry{e}}
	if m.find(req, "") == nil {
		t.Error("the same request is not found")
	}
	for name, value := range map[string]string{"Authorization": "Bearer other", "A2a-Version": "1.1"} {
		other := req.Clone(t.Context())
		other.Header.Set(name, value)
		if m.find(other, "") != nil {
			t.Errorf("%s: %s is found", name, value)
		}
	}
}

func parsed(t *testing.T, rawURL string) *url.URL {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
