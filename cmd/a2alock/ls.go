package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/report"
)

// A listed lock is one row of ls.
type listed struct {
	Lock     string   `json:"lock"`
	Agent    string   `json:"agent"`
	Workflow string   `json:"workflow"`
	Owner    string   `json:"owner"`
	Skills   []string `json:"skills"`
	PinnedAt string   `json:"pinned_at"`
}

func newLs(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ls [LOCK…]",
		Short: "List the locks with agent, workflow, owner and age",
		Long: `ls lists the locks under the configured "locks", or those named, without asking any
agent. The age is the time since pinned_at.

Exit codes: 0 listed; 2 a lock is unreadable, or there is none.`,
		Example:           "  a2alock ls\n  a2alock ls services/booking --format json",
		ValidArgsFunction: completeLocks,
	}
	f := a.addFormat(c, "text", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if _, err := a.config(); err != nil {
			return err
		}
		locks, err := a.locks(args)
		if x, ok := errors.AsType[*exit](err); ok { // which is of a check
			x.hint = strings.TrimSuffix(x.hint, neverPasses)
		}
		if err != nil {
			return err
		}
		a.tellTwins(locks)
		rows := make([]listed, len(locks))
		for i, l := range locks {
			rows[i] = listed{l.Path, redact.URL(l.Agent), l.Workflow, l.Owner, l.RequiredSkills(), l.PinnedAt}
		}
		if f.value == "json" {
			return report.WriteJSON(a.stdout, rows)
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "LOCK\tAGENT\tWORKFLOW\tOWNER\tAGE")
		for _, r := range rows {
			cells := []string{r.Lock, r.Agent, orDash(r.Workflow), orDash(r.Owner), age(r.PinnedAt, time.Now())}
			for i := range cells {
				cells[i] = report.Excerpt(cells[i], 200)
			}
			fmt.Fprintln(w, strings.Join(cells, "\t"))
		}
		return w.Flush()
	}
	return c
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// age is how long ago a lock was pinned, in the largest whole unit.
func age(pinnedAt string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, pinnedAt)
	if err != nil {
		return "-"
	}
	switch d := now.Sub(at); {
	case d < 0:
		return "in the future" // another machine's clock, or a slip
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
