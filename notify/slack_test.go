package notify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// Grouped messages say what each lock's owner has to know and do.
func TestDigest(t *testing.T) {
	d := &delivery{}
	add := func(lock string, class diff.Class, finds int) {
		l := &store.Lock{ID: lock, URL: "https://" + lock + ".example/card.json", Workflow: "trips", Owner: "team-" + lock}
		l.State.Verdict = verdict.Of(class)
		for i := range finds {
			l.State.Findings = append(l.State.Findings, diff.Finding{
				Rule: "streaming-lost", Class: class, Message: fmt.Sprintf("difference %d %s", i, strings.Repeat("x", 400)),
			})
		}
		tell := &telling{Telling: message.Telling{Row: store.Row{Lock: lock, Kind: verdict.Opened, Class: class}, Lock: l}}
		d.tellings = append(d.tellings, tell)
		d.messages = append(d.messages, message.Renderer{}.Message(&tell.Telling))
	}
	add("a", diff.Review, 1)
	add("b", diff.Breaking, 5)
	add("b", diff.Breaking, 0)
	m := (&slackSink{}).digest(d)
	if want := "breaking: 3 messages about 2 locks"; m.Title != want || m.Color != red {
		t.Errorf("title %q in %s, want %q", m.Title, m.Color, want)
	}
	first := strings.Split(m.List[0].Text, "\n")
	for i, want := range []string{
		"breaking: https://b.example/card.json for workflow trips", "verdict: breaking: new delegations are denied", "owner: team-b",
		"breaking streaming-lost: difference 0 x", "breaking streaming-lost: difference 1 x", "breaking streaming-lost: difference 2 x",
		"… 2 more findings", "a2alock check b",
	} {
		if i >= len(first) || !strings.HasPrefix(first[i], want) {
			t.Fatalf("line %d of\n%s\nwant %q", i, m.List[0].Text, want)
		}
	}
	for range digestMessages {
		add("c", diff.Breaking, 5)
	}
	for _, s := range (&slackSink{}).digest(d).List {
		if n := strings.Count(s.Text, "difference"); n > 1 || len(s.Text) > 1000 {
			t.Errorf("%d findings in %d bytes of a long list", n, len(s.Text))
		}
	}
}
