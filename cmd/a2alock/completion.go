package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that completion writes a script for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write a completion script for a shell",
		Long: `completion writes the script by which a shell completes a2alock's commands, flags,
rules and locks. SHELL is bash, zsh, fish or powershell. To load it in every new
session:

  bash        a2alock completion bash > /etc/bash_completion.d/a2alock
              (it needs the package bash-completion)
  zsh         a2alock completion zsh > "${fpath[1]}/_a2alock"
              (after: autoload -U compinit; compinit)
  fish        a2alock completion fish > ~/.config/fish/completions/a2alock.fish
  powershell  a2alock completion powershell >> $PROFILE`,
		Example:   "  source <(a2alock completion bash)",
		Args:      one("SHELL"),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			write := map[string]func(io.Writer) error{
				"bash":       func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
				"zsh":        root.GenZshCompletion,
				"fish":       func(w io.Writer) error { return root.GenFishCompletion(w, true) },
				"powershell": root.GenPowerShellCompletionWithDesc,
			}[args[0]]
			if write == nil {
				return usage(fmt.Errorf("%q: want %s or powershell", args[0], strings.Join(shells[:3], ", ")))
			}
			return write(a.stdout)
		},
	}
}
