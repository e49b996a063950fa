package main

import (
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// gitEnvironment has the git of a script make the same commits on every
// machine.
var gitEnvironment = [][2]string{
	{"GIT_CONFIG_GLOBAL", os.DevNull},
	{"GIT_CONFIG_NOSYSTEM", "1"},
	// What git tidies in the background would outlive the script.
	{"GIT_CONFIG_COUNT", "1"},
	{"GIT_CONFIG_KEY_0", "maintenance.auto"},
	{"GIT_CONFIG_VALUE_0", "false"},
	{"GIT_AUTHOR_NAME", "ann"},
	{"GIT_AUTHOR_EMAIL", "ann@example.com"},
	{"GIT_AUTHOR_DATE", "2026-10-02T08:30:00Z"},
	{"GIT_COMMITTER_NAME", "ann"},
	{"GIT_COMMITTER_EMAIL", "ann@example.com"},
	{"GIT_COMMITTER_DATE", "2026-10-02T08:30:00Z"},
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s: there is no %q in it", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}
