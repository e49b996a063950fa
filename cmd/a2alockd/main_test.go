package main

import (
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2alock/a2alock/internal/agenttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"a2alockd": tethered})
}

// tether, where it is set, has the test binary that runs as a2alockd end when
// its standard input does: a test that is killed leaves no daemon behind.
const tether = "A2ALOCKD_TEST_TETHER"

func tethered() {
	if os.Getenv(tether) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(99)
		}()
	}
	main()
}

// TestScripts runs testdata/script: what operators type, with a real agent at
// $AGENT and a receiver of messages at $HOOK, which is a
// Slack too, that each script has to itself.
//
//	agent merge JSON          JSON is laid over the card (RFC 7396)
//	agent answer JSON         how the card is served from now on: {"status": 503, …}
//	daemon start [NAME=VALUE…] [ARG…]
//	                          a2alockd run ARG…, until it is up; its API is at $DAEMON, and
//	                          its process $PID
//	daemon signal NAME        it is sent HUP, TERM or KILL
//	daemon ended CODE         it ends with CODE, or with the signal CODE
//	daemon says REGEXP        goes on once a line of its log matches
//	daemon log                what it has logged so far becomes the standard output
//	get PATH [CODE]           what $DAEMON/PATH answers becomes the standard output
//	post PATH JSON [CODE]     the same for a POST
//	await PATH REGEXP         goes on once what $DAEMON/PATH answers matches; with
//	                          ! before it, once it does not
//	hook answer CODE          how the receiver answers; 0: never
//	hook wait N               goes on once it has had N messages, all of them signed
//	hook same                 all of them are one message, by their ids
//	hook log                  what it was sent becomes the standard output
//	hook bodies               the same, without the headers, and what Slack was sent
//	hook asked                goes on once it was asked for a card; with what becomes the
//	                          standard output
//	token NAME SCOPE FILE     FILE gets a token, and NAME.secret the token itself
//	damage FILE               a page in the middle of FILE is overwritten
//	big FILE                  FILE is a configuration with a schedule of a megabyte
//	expand FILE               FILE with $AGENT and $HOOK in it replaced
//	clean                     no secret is in the last output
//	jsonlines STREAM          each line of STREAM, stdout or stderr, is a JSON object
//	code N ARG…               a2alockd ends with exit code N
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") == "1",
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"agent":     agentCommand,
			"daemon":    daemonCommand,
			"get":       get,
			"post":      post,
			"await":     await,
			"hook":      hookCommand,
			"token":     tokenCommand,
			"damage":    damage,
			"big":       big,
			"expand":    expand,
			"clean":     clean,
			"jsonlines": jsonLines,
			"code":      code,
		},
	})
}

func setUp(e *testscript.Env) error {
	agent, err := agenttest.Listen(agenttest.Config{})
	if err != nil {
		return err
	}
	e.Defer(func() { agent.Close() })
	hook := newHook()
	e.Defer(hook.close)
	e.Values["world"] = &world{hook: hook}
	e.Setenv("AGENT", agent.URL())
	e.Setenv("HOOK", hook.server.URL)
	e.Setenv("SECRET", hookSecret)
	return nil
}
