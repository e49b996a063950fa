package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
)

const apiDoc = "../../docs/api.md"

// A curl is one example of docs/api.md: a command, and the JSON that the
// document says comes back; nil where it shows none.
type curl struct {
	line    int
	command string
	answer  []byte
}

// curls takes the examples out of the document. The answer of a command is the
// JSON that stands right behind it.
func curls(t *testing.T, doc string) (all []curl) {
	t.Helper()
	var block []string
	lang := ""
	for i, line := range strings.Split(doc, "\n") {
		switch {
		case lang == "" && strings.HasPrefix(line, "```"):
			lang, block = strings.TrimPrefix(line, "```"), nil
			continue
		case lang != "" && line == "```":
		default:
			block = append(block, line)
			continue
		}
		text := strings.Join(block, "\n")
		switch {
		case lang == "sh" && strings.HasPrefix(text, "curl "):
			all = append(all, curl{line: i + 1 - len(block), command: text})
		case lang == "json" && len(all) > 0 && all[len(all)-1].answer == nil:
			all[len(all)-1].answer = []byte(text)
		}
		lang = ""
	}
	return all
}

// words takes a command apart as a shell does.
func words(command string) (list []string) {
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range strings.ReplaceAll(command, "\\\n", " ") {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\n'):
			if begun {
				list = append(list, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list
}

// request is what the command sends.
func (c curl) request() (*http.Request, error) {
	method, url, body := "", "", ""
	header := http.Header{}
	list := words(c.command)
	for i := 1; i < len(list); i++ {
		value := func() string { i++; return list[i] }
		switch list[i] {
		case "-s", "-f", "-i":
		case "-X":
			method = value()
		case "-H":
			name, v, _ := strings.Cut(value(), ": ")
			header.Set(name, v)
		case "-d":
			body = value()
		case "-o":
			value()
		default:
			if url != "" || strings.HasPrefix(list[i], "-") {
				return nil, fmt.Errorf("%q: not understood", list[i])
			}
			url = list[i]
		}
	}
	if method == "" {
		method = http.MethodGet
		if body != "" {
			return nil, errors.New("a body without -X")
		}
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	return req, nil
}

// free are the members whose own members are names of something: any may be
// there.
var free = []string{"locks", "outbox_waiting", "match", "headers", "operations"}

// optional are members that come and go by the moment.
var optional = []string{"quiet", "detail", "pending"}

// A learner knows which value of the daemon stands for one of the document: ids
// and digests.
type learner map[string]string

// compare says where a document's answer and the daemon's differ in shape.
func (l learner) compare(at string, doc, got any) (faults []string) {
	if doc == nil || got == nil { // never, as yet
		return nil
	}
	switch doc := doc.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: an object in the document, not from the daemon", at)}
		}
		for _, name := range slices.Sorted(maps.Keys(doc)) {
			if _, ok := got[name]; !ok && !isFree(at) && !slices.Contains(optional, name) {
				faults = append(faults, fmt.Sprintf("%s/%s: not from the daemon", at, name))
				continue
			}
			faults = append(faults, l.compare(at+"/"+name, doc[name], got[name])...)
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if _, ok := doc[name]; !ok && !isFree(at) && !slices.Contains(optional, name) {
				faults = append(faults, fmt.Sprintf("%s/%s: not in the document", at, name))
			}
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) == 0 && len(doc) > 0 {
			return []string{fmt.Sprintf("%s: a list in the document, from the daemon %v", at, got)}
		}
		for i := range min(len(doc), len(got)) {
			faults = append(faults, l.compare(at, doc[i], got[i])...)
		}
	case string:
		text, ok := got.(string)
		if !ok {
			return []string{fmt.Sprintf("%s: %q in the document, from the daemon %v", at, doc, got)}
		}
		if (strings.HasSuffix(at, "id") || strings.HasSuffix(at, "digest")) && doc != "" {
			l[doc] = text
		}
	case bool, float64:
		if fmt.Sprintf("%T", doc) != fmt.Sprintf("%T", got) {
			return []string{fmt.Sprintf("%s: %v in the document, from the daemon %v", at, doc, got)}
		}
	}
	return faults
}

func isFree(at string) bool { return slices.Contains(free, at[strings.LastIndex(at, "/")+1:]) }

// apiDaemon runs a daemon in the state that docs/api.md is about: its one lock
// broke, and a receiver is down.
func apiDaemon(t *testing.T) (at string) {
	t.Helper()
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(down.Close)
	agent := agenttest.Start(t, agenttest.Config{})
	dir := t.TempDir()
	t.Chdir(dir)
	config := filepath.Join(dir, "a2alock.yaml")
	writeFile(t, config, fmt.Appendf(nil, `
daemon: {confirm_after: 100ms}
notify:
  sinks:
    ops: {webhook: {url: %q, secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}}
  routes:
    - {sinks: [ops]}
`, down.URL+"/hook"))
	if code, out := typed(t, "pin", agent.CardURL(), "--skill", "itinerary-pricing", "--streaming", "--workflow", "travel",
		"--owner", "team-travel"); code != exitOK {
		t.Fatalf("pin: %s", out)
	}
	lock := filepath.Join("locks", "itinerary-pricing.a2a.lock.json")
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, lock, bytes.Replace(text, []byte(`"owner": `), []byte(`"fallback": "ask a person", "owner": `), 1))
	at = serving(t, config)
	waitFor(t, at+"/v1/locks/itinerary-pricing", `"class": "compatible"`)
	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`))
	if code, out := typed(t, "refresh", "itinerary-pricing", "--daemon", at); code != exitOK {
		t.Fatalf("refresh: %s", out)
	}
	waitFor(t, at+"/v1/locks/itinerary-pricing", `"class": "breaking"`)
	waitFor(t, at+"/v1/outbox", `"attempts": 1`)
	return at
}

// serving runs the daemon of a config until the test ends, and gives its URL.
func serving(t *testing.T, config string) string {
	t.Helper()
	d, err := runDaemon(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Errorf("the daemon ended with: %v", err)
		}
	})
	return d.url
}

func waitFor(t *testing.T, url, text string) {
	t.Helper()
	var last []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if last = fetched(t, url); bytes.Contains(last, []byte(text)) {
			return
		}
	}
	t.Fatalf("GET %s never had %q in it, but:\n%s", url, text, last)
}

func fetched(t *testing.T, url string) []byte {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Every example of docs/api.md works on a daemon, one after the other, and its
// answer has the members that the document shows.
func TestAPIExamples(t *testing.T) {
	doc, err := os.ReadFile(apiDoc)
	if err != nil {
		t.Fatal(err)
	}
	all := curls(t, string(doc))
	if len(all) < 20 {
		t.Fatalf("%d examples found, want one for every operation", len(all))
	}
	at := apiDaemon(t)
	known := learner{}
	for _, c := range all {
		text := strings.ReplaceAll(c.command, "http://"+defaultListen, at)
		for _, was := range slices.Sorted(maps.Keys(known)) {
			text = strings.ReplaceAll(text, was, known[was])
		}
		req, err := (curl{command: text}).request()
		if err != nil {
			t.Errorf("docs/api.md:%d: %s: %v", c.line, c.command, err)
			continue
		}
		if strings.Contains(text, "state=waiting") { // the report before it has something newer told
			waitFor(t, at+"/v1/outbox?state=superseded", `"kind": "opened"`)
			waitFor(t, at+"/v1/outbox?state=waiting", `"attempts": 1`)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode >= 300 && !bytes.HasPrefix(c.answer, []byte("{\n  \"error\"")) {
			t.Errorf("docs/api.md:%d: %s = %d %s", c.line, c.command, res.StatusCode, body)
			continue
		}
		if c.answer == nil {
			continue
		}
		var want, got any
		if err := json.Unmarshal(c.answer, &want); err != nil {
			t.Errorf("docs/api.md:%d: the answer: %v", c.line, err)
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Errorf("docs/api.md:%d: %s = %q: %v", c.line, c.command, body, err)
		}
		for _, fault := range known.compare("", want, got) {
			t.Errorf("docs/api.md:%d: %s: %s", c.line, c.command, fault)
		}
	}
}

// The document has every operation, and no other.
func TestAPIOperations(t *testing.T) {
	doc, err := os.ReadFile(apiDoc)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../server/server.go")
	if err != nil {
		t.Fatal(err)
	}
	var served, told []string
	for _, m := range regexp.MustCompile(`"((?:GET|POST|DELETE) /[^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		served = append(served, m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^### `((?:GET|POST|DELETE) /[^`?]+)").FindAllStringSubmatch(string(doc), -1) {
		told = append(told, strings.TrimSuffix(m[1], "["))
	}
	slices.Sort(served)
	slices.Sort(told)
	if len(served) < 20 || !slices.Equal(served, told) {
		t.Errorf("docs/api.md tells of\n%q\nand the server serves\n%q", told, served)
	}
}

var metricName = regexp.MustCompile(`(?m)^# TYPE (a2alockd_\w+) `)

// The document lists the metrics, all of which a daemon has that did something.
func TestAPIMetrics(t *testing.T) {
	doc, err := os.ReadFile(apiDoc)
	if err != nil {
		t.Fatal(err)
	}
	at := apiDaemon(t)
	res, err := http.Post(at+"/v1/locks/itinerary-pricing/stale", "application/json", strings.NewReader(`{"error": "UnsupportedOperationError"}`))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	fetched(t, at+"/v1/locks/itinerary-pricing/decision")
	var told, there []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(a2alockd_\\w+)").FindAllStringSubmatch(string(doc), -1) {
		told = append(told, m[1])
	}
	text := string(fetched(t, at+"/metrics"))
	for _, m := range metricName.FindAllStringSubmatch(text, -1) {
		there = append(there, m[1])
	}
	slices.Sort(told)
	slices.Sort(there)
	if len(told) < 24 || !slices.Equal(told, there) {
		t.Errorf("docs/api.md lists\n%q\nand the daemon has\n%q", told, there)
	}
	if strings.Contains(text, `agent="`) {
		t.Error("there are labels of agents, which nobody asked for")
	}
}

// Behind a proxy that serves it as public_url says, the API is asked for by
// that name.
func TestPublicHost(t *testing.T) {
	config := filepath.Join(t.TempDir(), "a2alock.yaml")
	writeFile(t, config, []byte("daemon: {public_url: \"https://a2alock.example.com/api\"}\n"))
	at := serving(t, config)
	for host, want := range map[string]int{"a2alock.example.com": 200, "evil.example": 403} {
		req, err := http.NewRequest(http.MethodGet, at+"/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("for %s = %d, want %d", host, res.StatusCode, want)
		}
	}
}
