package main

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/agenttest"
)

// Two identities see different skills of an agent of the official SDK, over
// whichever binding the client speaks.
func TestIdentitiesOfTheSDK(t *testing.T) {
	for _, binding := range []a2a.TransportProtocol{"JSONRPC", "HTTP+JSON", "GRPC"} {
		t.Run(string(binding), func(t *testing.T) {
			agent := agenttest.StartPartners(t, map[string]string{secret + "alice": "quote", secret + "bob": "refund"})
			public := agent.Public(binding)
			agent.SetCard(public)
			origins := `"` + strings.TrimSuffix(agent.CardURL(), agenttest.WellKnown) + `"`
			if binding == "GRPC" {
				c, err := card.Parse(public, card.Options{})
				if err != nil {
					t.Fatal(err)
				}
				origins += `, "http://` + c.Interfaces[0].URL + `"`
			}
			t.Chdir(t.TempDir())
			t.Setenv("ALICE", secret+"alice")
			writeFile(t, "bob", []byte(secret+"bob\n"))
			writeFile(t, "a2alock.yaml", []byte(`
client: {interfaces: [{binding: `+string(binding)+`, version: "1.0"}]}
credentials:
  alice: {origins: [`+origins+`], bearer: {token: "${ALICE}"}}
  bob: {origins: [`+origins+`], bearer: {token_file: bob}}
`))
			shows(t, exitOK, "public", "compile", agent.CardURL(), "--for-model")
			shows(t, exitOK, "quote", "compile", agent.CardURL(), "--for-model", "--identity", "alice")
			shows(t, exitOK, "refund", "compile", agent.CardURL(), "--for-model", "--identity", "bob")
			shows(t, exitOK, "", "pin", agent.CardURL(), "--identity", "alice", "--skill", "quote", "-o", "alice.a2a.lock.json")
			shows(t, exitOK, "", "pin", agent.CardURL(), "--identity", "bob", "--skill", "refund", "-o", "bob.a2a.lock.json")
			shows(t, exitOK, "2 locks", "check")
			shows(t, exitOK, "planned  quote", "plan", "alice.a2a.lock.json", "--skill", "quote")
			shows(t, exitOK, "0 errors", "validate", agent.CardURL(), "--identity", "alice")

			agent.SetTokens(map[string]string{secret + "alice": "refund"})
			shows(t, exitFail, "skill-removed", "check", "alice.a2a.lock.json")
			shows(t, exitUndecided, "auth-required", "check", "bob.a2a.lock.json")
		})
	}
}

// The same of an agent of the official JavaScript SDK.
func TestIdentitiesOfTheJavaScriptSDK(t *testing.T) {
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		t.Run(binding, func(t *testing.T) {
			agent := agenttest.StartScript(t, binding, map[string]string{secret + "alice": "quote", secret + "bob": "refund"})
			t.Chdir(t.TempDir())
			t.Setenv("ALICE", secret+"alice")
			t.Setenv("BOB", secret+"bob")
			t.Setenv("EVE", secret+"eve")
			writeFile(t, "a2alock.yaml", []byte(`
credentials:
  alice: {origins: ["`+agent+`"], bearer: {token: "${ALICE}"}}
  bob: {origins: ["`+agent+`"], bearer: {token: "${BOB}"}}
  eve: {origins: ["`+agent+`"], bearer: {token: "${EVE}"}}
`))
			shows(t, exitOK, "public", "compile", agent, "--for-model")
			shows(t, exitOK, "", "pin", agent, "--identity", "alice", "--skill", "quote", "-o", "alice.a2a.lock.json")
			shows(t, exitOK, "", "pin", agent, "--identity", "bob", "--skill", "refund", "-o", "bob.a2a.lock.json")
			shows(t, exitOK, "2 locks", "check")
			shows(t, exitFail, "skill-removed", "check", "alice.a2a.lock.json", "--identity", "bob")
			shows(t, exitUndecided, "auth-required", "check", "alice.a2a.lock.json", "--identity", "eve")
			shows(t, exitOK, "0 errors", "validate", agent, "--identity", "alice")
		})
	}
}

// shows runs a2alock, and wants the code, and the text in the result, which
// holds no secret.
func shows(t *testing.T, want int, text string, args ...string) {
	t.Helper()
	code, out := typed(t, args...)
	if code != want || !strings.Contains(out, text) {
		t.Errorf("a2alock %q: exit code %d, want %d; %q is looked for in %s", args, code, want, text, out)
	}
}
