package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/internal/setup"
)

// Of a daemon in a hurry: a story does not wait for a day.
const hurried = `
network: {http: [127.0.0.1]}
locks: [locks]
daemon:
  schedule: "@every 1s"
  confirm_after: 200ms
  min_stable: 500ms
  host_gap: 0s
  public_url: %[1]s
notify:
  sinks:
    travel: {slack: {webhook_url: %[2]s}}
  routes:
    - {sinks: [travel]}
`

// maxWait is how long the story waits for a message at most.
const maxWait = time.Minute

// A channel stands where Slack would: it keeps what it is sent.
type channel struct {
	url    string
	posts  chan string
	server *http.Server
}

func startChannel() (*channel, error) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &channel{url: "http://" + lis.Addr().String() + "/services/T0/B0/hook", posts: make(chan string, 16)}
	c.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err == nil {
			c.posts <- plain(body)
		}
		fmt.Fprint(w, "ok")
	})}
	go c.server.Serve(lis)
	return c, nil
}

func (c *channel) close() { c.server.Shutdown(context.Background()) }

// plain is the text of a Slack message, without its layout.
func plain(body []byte) string {
	var doc any
	if json.Unmarshal(body, &doc) != nil {
		return string(body)
	}
	var lines []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if text, ok := v["text"].(string); ok && v["type"] != nil {
				lines = append(lines, text)
			}
			for _, name := range []string{"blocks", "attachments", "text", "fields", "elements"} {
				if _, isText := v[name].(string); !isText {
					walk(v[name])
				}
			}
		}
	}
	walk(doc)
	return strings.Join(lines, "\n")
}

// watch tells the second half of the story: the daemon beside the
// orchestrators. With stay it goes on until ctx ends.
func (s *story) watch(ctx context.Context, w io.Writer, stay bool) error {
	c, err := startChannel()
	if err != nil {
		return err
	}
	defer c.close()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	api := "http://" + lis.Addr().String()
	cfg := config.Default()
	if err := cfg.Parse(fmt.Appendf(nil, hurried, api, c.url), filepath.Join(s.dir, config.Name)); err != nil {
		return err
	}
	running, end := context.WithCancel(ctx)
	defer end()
	up, over := make(chan struct{}), make(chan error, 1)
	d := &daemon.Daemon{
		Setup: &setup.Setup{Config: cfg, Policy: diff.Policy{}}, Version: "example", Listener: lis,
		Started: func(net.Addr) { close(up) },
	}
	go func() { over <- d.Run(running) }()
	select {
	case <-up:
	case err := <-over:
		return err
	}
	if err := s.watched(ctx, w, c, api); err != nil {
		return err
	}
	if stay {
		fmt.Fprintf(w, "\nThe daemon goes on until Ctrl-C. Ask it:\n\n"+
			"  curl %[1]s/v1/locks\n  curl '%[1]s/v1/locks/itinerary-pricing/decision?skill=itinerary-pricing'\n"+
			"  curl %[1]s/metrics\n", api)
		<-ctx.Done()
	}
	end()
	return <-over
}

// watched is what happens while the daemon runs.
func (s *story) watched(ctx context.Context, w io.Writer, c *channel, api string) error {
	ask := api + "/v1/locks/itinerary-pricing/decision?skill=itinerary-pricing"
	fmt.Fprintf(w, "\nThe daemon takes over: a2alockd looks every second, beside the orchestrators.\nThe agent is back at what was pinned. May the workflow delegate?\n\n  curl '%s'\n\n", ask)
	if err := decision(ctx, w, ask, "compatible"); err != nil {
		return err
	}
	s.agent.release("pricing-5.json")
	fmt.Fprintf(w, "\nStreaming is withdrawn again. The daemon looks twice, and then Slack receives:\n\n")
	if err := c.show(ctx, w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n  curl '%s'\n\n", ask)
	if err := decision(ctx, w, ask, "breaking"); err != nil {
		return err
	}
	s.agent.release("pricing-1.json")
	fmt.Fprintf(w, "\nThe agent's owner takes it back, and it stays so for a while:\n\n")
	return c.show(ctx, w)
}

// show prints the next message.
func (c *channel) show(ctx context.Context, w io.Writer) error {
	select {
	case text := <-c.posts:
		for line := range strings.Lines(text + "\n") {
			fmt.Fprint(w, "  | "+line)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(maxWait):
		return fmt.Errorf("no message came within %s", maxWait)
	}
}

// decision prints the answer in short, once the class is the one expected.
func decision(ctx context.Context, w io.Writer, ask, class string) error {
	for begun := time.Now(); time.Since(begun) < maxWait; {
		var d struct {
			Delegate  bool
			Degraded  bool
			Class     string
			Freshness string
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, ask, nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		err = json.NewDecoder(res.Body).Decode(&d)
		res.Body.Close()
		if err != nil {
			return err
		}
		if d.Class == class {
			_, err := fmt.Fprintf(w, "  {\"delegate\": %v, \"degraded\": %v, \"class\": %q, \"freshness\": %q, …}\n",
				d.Delegate, d.Degraded, d.Class, d.Freshness)
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s: no %s within %s", ask, class, maxWait)
}
