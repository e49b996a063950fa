// Command travel tells a2alock's story in one run, with no set-up:
//
//	go run ./examples/travel
//
// A travel workflow delegates pricing to a remote agent. The agent runs on
// loopback, is pinned into a temporary folder, and then goes through four
// releases; after each, the lock says what the release means for the workflow.
// Then the daemon watches: it answers whether to delegate, and tells what Slack
// would receive. Its API stays open until Ctrl-C; -once ends after the story.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/report"
)

// A release is one version of the agent's card and what the story says of it.
type release struct{ card, title string }

var releases = []release{
	{"pricing-2.json", "Release 1: the texts are rewritten, the members stand in another order."},
	{"pricing-3.json", "Release 2: version 3.3.0, with an optional extension."},
	{"pricing-4.json", "Release 3: itinerary-pricing answers in another media type."},
	{"pricing-5.json", "Release 4: streaming is withdrawn."},
}

func main() {
	once := flag.Bool("once", false, "end after the story")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := tell(ctx, os.Stdout, !*once); err != nil {
		fmt.Fprintln(os.Stderr, "travel:", err)
		os.Exit(1)
	}
}

// tell runs the story from beginning to end, and with stay goes on watching
// until ctx ends.
func tell(ctx context.Context, w io.Writer, stay bool) error {
	agent, err := startAgent()
	if err != nil {
		return err
	}
	defer agent.close()
	dir, err := os.MkdirTemp("", "a2alock-travel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	s := &story{agent: agent, dir: dir, config: config.Default()}
	fmt.Fprintf(w, "A pricing agent answers at %s.\nThe travel workflow pins what it needs of it:\n\n", agent.url)
	path, err := s.pin(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  a2alock pin %s --skill itinerary-pricing --streaming \\\n    --workflow travel --owner team-travel\n  wrote %s\n", agent.url, path)
	for _, r := range releases {
		agent.release(r.card)
		fmt.Fprintf(w, "\n%s\n\n  a2alock check %s\n\n", r.title, path)
		if err := s.check(ctx, w, path); err != nil {
			return err
		}
	}
	agent.release("pricing-1.json")
	return s.watch(ctx, w, stay)
}

// A story is the workflow's side: its config and its folder of locks.
type story struct {
	agent  *agent
	dir    string
	config *config.Config
}

// pin does what `a2alock pin` does: fetch, compile, write the lock.
func (s *story) pin(ctx context.Context) (string, error) {
	res, err := s.fetcher().Discover(ctx, s.agent.url, "")
	if err != nil {
		return "", err
	}
	read := compile.Read(res.Body, &s.config.Client, card.Options{})
	if read.Err != nil {
		return "", read.Err
	}
	lock, _, err := lockfile.Pin(read.Profile, &s.config.Client, lockfile.PinOptions{
		Skills:     []string{"itinerary-pricing"},
		Streaming:  true,
		Workflow:   "travel",
		Owner:      "team-travel",
		Agent:      res.Final,
		CardDigest: read.Digest,
		At:         time.Now().UTC(),
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, lockfile.FileName(read.Profile, []string{"itinerary-pricing"}))
	return path, lock.WriteFile(path)
}

// check does what `a2alock check` does: read the lock, fetch, judge, report.
func (s *story) check(ctx context.Context, w io.Writer, path string) error {
	lock, err := lockfile.Read(path)
	if err != nil {
		return err
	}
	res, err := s.fetcher().Get(ctx, fetch.Ask{URL: lock.Agent})
	if err != nil {
		return err
	}
	lock.Path = filepath.Base(path) // the temporary folder is of no interest
	result := diff.Judge(lock, compile.Read(res.Body, &s.config.Client, card.Options{}), diff.Comparison{
		Client: &s.config.Client,
		Seen:   diff.Seen{URL: res.Final, Offsite: res.Offsite},
		At:     time.Now(),
	})
	return report.New([]*diff.Result{result}, diff.Breaking, nil).Text(w, report.TextOptions{})
}

func (s *story) fetcher() *fetch.Client {
	return &fetch.Client{Guard: &netguard.Guard{}, Timeout: s.config.Limits.Timeout}
}
