package agenttest

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// StartScript runs an agent of the official JavaScript SDK until t ends, and
// returns its base URL. It is as that of [StartPartners], at one binding, "JSONRPC"
// or "HTTP+JSON". Without Node.js, or the packages that js/package.json names, the
// test is skipped.
func StartScript(t testing.TB, binding string, tokens map[string]string) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(file), "js")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Skip("the JavaScript SDK is not there: npm ci --prefix internal/agenttest/js")
	}
	known, err := json.Marshal(tokens)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "agent.mjs")
	c.Dir, c.Stderr = dir, os.Stderr
	c.Env = append(os.Environ(), "TOKENS="+string(known), "BINDING="+binding)
	stdin, err := c.StdinPipe() // its end is the agent's
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("the agent: %v", err)
		}
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the agent does not say where it listens: %v", err)
	}
	return strings.TrimSpace(url)
}
