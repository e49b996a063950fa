package daemon

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/setup"
)

// canary is in every token, and in nothing that the daemon writes or says.
const canary = "canary-7c1f5e20"

// A journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Two partners of one agent of the official SDK, and the public, over each of its
// bindings: each is judged by what it is shown, and the end of one's token is
// nothing to the other.
func TestIdentities(t *testing.T) {
	for _, binding := range []a2a.TransportProtocol{"JSONRPC", "HTTP+JSON", "GRPC"} {
		t.Run(string(binding), func(t *testing.T) {
			const a, b = canary + "-of-a", canary + "-of-b"
			agent := agenttest.StartPartners(t, map[string]string{a: "alpha", b: "beta"})
			agent.SetCard(agent.Public(binding))
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "locks"), 0o700); err != nil {
				t.Fatal(err)
			}
			write := func(name, text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			origin := strings.TrimSuffix(agent.CardURL(), agenttest.WellKnown)
			at := strings.Replace(compile.Origin("GRPC", agent.GRPCAddr()), "https:", "http:", 1)
			t.Setenv("TOKEN_OF_A", a)
			write("b.token", b+"\n")
			write("a2alock.yaml", fmt.Sprintf(`
credentials:
  a: {origins: [%[1]q, %[2]q], bearer: {token: "${TOKEN_OF_A}"}}
  b: {origins: [%[1]q, %[2]q], bearer: {token_file: b.token}}
client:
  interfaces: [{binding: JSONRPC, version: "1.0"}, {binding: HTTP+JSON, version: "1.0"}, {binding: GRPC, version: "1.0"}]
  accepts: [text/plain]
  sends: [text/plain]
daemon: {schedule: "@every 1s", min_interval: 0s, host_gap: 0s}
`, origin, at))
			for identity, skill := range map[string]string{"a": "alpha", "b": "beta", "": "public"} {
				write("locks/of-"+skill+".a2a.lock.json", fmt.Sprintf(`{"workflow": %q, "agent": %q, "identity": %q, "requires": {"skills": {
					%q: {"input": ["text/plain"], "output": ["text/plain"]}}}}`, skill, agent.CardURL(), identity, skill))
			}
			load := func() (*setup.Setup, error) { return setup.Load(filepath.Join(dir, "a2alock.yaml")) }
			first, err := load()
			if err != nil {
				t.Fatal(err)
			}
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			log := &journal{}
			d := &Daemon{Setup: first, Version: "1.2.3", Listener: listener, Load: load, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- d.Run(ctx) }()
			base := "http://" + listener.Addr().String()
			for _, skill := range []string{"alpha", "beta", "public"} {
				get(t, base+"/v1/locks/of-"+skill+"/decision?skill="+skill, `"delegate": true`)
			}
			agent.SetTokens(map[string]string{b: "beta"})
			get(t, base+"/v1/locks/of-alpha", "auth-required")
			get(t, base+"/v1/locks/of-beta/decision?skill=beta", `"delegate": true`)
			get(t, base+"/v1/locks/of-public/decision?skill=public", `"delegate": true`)

			var said strings.Builder
			for _, path := range []string{"/v1/locks", "/v1/locks/of-alpha", "/v1/locks/of-alpha/history", "/v1/locks/of-beta/history", "/v1/locks/of-alpha/plan?skill=alpha", "/metrics"} {
				res, err := http.Get(base + path)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(&said, res.Body)
				res.Body.Close()
			}
			cancel()
			select {
			case err := <-done:
				if err != nil {
					t.Errorf("Run = %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("Run does not end")
			}
			said.WriteString(log.String())
			if !strings.Contains(log.String(), "auth-required") {
				t.Errorf("the log does not tell of the token: %s", log)
			}
			stored, err := os.ReadFile(first.Config.File(first.Config.Daemon.Store.BBolt))
			if err != nil || !bytes.Contains(stored, []byte("alpha")) {
				t.Fatalf("the store: %v", err)
			}
			said.Write(stored)
			if strings.Contains(said.String(), canary) {
				t.Error("a token is in what the daemon wrote or said")
			}
			for _, r := range agent.Requests() {
				auth := r.Header.Get("Authorization")
				if auth != "" && auth != "Bearer "+a && auth != "Bearer "+b {
					t.Errorf("%s %s arrived with %q", r.Method, r.Path, auth)
				}
			}
		})
	}
}
