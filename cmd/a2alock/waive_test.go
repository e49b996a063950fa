package main

import (
	"encoding/json"

	"github.com/rogpeppe/go-internal/testscript"
)

// fingerprintCommand puts the fingerprint of a rule's finding, in the JSON
// report that was just printed, into $RULE_ID.
func fingerprintCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fingerprint RULE")
	}
	var r struct {
		Locks []struct {
			Findings []struct{ Rule, Fingerprint string }
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &r))
	for _, l := range r.Locks {
		for _, f := range l.Findings {
			if f.Rule == args[0] {
				ts.Setenv("RULE_ID", f.Fingerprint)
				return
			}
		}
	}
	ts.Fatalf("no finding of %s in the report", args[0])
}
