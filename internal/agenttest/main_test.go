package agenttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeagent runs the command until the test closes its stdin, and gives its
// base URL once it serves.
func fakeagent(t *testing.T, args ...string) (base string, end func() int) {
	t.Helper()
	stdin, closeStdin := io.Pipe()
	read, stdout := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), args, stdin, stdout, &stderr)
		stdout.Close()
	}()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("fakeagent %q ended with %d: %s", args, <-code, &stderr)
	}
	return strings.TrimSpace(line), func() int {
		closeStdin.Close()
		select {
		case c := <-code:
			return c
		case <-time.After(10 * time.Second):
			t.Fatal("fakeagent still runs 10 s after its stdin closed")
			return -1
		}
	}
}

func do(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func TestMainServesUntilStdinCloses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "url")
	base, end := fakeagent(t, "-o", file, "-grpc")
	if data, err := os.ReadFile(file); err != nil || string(data) != base+"\n" {
		t.Errorf("the file of -o holds %q, %v; want %q", data, err, base)
	}
	if status, body := do(t, "GET", base+WellKnown, ""); status != 200 || !strings.Contains(body, `"GRPC"`) {
		t.Errorf("GET of the card = %d %s, want a card with a gRPC interface", status, body)
	}
	if code := end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if _, err := http.Get(base); err == nil {
		t.Error("the agent still answers after its end")
	}
}

func TestMainEndsOnSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read, stdout := io.Pipe()
	code := make(chan int, 1)
	// An empty stdin, as testscript gives to what it runs.
	go func() { code <- run(ctx, []string{"-until", "signal"}, strings.NewReader(""), stdout, io.Discard) }()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := do(t, "GET", strings.TrimSpace(line)+WellKnown, ""); status != 200 {
		t.Errorf("GET of the card = %d, want 200", status)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d, want 0", c)
	}
}

func TestMainTakesACard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "card.json")
	if err := os.WriteFile(file, []byte(`{"url": "http://agent.test/x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	base, end := fakeagent(t, "-card", file, "-path", "/card.json")
	if _, body := do(t, "GET", base+"/card.json", ""); body != `{"url": "`+base+`/x"}` {
		t.Errorf("the card is %s", body)
	}
	end()
	base, end = fakeagent(t, "-shape", "v02")
	if _, body := do(t, "GET", base+WellKnown, ""); body != string(Shape("v02", base)) {
		t.Errorf("the card is %s", body)
	}
	end()
}

func TestMainRefuses(t *testing.T) {
	tests := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-until", "noon"}, 2, `-until "noon"`},
		{[]string{"-nothing"}, 2, "-nothing"},
		{[]string{"-shape", "none"}, 1, "js-case"},
		{[]string{"-card", "none.json"}, 1, "none.json"},
		{[]string{"-card", "a", "-shape", "b"}, 1, "want one"},
		{[]string{"-addr", "127.0.0.1:nope"}, 1, "nope"},
	}
	for _, tt := range tests {
		var stderr bytes.Buffer
		code := run(t.Context(), tt.args, strings.NewReader(""), io.Discard, &stderr)
		if code != tt.code || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("fakeagent %q = %d %q, want %d and %q", tt.args, code, &stderr, tt.code, tt.want)
		}
	}
}

func TestControl(t *testing.T) {
	agent := Start(t, Config{})
	puts := []struct {
		path, body string
		status     int
		card       string // what the card then has in it
		served     int    // and the status it is served with
	}{
		{"card", `{"name": "other"}`, 204, `{"name": "other"}`, 200},
		{"merge", `{"version": "2"}`, 204, `"version": "2"`, 200},
		{"merge", `{`, 400, `"version": "2"`, 200},
		{"answer", `{"status": 503, "headers": {"Retry-After": "9"}}`, 204, `"version": "2"`, 503},
		{"answer", `{"delay": "soon"}`, 400, `"version": "2"`, 503},
		{"answer", `{"status": 42}`, 400, `"version": "2"`, 503},
		{"answer", `{"body": "<html>"}`, 204, `<html>`, 200},
		{"answer", `{}`, 204, `"version": "2"`, 200},
		{"nothing", ``, 404, `"version": "2"`, 200},
	}
	for _, p := range puts {
		if status, body := do(t, "PUT", agent.URL()+"/control/"+p.path, p.body); status != p.status {
			t.Errorf("PUT %s %s = %d %q, want %d", p.path, p.body, status, body, p.status)
		}
		if status, body := do(t, "GET", agent.CardURL(), ""); status != p.served || !strings.Contains(body, p.card) {
			t.Errorf("after PUT %s %s the card is %d %q, want %d %q", p.path, p.body, status, body, p.served, p.card)
		}
	}

	var requests []Request
	if _, body := do(t, "GET", agent.URL()+"/control/requests", ""); json.Unmarshal([]byte(body), &requests) != nil {
		t.Fatalf("the requests are %s", body)
	}
	if len(requests) != len(puts) || requests[0].Path != WellKnown {
		t.Errorf("%d requests recorded, want the %d for the card alone: %v", len(requests), len(puts), requests)
	}
}
