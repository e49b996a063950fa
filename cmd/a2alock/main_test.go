package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2alock/a2alock/internal/agenttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"a2alock": main})
}

// TestScripts runs testdata/script: what users type, against a real agent at
// $AGENT that each script has to itself.
//
//	agent card FILE      the agent publishes FILE, http://agent.test in it being itself
//	agent merge JSON     JSON is laid over the card (RFC 7396)
//	agent answer JSON    how the card is served from now on: {"status": 503, …}
//	agent asked N        the card was asked for N times so far
//	stamp FILE           FILE with its times, digests and ports made constant
//	code N ARG…          a2alock ends with exit code N
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") == "1",
		Setup: func(e *testscript.Env) error {
			agent, err := agenttest.Listen(agenttest.Config{})
			if err != nil {
				return err
			}
			e.Defer(func() { agent.Close() })
			e.Values["agent"] = agent
			e.Setenv("AGENT", agent.URL())
			e.Setenv("NO_COLOR", "")
			root, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			e.Setenv("ROOT", root)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"agent": agentCommand,
			"stamp": stamp,
			"code":  code,
		},
	})
}

// code runs a2alock and wants an exit code: code 2 check --fail-on never.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG…")
	}
	err := ts.Exec("a2alock", args[1:]...)
	got := 0
	if err != nil {
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &got); scanErr != nil {
			ts.Fatalf("a2alock %s: %v", strings.Join(args[1:], " "), err)
		}
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("a2alock %s: exit code %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

func agentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: agent card|merge|answer|asked VALUE")
	}
	agent := ts.Value("agent").(*agenttest.Agent)
	switch args[0] {
	case "card":
		card := strings.ReplaceAll(ts.ReadFile(args[1]), "http://agent.test", agent.URL())
		agent.SetCard([]byte(card))
	case "merge":
		agent.SetCard(agenttest.Merge(agent.Card(), args[1]))
	case "answer":
		req, err := http.NewRequest(http.MethodPut, agent.URL()+"/control/answer", strings.NewReader(args[1]))
		ts.Check(err)
		res, err := http.DefaultClient.Do(req)
		ts.Check(err)
		res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			ts.Fatalf("agent answer: %s", res.Status)
		}
	case "asked":
		n := 0
		for _, r := range agent.Requests() {
			if strings.HasPrefix(r.Path, "/.well-known/") {
				n++
			}
		}
		if fmt.Sprint(n) != args[1] {
			ts.Fatalf("the card was asked for %d times, want %s", n, args[1])
		}
	default:
		ts.Fatalf("agent %s: no such order", args[0])
	}
}

var (
	volatileTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	volatileDigest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
)

func stamp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: stamp FILE")
	}
	text := ts.ReadFile(args[0])
	text = strings.ReplaceAll(text, ts.Getenv("AGENT"), "http://agent.test")
	text = strings.ReplaceAll(text, strings.TrimPrefix(ts.Getenv("AGENT"), "http://"), "agent.test")
	text = volatileTime.ReplaceAllString(text, "2026-10-02T08:30:00Z")
	text = volatileDigest.ReplaceAllString(text, "sha256:…")
	name := ts.MkAbs(args[0])
	if args[0] == "stdout" || args[0] == "stderr" {
		name = ts.MkAbs("stamped")
	}
	ts.Check(os.WriteFile(name, []byte(text), 0o666))
}
