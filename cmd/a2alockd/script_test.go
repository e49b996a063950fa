package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// code runs a2alockd and wants an exit code: code 2 config check.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG…")
	}
	got := 0
	if err := ts.Exec("a2alockd", args[1:]...); err != nil {
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &got); scanErr != nil {
			ts.Fatalf("a2alockd %s: %v", strings.Join(args[1:], " "), err)
		}
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("a2alockd %s: exit code %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
	if text := ts.ReadFile("stderr"); strings.Contains(text, "goroutine ") {
		ts.Fatalf("a2alockd panicked:\n%s", text)
	}
}

func agentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: agent merge|answer JSON")
	}
	req, err := http.NewRequest(http.MethodPut, ts.Getenv("AGENT")+"/control/"+args[0], strings.NewReader(args[1]))
	ts.Check(err)
	res, err := api.Do(req)
	ts.Check(err)
	res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		ts.Fatalf("agent %s: %s", args[0], res.Status)
	}
}

// A world is what a script has to itself.
type world struct {
	hook   *hook
	daemon *process // the last that was started
}

func worldOf(ts *testscript.TestScript) *world { return ts.Value("world").(*world) }

func daemonOf(ts *testscript.TestScript) *process {
	p := worldOf(ts).daemon
	if p == nil {
		ts.Fatalf("no daemon was started")
	}
	return p
}

func daemonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: daemon start|signal|ended|says|log …")
	}
	if args[0] == "start" {
		startDaemon(ts, args[1:])
		return
	}
	p := daemonOf(ts)
	switch {
	case args[0] == "log" && len(args) == 1:
		fmt.Fprint(ts.Stdout(), p.log)
	case args[0] == "signal" && len(args) == 2:
		s, ok := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[1]]
		if !ok {
			ts.Fatalf("daemon signal %s: no such signal", args[1])
		}
		ts.Check(p.cmd.Process.Signal(s))
	case args[0] == "ended" && len(args) == 2:
		got, err := p.wait()
		ts.Check(err)
		if got != args[1] {
			ts.Fatalf("a2alockd ended with %s, want %s:\n%s", got, args[1], p.log)
		}
	case args[0] == "says" && len(args) == 2:
		_, err := p.says(regexp.MustCompile(args[1]))
		ts.Check(err)
	default:
		ts.Fatalf("daemon %s: no such order", strings.Join(args, " "))
	}
}

func startDaemon(ts *testscript.TestScript, args []string) {
	env := os.Environ()
	for _, name := range []string{"HOOK", "SECRET"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	for len(args) > 0 && strings.Contains(args[0], "=") && !strings.HasPrefix(args[0], "-") {
		env, args = append(env, args[0]), args[1:]
	}
	p, err := begin(ts.MkAbs("."), env, args...)
	ts.Check(err)
	ts.Defer(p.kill)
	ts.Check(p.up())
	worldOf(ts).daemon = p
	ts.Setenv("DAEMON", "http://"+p.addr)
	ts.Setenv("PID", strconv.Itoa(p.cmd.Process.Pid))
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: get PATH [CODE]")
	}
	request(ts, http.MethodGet, args[0], "", args[1:], http.StatusOK)
}

func post(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: post PATH JSON [CODE]")
	}
	request(ts, http.MethodPost, args[0], args[1], args[2:], http.StatusNoContent)
}

// request makes a request of the API, with $TOKEN, and wants the status code in
// code, else usual.
func request(ts *testscript.TestScript, method, path, body string, code []string, usual int) {
	want := strconv.Itoa(usual)
	if len(code) > 0 {
		want = code[0]
	}
	status, answer, err := daemonOf(ts).call(method, path, ts.Getenv("TOKEN"), body)
	ts.Check(err)
	if strconv.Itoa(status) != want {
		ts.Fatalf("%s %s: %d, want %s:\n%s", method, path, status, want, answer)
	}
	fmt.Fprint(ts.Stdout(), answer)
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] await PATH REGEXP")
	}
	want := regexp.MustCompile(args[1])
	var answer string
	err := poll(func() (err error) {
		_, answer, err = daemonOf(ts).call(http.MethodGet, args[0], ts.Getenv("TOKEN"), "")
		if err == nil && want.MatchString(answer) == neg {
			err = fmt.Errorf("%s matches %q: %v:\n%s", args[0], want, neg, answer)
		}
		return err
	})
	if err != nil {
		ts.Fatalf("%v\na2alockd logged\n%s", err, daemonOf(ts).log)
	}
	fmt.Fprint(ts.Stdout(), answer)
}

func hookCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: hook answer|wait|log …")
	}
	h := worldOf(ts).hook
	switch {
	case args[0] == "answer" && len(args) == 2:
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		h.answer(status)
	case args[0] == "wait" && len(args) == 2:
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		ts.Check(poll(func() error {
			had, faults := h.messages()
			switch {
			case len(faults) > 0:
				return fmt.Errorf("%w: %q", errFatal, faults)
			case len(had) < n:
				return fmt.Errorf("the hook had %d messages, want %d", len(had), n)
			}
			return nil
		}))
	case args[0] == "log" && len(args) == 1:
		had, _ := h.messages()
		for _, m := range had {
			fmt.Fprint(ts.Stdout(), m.request)
		}
	case args[0] == "bodies" && len(args) == 1:
		had, _ := h.messages()
		for _, m := range had {
			fmt.Fprintf(ts.Stdout(), "%s\n", m.body)
		}
		for _, p := range h.slack.Posts() {
			fmt.Fprintf(ts.Stdout(), "slack %s: %s\n", p.Method, p)
		}
	case args[0] == "asked" && len(args) == 1:
		ts.Check(poll(func() error {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.asked == "" {
				return errors.New("the hook was not asked for a card")
			}
			_, err := fmt.Fprint(ts.Stdout(), h.asked)
			return err
		}))
	case args[0] == "same" && len(args) == 1:
		had, _ := h.messages()
		for _, m := range had {
			if m.id != had[0].id {
				ts.Fatalf("the hook had messages %s and %s, want one", had[0].id, m.id)
			}
		}
	default:
		ts.Fatalf("hook %s: no such order", strings.Join(args, " "))
	}
}

func tokenCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: token NAME SCOPE FILE")
	}
	secret := "canary-" + rand.Text()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".secret"), []byte(secret), 0o600))
	line := fmt.Sprintf("%s %s %x\n", args[0], args[1], sha256.Sum256([]byte(secret)))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(line), 0o600))
	ts.Setenv("TOKEN", secret)
}

// damage overwrites every page but the first two, which name the file.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	from := 2 * os.Getpagesize()
	if len(data) <= from {
		ts.Fatalf("%s: %d bytes are no store", args[0], len(data))
	}
	copy(data[from:], bytes.Repeat([]byte("damage! "), len(data[from:])/8))
	ts.Check(os.WriteFile(name, data, 0o600))
}

func big(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: big FILE")
	}
	text := "daemon:\n  schedule: \"" + strings.Repeat("1,", 500_000) + "\"\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := strings.NewReplacer("$AGENT", ts.Getenv("AGENT"), "$HOOK", ts.Getenv("HOOK")).Replace(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// clean wants no secret in the last output: none that scripts call canary, none
// that messages are signed with, and none in base64 either.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: clean")
	}
	text := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	for _, part := range inBase64.FindAllString(text, -1) {
		if plain, err := base64.StdEncoding.DecodeString(part); err == nil {
			text += string(plain)
		}
	}
	for _, secret := range []string{"canary", strings.TrimPrefix(hookSecret, "whsec_")} {
		if at := strings.Index(text, secret); at >= 0 {
			ts.Fatalf("a secret shows: %q", text[max(0, at-100):min(len(text), at+50)])
		}
	}
}

// inBase64 is what may be a text in base64.
var inBase64 = regexp.MustCompile(`[A-Za-z0-9+/]{16,}={0,2}`)

func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonlines stdout|stderr")
	}
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("no JSON object: %q: %v", line, err)
		}
		n++
	}
	if n == 0 {
		ts.Fatalf("no lines")
	}
}
