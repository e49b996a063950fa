package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
)

// broken is a standard output whose reader is gone, or a full disk.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Nobody has a result that could not be written: whatever it was, that is
// undecided.
func TestUnwritableOutput(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	t.Chdir(t.TempDir())
	if code, _ := typed(t, "pin", agent.URL(), "--skill", "fare-rules"); code != exitOK {
		t.Fatalf("pin: exit code %d", code)
	}
	lock := "locks/fare-rules.a2a.lock.json"
	writeFile(t, "loose.a2a.lock.json", []byte(`{"requires":{"skills":{"a":{"input":["a/a"],"output":["a/a"]}}},"agent":"https://a.example/c.json"}`))
	for _, args := range [][]string{
		{},
		{"help", "pin"},
		{"check", lock},
		{"check", lock, "--format", "json"},
		{"ls"},
		{"ls", "--format", "json"},
		{"compile", agent.URL()},
		{"compile", agent.URL(), "--for-model"},
		{"validate", agent.URL()},
		{"rules"},
		{"rules", "--format", "json"},
		{"explain", "skill-removed"},
		{"version"},
		{"completion", "fish"},
		{"pin", lock},
		{"pin", agent.URL(), "--skill", "itinerary-pricing", "--dry-run"},
		{"check", "--fail-on", "x", "--format", "json"},
		{"fmt", "--check", "loose.a2a.lock.json"},
		{"schema", "lock"},
	} {
		var errs bytes.Buffer
		code := run(t.Context(), &env{stdin: strings.NewReader(""), stdout: broken{}, stderr: &errs}, args)
		if code != exitUndecided || !strings.Contains(errs.String(), "a2alock: writing the result: no space left\n") {
			t.Errorf("a2alock %q to a full disk: exit code %d, want %d; stderr %q", args, code, exitUndecided, errs.String())
		}
	}
}

// A breaking change is not accepted unseen: a report that nobody could read
// leaves the lock as it is.
func TestUnseenReportWritesNothing(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	t.Chdir(t.TempDir())
	typed(t, "pin", agent.URL(), "--skill", "fare-rules", "--streaming", "-o", "a2a.lock.json")
	before, err := os.ReadFile("a2a.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`))
	args := []string{"pin", "a2a.lock.json", "--accept", "breaking"}
	if code := run(t.Context(), &env{stdin: strings.NewReader(""), stdout: broken{}, stderr: io.Discard}, args); code != exitUndecided {
		t.Errorf("exit code %d, want %d", code, exitUndecided)
	}
	if after, _ := os.ReadFile("a2a.lock.json"); !bytes.Equal(before, after) {
		t.Error("the lock was written all the same")
	}
}

// explosive panics with a text of a card's.
type explosive struct{}

func (explosive) Write([]byte) (int, error) { panic("skill \x1b[2J\n::error::\u202e is odd") }

func TestPanicPrintsNoCard(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), &env{stdout: explosive{}, stderr: &errs}, []string{"version"})
	if code != exitUndecided {
		t.Errorf("exit code %d, want %d", code, exitUndecided)
	}
	text := errs.String()
	if !strings.HasPrefix(text, "a2alock: a bug in a2alock: skill <U+001B>[2J⏎::error::<U+202E> is odd\na2alock: please report it") ||
		!strings.Contains(text, "explosive.Write") {
		t.Errorf("stderr = %q, want the escaped text and a stack", text)
	}
	if fault := unclean(strings.ReplaceAll(text, "\t", "")); fault != "" {
		t.Errorf("stderr: %s", fault)
	}
}

// A signal ends every wait, with a code of its own and no half verdict.
func TestInterrupted(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	t.Chdir(t.TempDir())
	typed(t, "pin", agent.URL(), "--skill", "fare-rules", "--streaming", "-o", "a2a.lock.json")
	slow := agenttest.Answer{Delay: time.Minute}
	fast := agenttest.Answer{}
	streaming := agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`)
	for _, tt := range []struct {
		args   []string
		answer agenttest.Answer
		want   string // on stderr, before the signal
	}{
		{[]string{"check"}, slow, ""},
		{[]string{"check", "--format", "json"}, slow, ""},
		{[]string{"validate", agent.URL()}, slow, ""},
		{[]string{"validate", agent.URL(), "--format", "json"}, slow, ""},
		{[]string{"pin", "a2a.lock.json"}, slow, ""},
		{[]string{"pin", agent.URL()}, fast, "Which does the workflow need"},
		{[]string{"pin", "a2a.lock.json"}, fast, "Type breaking to pin it all the same: "},
	} {
		t.Run(fmt.Sprint(tt.args), func(t *testing.T) {
			agent.SetAnswer(tt.answer)
			agent.SetCard(streaming)
			n := len(agent.Requests())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out bytes.Buffer
			errs := &screen{}
			stdin, typing := io.Pipe() // a terminal at which nobody types
			defer typing.Close()
			code := make(chan int)
			go func() { code <- run(ctx, &env{stdin: stdin, stdout: &out, stderr: errs, ask: true}, tt.args) }()
			for tt.want == "" && len(agent.Requests()) == n || !strings.Contains(errs.text(), tt.want) {
				time.Sleep(time.Millisecond)
			}
			cancel()
			if got := <-code; got != exitInterrupted {
				t.Errorf("exit code %d, want %d; stdout %q", got, exitInterrupted, out.String())
			}
			if text := errs.text(); !strings.HasSuffix(text, "a2alock: interrupted\n") {
				t.Errorf("stderr = %q, want it to end with one line", text)
			}
			if tt.want == "" && out.Len() > 0 {
				t.Errorf("stdout = %q, want nothing", out.String())
			}
		})
	}
	if lock, _ := os.ReadFile("a2a.lock.json"); !strings.Contains(string(lock), `"streaming": true`) {
		t.Errorf("the lock was written:\n%s", lock)
	}
}

// A screen is a standard error that can be read while it is written.
type screen struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Where JSON was asked for, a run that fails prints it; what was asked for is
// the flag's say, and the command line's where that could not be read.
func TestFailedForm(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args []string
		want bool
	}{
		{[]string{"check", "--format", "json", "--nosuch"}, true},
		{[]string{"check", "--nosuch", "--format=json"}, true},
		{[]string{"check", "--nosuch", "--format=text", "--format", "json"}, true},
		{[]string{"check", "--nosuch", "--format=json", "--format", "text"}, false},
		{[]string{"check", "--nosuch", "--", "--format=json"}, false},
		{[]string{"check", "--format"}, false},
		{[]string{"check", "--format", "yaml"}, false},
		{[]string{"check", "--format", "text", "json"}, false},
		{[]string{"check", "--format", "json", "--format", "text", "nosuch"}, false},
		{[]string{"check", "--card=--format=json", "--card", "--format=json", "nosuch"}, false},
		{[]string{"compile"}, true}, // it prints nothing else
		{[]string{"compile", "--nosuch"}, true},
		{[]string{"pin", "--format", "json"}, false}, // it has no such flag
		{[]string{"--format", "json"}, false},
	} {
		var out bytes.Buffer
		code := run(t.Context(), &env{stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard}, tt.args)
		if got := strings.HasPrefix(out.String(), "{") && strings.Contains(out.String(), `"errors": [`); code != exitUsage || got != tt.want {
			t.Errorf("a2alock %q: exit code %d, JSON %v; want %d, %v\n%s", tt.args, code, got, exitUsage, tt.want, out.String())
		}
	}
}
