package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

var (
	volatile = regexp.MustCompile(`sha256:[0-9a-f]{64}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	loopback = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	folder   = regexp.MustCompile(`/\S*a2alock-travel-\d+`)
	moments  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC|after \d+ s`)
)

// The story ends as it is told: compatible, review, breaking, breaking.
func TestStory(t *testing.T) {
	var out bytes.Buffer
	if err := tell(t.Context(), &out, false); err != nil {
		t.Fatal(err)
	}
	text := loopback.ReplaceAllString(out.String(), "http://127.0.0.1:PORT")
	text = folder.ReplaceAllString(text, "TMP")
	text = moments.ReplaceAllString(text, "MOMENT")
	golden.Equal(t, "testdata/story.golden", []byte(text))
	var verdicts []string
	for line := range strings.Lines(text) {
		if v, ok := strings.CutSuffix(line, ": 1 of 1 lock (fails on breaking)\n"); ok {
			verdicts = append(verdicts, v)
		}
	}
	if got := strings.Join(verdicts, " "); got != "compatible review breaking breaking" {
		t.Errorf("verdicts of the four releases: %s", got)
	}
}

// The story's lock and the one in locks/, which the README shows, are the same
// but for addresses, digests and time.
func TestStoryLockIsTheCommittedOne(t *testing.T) {
	agent, err := startAgent()
	if err != nil {
		t.Fatal(err)
	}
	defer agent.close()
	s := &story{agent: agent, dir: t.TempDir(), config: config.Default()}
	path, err := s.pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "locks", "itinerary-pricing.a2a.lock.json")
	if _, err := lockfile.Read(committed); err != nil {
		t.Error(err)
	}
	got := strings.ReplaceAll(constant(t, path), agent.url, origin)
	if want := constant(t, committed); got != want {
		t.Errorf("%s is another lock than the story's (-story +committed):\n%s", committed, cmp.Diff(got, want))
	}
}

func constant(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return volatile.ReplaceAllString(string(data), "VOLATILE")
}
