package credential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func TestValuesAreNotShown(t *testing.T) {
	v := Literal(canary)
	type inner struct{ v Value } // fmt asks no method of what it cannot reach
	c := Credential{Name: "partner", Origins: []string{"https://a.example"}, Kind: Bearer{Token: v}}
	w := wallet(t, c)
	all := []any{v, &v, []Value{v}, map[string]Value{"a": v}, inner{v}, &inner{v}, c, &c, w, w.list[0], Basic{User: "u", Password: v}}
	clean(t, all...)
	for _, verb := range []string{"%d", "%x", "%X", "%t", "%T", "%p", "%10.3s", "%-20v", "%08b"} {
		if text := fmt.Sprintf(verb, v); strings.Contains(text, "geheim") || strings.Contains(text, fmt.Sprintf("%x", "geheim")) {
			t.Errorf("%s shows %s", verb, text)
		}
	}
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		log := slog.New(h)
		for _, a := range all[:8] {
			log.Info("shown", "value", a)
		}
	}
	for _, a := range all[:8] {
		data, err := json.Marshal(a)
		if err != nil {
			t.Error(err)
		}
		b.Write(data)
		if data, err = yaml.Marshal(a); err != nil {
			t.Error(err)
		}
		b.Write(data)
	}
	if strings.Contains(b.String(), "geheim") {
		t.Errorf("the secret is in %s", b.String())
	}
	for _, want := range []string{`"[redacted]"`, "value=[redacted]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in %s", want, b.String())
		}
	}
}

func TestValuesCompare(t *testing.T) {
	for _, tt := range []struct {
		a, b Value
		want bool
	}{
		{Literal("a"), Literal("a"), true},
		{Literal("a"), Literal("b"), false},
		{File("a"), File("a"), true},
		{File("a"), File("b"), false},
		{Literal("a"), File("a"), false},
		{Literal(""), Value{}, false},
		{Value{}, Value{}, true},
	} {
		if got := tt.a.Equal(tt.b); got != tt.want {
			t.Errorf("Equal = %v, want %v", got, tt.want)
		}
	}
}

// A file is read whenever it is used: what it holds now is what goes out.
func TestFilesAreReadAgain(t *testing.T) {
	a := newAgent(t, ok)
	path := file(t, canary+"-1\n")
	w := wallet(t, Credential{Name: "partner", Origins: []string{a.URL}, Kind: Bearer{Token: File(path)}})
	for i, text := range []string{canary + "-1", canary + "-2", canary + "-2"} {
		switch i {
		case 1: // in place, within the same second and of the same size
			rewrite(t, path, text+"\r\n")
		case 2: // by another file, as orchestrators do it
			rewrite(t, path+".new", text)
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := send(t, w, a.URL); err != nil {
			t.Fatal(err)
		}
		if got := a.requests()[i].Header.Get("Authorization"); got != "Bearer "+text {
			t.Errorf("the server received %q, want %s", got, text)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := send(t, w, a.URL); err == nil || !strings.Contains(err.Error(), `credential "partner": `) || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one that names the file", err)
	}
	if n := len(a.requests()); n != 3 {
		t.Errorf("%d requests went out, want none without its credential", n)
	}
}

func TestFilesThatHoldNoValue(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "the value is empty"},
		{"\n", "the value is empty"},
		{"\r\n", "the value is empty"},
		{canary + "\n\n", "the value holds a line break or another control character"},
		{canary + "\nsecond\n", "the value holds a line break or another control character"},
		{canary + "\rX: y", "the value holds a line break or another control character"},
		{canary + "\x00", "the value holds a line break or another control character"},
		{canary + "\x7f", "the value holds a line break or another control character"},
	} {
		path := file(t, tt.text)
		_, err := File(path).read(Basic{}, func(string) {})
		if err == nil || err.Error() != path+": "+tt.want {
			t.Errorf("%q: error = %v, want %s", tt.text, err, tt.want)
		}
	}
	dir := t.TempDir()
	big := filepath.Join(dir, "big")
	rewrite(t, big, strings.Repeat("a", maxFile+1))
	for path, want := range map[string]string{
		dir:                       dir + ": no regular file",
		big:                       big + ": over 65536 bytes",
		filepath.Join(dir, "not"): "no such file",
		os.DevNull:                os.DevNull + ": no regular file",
	} {
		if _, err := File(path).read(Basic{}, func(string) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error = %v, want %s", path, err, want)
		}
	}
	if _, err := (Value{}).read(Basic{}, nil); err == nil {
		t.Error("the zero Value can be used")
	}
	rewrite(t, big, strings.Repeat("a", maxFile-1)+"\n")
	if got, err := File(big).read(Basic{}, func(string) {}); err != nil || len(got) != maxFile-1 {
		t.Errorf("a file at the limit = %d bytes, %v", len(got), err)
	}
}

// What would not arrive as it is written is refused before it is sent, from a file
// and as a text, and said of a file that nothing has used yet.
func TestValuesThatDoNotFit(t *testing.T) {
	const (
		mark   = "the value begins with a byte order mark: save the file without one"
		odd    = "the value holds a space or another character that no bearer token has (RFC 6750 2.1)"
		twice  = `the value begins with "Bearer", which is added to it: leave that out`
		edges  = "the value begins or ends with a space, which no header keeps"
		cookie = "the value holds a character that no cookie has (RFC 6265 4.1.1)"
	)
	bearer := func(v Value) Kind { return Bearer{Token: v} }
	basic := func(v Value) Kind { return Basic{User: "u", Password: v} }
	key := func(in string) func(Value) Kind {
		return func(v Value) Kind { return APIKey{In: in, Name: "k", Key: v} }
	}
	secret := func(v Value) Kind {
		return ClientCredentials{TokenURL: "https://t.example", ClientID: "c", Secret: v}
	}
	for _, tt := range []struct {
		name, text string
		kind       func(Value) Kind
		want       string // "" is none
	}{
		{"a mark", "\ufeff" + canary, bearer, mark},
		{"a mark", "\ufeff" + canary, basic, mark},
		{"a mark", "\ufeff" + canary, key(InQuery), mark},
		{"a mark", "\ufeff" + canary, secret, mark},
		{"a space before it", " " + canary, bearer, odd},
		{"a space behind it", canary + " ", bearer, odd},
		{"a tab", canary + "\t", bearer, odd},
		{"no-break space", canary + "\u00a0", bearer, odd},
		{"quotes of a word processor", "“" + canary + "”", bearer, odd},
		{"its scheme", "bearer " + canary, bearer, twice},
		{"a token", canary + "-._~+/==", bearer, ""},
		{"a token of another alphabet", "1|" + canary, bearer, ""},
		{"a space before it", " " + canary, key(InHeader), edges},
		{"a space behind it", canary + " ", key(InHeader), edges},
		{"a space within", "App " + canary, key(InHeader), ""},
		{"a space behind it", canary + " ", key(InQuery), ""},
		{"a space behind it", canary + " ", key(InCookie), cookie},
		{"a space behind it", canary + " ", basic, ""},
		{"a space behind it", canary + " ", secret, ""},
		{"umlauts", "schlüssel", basic, ""},
	} {
		path := file(t, tt.text+"\n")
		filed := Credential{Name: "partner", Origins: []string{"https://a.example"}, Kind: tt.kind(File(path))}
		var got []string
		for _, f := range filed.Check(func(string) {}) {
			got = append(got, f.Err.Error())
		}
		for _, f := range Faults(tt.kind(Literal(tt.text))) {
			got = append(got, f.Err.Error())
		}
		_, err := tt.kind(File(path)).values()[field(filed.Kind)].read(filed.Kind, func(string) {})
		if err != nil {
			got = append(got, err.Error())
		}
		var want []string
		if tt.want != "" {
			want = []string{path + ": " + tt.want, tt.want, path + ": " + tt.want}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s, %T: %q, want %q", tt.name, filed.Kind, got, want)
		}
	}
}

// field is the one that has the value of k.
func field(k Kind) string { return slices.Sorted(maps.Keys(k.values()))[0] }

func TestOpenFilesAreToldOnce(t *testing.T) {
	a := newAgent(t, ok)
	path := file(t, canary)
	w := wallet(t, Credential{Name: "partner", Origins: []string{a.URL}, Kind: Bearer{Token: File(path)}})
	var told []string
	w.Warn = func(name, text string) { told = append(told, name+": "+text) }
	for _, mode := range []os.FileMode{0o600, 0o400, 0o640, 0o640, 0o604} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, _, err := send(t, w, a.URL); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"partner: " + path + ": group or others may read or write it (mode 0640): chmod 600 it",
		"partner: " + path + ": group or others may read or write it (mode 0604): chmod 600 it",
	}
	if fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
