package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/testdata"
)

// BenchmarkCheck is a check of many locks offline, from the command line to
// the JSON report, one recorded card a lock.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("%d-locks", n), func(b *testing.B) {
			dir := b.TempDir()
			locks, cards := filepath.Join(dir, "locks"), filepath.Join(dir, "cards")
			lock := pinned(b, dir)
			write := func(path string, data []byte) {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for _, d := range []string{locks, cards} {
				if err := os.Mkdir(d, 0o700); err != nil {
					b.Fatal(err)
				}
			}
			for i := range n {
				write(filepath.Join(locks, fmt.Sprintf("agent%d.a2a.lock.json", i)), lock)
				write(filepath.Join(cards, fmt.Sprintf("agent%d.json", i)), testdata.Card("pricing-3.json"))
			}
			b.ReportAllocs()
			for b.Loop() {
				e := &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
				if code := run(context.Background(), e, []string{"check", locks, "--cards", cards, "--format", "json"}); code != exitOK {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}

// pinned is a lock on the first of the recorded cards.
func pinned(b *testing.B, dir string) []byte {
	card := filepath.Join(dir, "card.json")
	if err := os.WriteFile(card, testdata.Card("pricing-1.json"), 0o600); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "one.a2a.lock.json")
	e := &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	args := []string{
		"pin", card, "--agent", "https://pricing.partner.example/.well-known/agent-card.json",
		"--skill", "itinerary-pricing", "-o", path,
	}
	if code := run(context.Background(), e, args); code != exitOK {
		b.Fatalf("exit code %d", code)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return data
}
