package watched

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/internal/lockset"
)

// most is how many broken locks one message names.
const most = 10

// Broken tells of the locks that have just broken, in one message.
func (n *News) Broken(ctx context.Context, files []*lockset.File) {
	news := map[string]string{}
	var over, lines []string
	is := map[string]bool{}
	for _, f := range files {
		if is[f.ID] = f.Broken != nil; !is[f.ID] {
			continue
		}
		news[f.ID] = f.Broken.Error()
		if n.Has(f.ID, news[f.ID]) {
			continue
		}
		n.desk.Log.WarnContext(ctx, "broken lock", "lock", f.ID, "path", f.Path, "err", f.Broken)
		rest := "Its last good version holds."
		if f.Digest == "" {
			rest = "It is not watched."
		}
		lines = append(lines, fmt.Sprintf("The lock %s cannot be read: %s. %s", f.Path, news[f.ID], rest))
	}
	for _, id := range n.Words() {
		if !strings.HasPrefix(id, " ") && !is[id] {
			over = append(over, id)
		}
	}
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("So it is with %d more.", more))
	}
	n.Once(ctx, "lock", strings.Join(lines, "\n"), news, over)
}
