package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each block of the README that begins with ```console is what a reader sees
// who types its commands in the project's folder.
func TestReadmeTranscript(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```console\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("README.md has no ```console block")
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "\n```")
		for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			args, ok := strings.CutPrefix(command, "a2alock ")
			if !ok {
				t.Errorf("%q: the transcript runs a2alock alone", command)
				continue
			}
			var out bytes.Buffer
			run(t.Context(), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &out}, strings.Fields(args))
			if got := strings.TrimSpace(out.String()); got != strings.TrimSpace(want) {
				t.Errorf("$ %s (-want +got):\n%s", command, cmp.Diff(strings.TrimSpace(want), got))
			}
		}
	}
}
