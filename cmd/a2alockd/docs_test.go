package main

import (
	"io"
	"testing"

	"github.com/a2alock/a2alock/internal/manual"
)

func manualOf() *manual.Manual {
	return &manual.Manual{
		Root: newRoot(&app{stdout: io.Discard, stderr: io.Discard}), Section: 8, Also: []string{"a2alock (1)"},
		Intro: "# The commands of a2alockd\n\n" +
			"Made from the commands themselves by `make generate`; `a2alockd help COMMAND` says the same. The man pages in\n" +
			"[man/](man) are made alike: `man docs/man/a2alockd.8`. [daemon.md](daemon.md) says how to run it, and the commands\n" +
			"that talk to a running daemon are in [cli.md](cli.md).\n\n",
	}
}

func TestDocsCommandLine(t *testing.T) { manualOf().Markdown(t, "../../docs/a2alockd.md") }

func TestDocsManPages(t *testing.T) { manualOf().Pages(t, "../../docs/man") }

func TestHelpIsComplete(t *testing.T) { manualOf().Help(t) }

// An option arrives with the test that shows its effect.
func TestEveryFlagIsInAScript(t *testing.T) {
	manualOf().Scripts(t, "testdata/script", map[string]string{"run": "daemon start"})
}
