package main

import (
	"testing"

	"github.com/a2alock/a2alock/internal/manual"
)

func manualOf() *manual.Manual {
	return &manual.Manual{
		Root: newRoot(&env{}), Section: 1,
		Intro: "# The commands of a2alock\n\n" +
			"Made from the commands themselves by `make generate`; `a2alock help COMMAND` says the same. The man pages in\n" +
			"[man/](man) are made alike: `man docs/man/a2alock-pin.1`.\n\n",
	}
}

func TestDocsCommandLine(t *testing.T) { manualOf().Markdown(t, "../../docs/cli.md") }

func TestDocsManPages(t *testing.T) { manualOf().Pages(t, "../../docs/man") }

func TestHelpIsComplete(t *testing.T) { manualOf().Help(t) }

// An option arrives with the test that shows its effect.
func TestEveryFlagIsInAScript(t *testing.T) { manualOf().Scripts(t, "testdata/script", nil) }
