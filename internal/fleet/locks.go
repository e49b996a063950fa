package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2alock/a2alock/lockfile"
)

// WriteLocks writes a lock for each agent below dir/locks, a folder a host, and
// dir/a2alock.yaml by which a2alockd refreshes all of them on the schedule.
func (f *Fleet) WriteLocks(dir, schedule string) error {
	for h := range f.config.Hosts {
		folder := filepath.Join(dir, "locks", address(h))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for i := h; i < f.config.Agents; i += f.config.Hosts {
			data, err := lockfile.Format(&lockfile.Lock{
				Workflow: "fleet",
				Owner:    fmt.Sprintf("team-%d", i%10),
				Agent:    f.CardURL(i),
				Requires: lockfile.Requires{Skills: map[string]lockfile.Need{
					"quote": {Input: []string{"application/json"}, Output: []string{"application/json"}},
				}},
			})
			if err != nil {
				return err
			}
			// Not synced: there are many, and they can be written again.
			name := fmt.Sprintf("%05d.%s", i, lockfile.Suffix)
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "a2alock.yaml"), f.configFile(schedule), 0o644)
}

func (f *Fleet) configFile(schedule string) []byte {
	hosts := make([]string, f.config.Hosts)
	for h := range hosts {
		hosts[h] = address(h)
	}
	all := strings.Join(hosts, ", ")
	return fmt.Appendf(nil, `# For a2alockd, on a fleet that is served on this machine.
locks: [locks]
network:
  allow: [127.0.0.0/8]
  http: [%s]
daemon:
  schedule: %q
  own_hosts: [%s]
  catchup_rate: 0
`, all, schedule, all)
}
