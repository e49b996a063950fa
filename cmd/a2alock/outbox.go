package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/report"
)

func newOutbox(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "outbox COMMAND",
		Short: "See and settle the messages that the daemon sends",
		Long: `outbox works with the running a2alockd. Every message is kept with what became of it:
waiting, delivered, superseded or dead, and why.`,
		Example: `  a2alock outbox list --state dead
  a2alock outbox retry rbx4a5cmmfrxe3gjs3s2mqbwhe
  a2alock outbox drop rbx4a5cmmfrxe3gjs3s2mqbwhe`,
	}
	r := a.addRemote(c)
	return group(c,
		r.newOutboxList(),
		r.newOutboxChange(outboxChange{
			name: "retry", method: http.MethodPost, path: "/retry",
			short: "Send a message now, one that was given up too",
			long: `retry sends one message now: one that waits for its next try, or that was given up. It
counts as a try, and where it fails the next one may come later than it would have.`,
			said: "asked for; see a2alock outbox list --state all",
		}),
		r.newOutboxChange(outboxChange{
			name: "drop", method: http.MethodDelete,
			short: "Give a message up that waits",
			long: `drop gives one message up: it is dead, and its receiver never hears of it, unless a2alock
outbox retry sends it after all.`,
			said: "dropped; a2alock outbox retry %s sends it after all",
		}),
	)
}

func (r *remote) newOutboxList() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List messages",
		Long: `list prints messages in the order in which they were decided, those of a state or a sink
where one is named.

Exit codes: 0 listed; 2 the command line, the config or the token is wrong; 3 the
daemon does not answer.`,
		Example: "  a2alock outbox list --state dead\n  a2alock outbox list --sink ops --format json",
		Args:    none,
	}
	var state, sink string
	states := []string{"waiting", "delivered", "superseded", "dead", "all"}
	c.Flags().StringVar(&state, "state", "waiting", "waiting, delivered, superseded, dead, or all")
	completeWith(c, "state", states)
	c.Flags().StringVar(&sink, "sink", "", "only those for this `SINK`")
	f := r.addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case !slices.Contains(states, state):
			return misuse(c, "--state %q: want %s", state, alternatives(states))
		case state == "all":
			state = ""
		}
		return r.listOutbox(c, url.Values{"state": {state}, "sink": {sink}}, f.value)
	}
	return c
}

// A sending is a message of the outbox.
type sending struct {
	ID, State, Sink, Kind, Class, Lock, Reason string

	Attempts int
	DueAt    time.Time `json:"due_at"`
}

func (r *remote) listOutbox(c *cobra.Command, q url.Values, format string) error {
	list, err := r.all(c.Context(), "/v1/outbox", "messages", q)
	if err != nil {
		return err
	}
	if format == "json" {
		return report.WriteJSON(r.stdout, map[string]any{"messages": list})
	}
	if len(list) == 0 {
		r.say("there is no such message; --state all lists every one, of every sink without --sink")
	}
	return rows(r, "ID\tSTATE\tSINK\tKIND\tCLASS\tLOCK\tDUE\tTRIES\tREASON", list, func(m sending) []string {
		return []string{m.ID, m.State, m.Sink, m.Kind, m.Class, orDash(m.Lock), clock(&m.DueAt), fmt.Sprint(m.Attempts), m.Reason}
	})
}

// An outboxChange is what a command does to a message.
type outboxChange struct{ name, method, path, short, long, said string }

func (r *remote) newOutboxChange(o outboxChange) *cobra.Command {
	return &cobra.Command{
		Use:   o.name + " ID",
		Short: o.short,
		Long: o.long + `

ID is the one that outbox list shows. The receiver knows the message by its webhook_id,
which is the same unless it went out together with others.

Exit codes: 0 done; 1 there is no such message, or it has ended otherwise; 2 the command
line, the config or the token is wrong; 3 the daemon does not answer.`,
		Example: "  a2alock outbox " + o.name + " rbx4a5cmmfrxe3gjs3s2mqbwhe",
		Args:    one("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := r.call(c.Context(), o.method, "/v1/outbox/"+url.PathEscape(args[0])+o.path, nil, nil); err != nil {
				return err
			}
			r.say("%s", strings.ReplaceAll(o.said, "%s", args[0]))
			return nil
		},
	}
}
