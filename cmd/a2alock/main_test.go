package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2alock/a2alock/internal/agenttest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"a2alock": main})
}

// slow is whether the test binary was built with the race detector: run as
// a2alock, a thousand times over, it takes minutes.
var slow bool

// plain is a folder with an a2alock of its own, for the scripts to run in place
// of a slow test binary; "" where that need not be or cannot be built.
func plain(t *testing.T) string {
	if _, err := exec.LookPath("go"); err != nil || !slow {
		return ""
	}
	dir := t.TempDir()
	// Without the commit, as the test binary is.
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", dir+string(filepath.Separator), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Logf("the scripts run the test binary, which is slow: building a2alock: %v\n%s", err, out)
		return ""
	}
	return dir
}

// TestScripts runs testdata/script: what users type, against a real agent at
// $AGENT that each script has to itself, and a site of files at $SITE.
// Cards that depend on the caller are at $PARTNER.
//
//	agent card FILE      the agent publishes FILE, http://agent.test in it being itself
//	agent merge JSON     JSON is laid over the card (RFC 7396)
//	agent answer JSON    how the card is served from now on: {"status": 503, …}
//	agent asked N        the card was asked for N times so far
//	agent wait N         goes on once it was
//	site PATH FILE       FILE is at $SITE/PATH, http://site.test in it being the site
//	site PATH CODE [URL] $SITE/PATH answers CODE, with URL as its Location
//	site asked [PATH]…   what was asked of the site since the last time, in order
//	partner public FILE  FILE is the public card at $PARTNER/card.json, http://partner.test in it being the partner
//	partner shows WHO FILE|CODE the extended card for the token WHO (none: without one; any: every other) is FILE, or CODE
//	partner hides WHO    such calls are answered 401 again
//	partner forget       what it was asked so far
//	partner saw [PATH=WHO]… what was asked of the partner since the last time, in order, and by whom
//	stamp FILE           FILE with its times, digests and ports made constant
//	backdate FILE        the lock FILE was pinned in 2020
//	digest               $DIGEST is the first digest of the last standard output
//	envfile NAME FILE    $NAME is the text of FILE, without its last line break
//	expand FILE          FILE with $AGENT, $SITE and $PARTNER in it replaced
//	edit FILE OLD NEW    FILE with NEW in place of the first OLD in it
//	raw FILE             FILE with its escapes (\x1b, \u202e) made real
//	code N ARG…          a2alock ends with exit code N, and its output is clean and holds no secret ("canary-…")
//	clean                the last output holds nothing that a terminal or CI acts on
//	json [KIND]          the last standard output is one JSON value: any, a report, a validation, or errors alone
//	fingerprint RULE     $RULE_ID becomes the fingerprint in the JSON report just printed
//	daemon FILE          a2alockd runs by the config FILE, in which 127.0.0.1:8437 becomes its address, and $DAEMON its URL
//	daemon reload        the daemon reads its config again, as at SIGHUP
//	daemon wait PATH TEXT goes on once what the daemon answers at PATH holds TEXT
//	tty N ARG…           a2alock with all its streams at the terminal of ttyin ends with N
func TestScripts(t *testing.T) {
	bin := plain(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") == "1",
		Setup: func(e *testscript.Env) error {
			if bin != "" {
				e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			}
			return setUp(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"agent":    agentCommand,
			"site":     siteCommand,
			"partner":  partnerCommand,
			"stamp":    stamp,
			"backdate": backdate,
			"digest":   digest,
			"envfile":  envfile,
			"expand":   expand,
			"edit":     edit,
			"raw":      raw,
			"code":     code,
			"clean":    clean,
			"json":     jsonCommand,
			"tty":      tty,
			"daemon":   daemonCommand,

			"fingerprint": fingerprintCommand,
		},
	})
}

func setUp(e *testscript.Env) error {
	agent, err := agenttest.Listen(agenttest.Config{})
	if err != nil {
		return err
	}
	e.Defer(func() { agent.Close() })
	e.Values["agent"] = agent
	e.Values["daemon"] = new(running)
	e.Setenv("AGENT", agent.URL())
	site := newSite()
	e.Defer(site.Close)
	e.Values["site"] = site
	e.Setenv("SITE", site.URL)
	partner := newPartner()
	e.Defer(partner.Close)
	e.Values["partner"] = partner
	e.Setenv("PARTNER", partner.URL)
	e.Setenv("SOON", time.Now().AddDate(0, 0, 30).Format(time.DateOnly))
	for _, v := range gitEnvironment {
		e.Setenv(v[0], v[1])
	}
	e.Setenv("NO_COLOR", "")
	e.Setenv("TERM", "xterm")
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	e.Setenv("ROOT", root)
	return nil
}
