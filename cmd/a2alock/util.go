package main

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// completeLocks offers lock files in the shell.
func completeLocks(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{strings.TrimPrefix(lockfile.Suffix, ".")}, cobra.ShellCompDirectiveFilterFileExt
}

// refusalHint is the a2alock.yaml that would allow what was refused; "" for what
// no configuration allows, and for what a server's redirect led to.
func refusalHint(r *netguard.Refused) string {
	if r.Redirected || r.Host == "" {
		return ""
	}
	switch target := net.JoinHostPort(r.Host, strconv.Itoa(int(r.Port))); r.Kind {
	case netguard.KindAddress:
		return fmt.Sprintf("if you mean it, allow it in a2alock.yaml: network: {allow: [%q]}", target)
	case netguard.KindPlain:
		return fmt.Sprintf("if you mean it, allow it in a2alock.yaml: network: {http: [%q]}", r.Host)
	}
	return ""
}
