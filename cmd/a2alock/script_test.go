package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/report"
)

// code runs a2alock and wants an exit code: code 2 check --fail-on never.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG…")
	}
	exited(ts, args[0], ts.Exec("a2alock", args[1:]...), args[1:])
	clean(ts, false, nil)
}

// exited wants the exit code that err of a run stands for.
func exited(ts *testscript.TestScript, want string, err error, args []string) {
	got := 0
	if err != nil {
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &got); scanErr != nil {
			ts.Fatalf("a2alock %s: %v", strings.Join(args, " "), err)
		}
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("a2alock %s: exit code %d, want %s", strings.Join(args, " "), got, want)
	}
}

// tty runs a2alock with every stream at the terminal that ttyin made, which
// the shell finds at /dev/tty. The exit code comes first, as for code.
func tty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: tty N ARG…")
	}
	line := []string{"-c", `exec a2alock "$@" >/dev/tty 2>/dev/tty`, "sh"}
	exited(ts, args[0], ts.Exec("sh", append(line, args[1:]...)...), args[1:])
}

// secret is how the secrets of scripts begin.
const secret = "canary-"

func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: clean")
	}
	for _, name := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(name)
		if fault := unclean(text); fault != "" {
			ts.Fatalf("%s: %s", name, fault)
		}
		if strings.Contains(text, secret) {
			ts.Fatalf("%s holds a secret: %s", name, text)
		}
	}
}

// ciCommand is what GitHub Actions, Azure Pipelines and TeamCity act on.
var ciCommand = regexp.MustCompile(`(?m)^\s*::|##[a-zA-Z]*\[`)

// unclean says what in output a terminal or a CI system would act on, or
// nobody would see; "" when there is nothing.
func unclean(text string) string {
	if at := ciCommand.FindStringIndex(text); at != nil {
		return fmt.Sprintf("a command to a CI system: %.60q", text[at[0]:])
	}
	for i, r := range text {
		around := text[max(0, i-20):min(len(text), i+20)]
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\ufffd"):
			return fmt.Sprintf("no UTF-8 in %q", around)
		case r == '\n':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r >= 0xe0000 && r < 0xe0080:
			return fmt.Sprintf("%U in %q", r, around)
		case card.IsHidden(r) && r != '\u200d' && r != '\ufe0f': // what an emoji is made of may stay
			return fmt.Sprintf("%U, which nobody sees, in %q", r, around)
		}
	}
	return ""
}

// jsonCommand wants standard output to be one JSON value, of the kind named, with
// no member that package report does not know. (Its own tests hold a report
// against the schema, which takes too long to load here.)
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	out := []byte(ts.ReadFile("stdout"))
	if neg || len(args) > 1 {
		ts.Fatalf("usage: json [report|validation|errors]")
	}
	if !json.Valid(out) {
		ts.Fatalf("stdout is no JSON: %.200q", out)
	}
	if len(args) == 0 {
		return
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	var ok bool
	switch args[0] {
	case "report":
		var r report.Report
		ts.Check(d.Decode(&r))
		ok = r.Status != "" && r.Locks != nil && r.Errors != nil
	case "validation":
		var v report.Validation
		ts.Check(d.Decode(&v))
		ok = v.State != "" && v.Findings != nil && v.Errors != nil
	case "errors":
		var e struct{ Errors []string }
		ts.Check(d.Decode(&e))
		ok = len(e.Errors) > 0
	}
	if !ok {
		ts.Fatalf("stdout is no %s: %.200q", args[0], out)
	}
}

func agentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: agent card|merge|answer|asked|wait VALUE")
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
		if n := asked(agent); strconv.Itoa(n) != args[1] {
			ts.Fatalf("the card was asked for %d times, want %s", n, args[1])
		}
	case "wait":
		for end := time.Now().Add(30 * time.Second); strconv.Itoa(asked(agent)) != args[1]; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				ts.Fatalf("the card was asked for %d times, want %s", asked(agent), args[1])
			}
		}
	default:
		ts.Fatalf("agent %s: no such order", args[0])
	}
}

// asked counts the requests for the agent's card.
func asked(agent *agenttest.Agent) int {
	n := 0
	for _, r := range agent.Requests() {
		if strings.HasPrefix(r.Path, "/.well-known/") {
			n++
		}
	}
	return n
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
	for _, host := range []struct{ env, name string }{{"AGENT", "agent.test"}, {"SITE", "site.test"}, {"PARTNER", "partner.test"}} {
		text = strings.ReplaceAll(text, strings.TrimPrefix(ts.Getenv(host.env), "http://"), host.name)
	}
	text = volatileTime.ReplaceAllString(text, "2026-10-02T08:30:00Z")
	text = volatileDigest.ReplaceAllString(text, "sha256:…")
	name := ts.MkAbs(args[0])
	if args[0] == "stdout" || args[0] == "stderr" {
		name = ts.MkAbs("stamped")
	}
	ts.Check(os.WriteFile(name, []byte(text), 0o666))
}

// escape is how a script's file writes a byte or a character that no text file
// holds.
var escape = regexp.MustCompile(`\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\r`)

func raw(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: raw FILE")
	}
	text := escape.ReplaceAllStringFunc(ts.ReadFile(args[0]), func(e string) string {
		s, err := strconv.Unquote(`"` + e + `"`)
		ts.Check(err)
		return s
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := strings.NewReplacer("$AGENT", ts.Getenv("AGENT"), "$SITE", ts.Getenv("SITE"), "$PARTNER", ts.Getenv("PARTNER")).Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

var pinnedAt = regexp.MustCompile(`"pinned_at": "[^"]*"`)

func backdate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: backdate FILE")
	}
	text := ts.ReadFile(args[0])
	if !pinnedAt.MatchString(text) {
		ts.Fatalf("%s has no pinned_at", args[0])
	}
	text = pinnedAt.ReplaceAllString(text, `"pinned_at": "2020-01-01T00:00:00Z"`)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

func digest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: digest")
	}
	d := volatileDigest.FindString(ts.ReadFile("stdout"))
	if d == "" {
		ts.Fatalf("no digest in stdout")
	}
	ts.Setenv("DIGEST", d)
}

func envfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: envfile NAME FILE")
	}
	ts.Setenv(args[0], strings.TrimSuffix(ts.ReadFile(args[1]), "\n"))
}
