package main

import (
	"fmt"
	"net/http"
	"net/url"
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
		r.newOutboxChange("retry", http.MethodPost, "/retry", "Send a message now, one that was given up too"),
		r.newOutboxChange("drop", http.MethodDelete, "", "Give a message up that waits"),
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
	c.Flags().StringVar(&state, "state", "waiting", "waiting, delivered, superseded, dead, or all")
	completeWith(c, "state", []string{"waiting", "delivered", "superseded", "dead", "all"})
	c.Flags().StringVar(&sink, "sink", "", "only those for this `SINK`")
	f := r.addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if state == "all" {
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
	return rows(r, "ID\tSTATE\tSINK\tKIND\tCLASS\tLOCK\tDUE\tTRIES\tREASON", list, func(m sending) []string {
		return []string{m.ID, m.State, m.Sink, m.Kind, m.Class, orDash(m.Lock), clock(&m.DueAt), fmt.Sprint(m.Attempts), m.Reason}
	})
}

func (r *remote) newOutboxChange(name, method, path, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " ID",
		Short: short,
		Long: name + ` settles one message by the id that outbox list shows. Its receiver knows it by its
webhook_id, which is the same unless it went out together with others.

Exit codes: 0 done; 1 there is no such message, or it has ended otherwise; 2 the command
line, the config or the token is wrong; 3 the daemon does not answer.`,
		Example: "  a2alock outbox " + name + " rbx4a5cmmfrxe3gjs3s2mqbwhe",
		Args:    one("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			_, err := r.call(c.Context(), method, "/v1/outbox/"+url.PathEscape(args[0])+path, nil, nil)
			if err == nil && method == http.MethodPost {
				r.say("asked for; see a2alock outbox list --state all")
			}
			return err
		},
	}
}
