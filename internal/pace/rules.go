package pace

import (
	"fmt"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/schedule"
)

// All are the rules of each of keys by cfg. Agents of one schedule share what it
// was parsed to. salt moves phases. Crowded are hosts with very many agents, that
// are not exempt from the gap.
func All(cfg *config.Config, salt []byte, keys []lockset.Key) (rules map[lockset.Key]Rules, crowded map[string]int, err error) {
	d := &cfg.Daemon
	hosts := map[string]int{}
	for _, key := range keys {
		hosts[key.Host()]++
	}
	for _, own := range d.OwnHosts {
		delete(hosts, own)
	}
	type written struct{ schedule, zone string }
	specs := map[written]*schedule.Spec{}
	rules = make(map[lockset.Key]Rules, len(keys))
	for _, key := range keys {
		a := d.For(key.URL)
		w := written{a.Schedule, a.Timezone}
		spec := specs[w]
		if spec == nil {
			if spec, err = schedule.Parse(a.Schedule, a.Timezone); err != nil {
				return nil, nil, fmt.Errorf("the schedule of %s: %w", key.ID(), err)
			}
			specs[w] = spec
		}
		window := Window(spec, d.Spread, hosts[key.Host()])
		rules[key] = Rules{
			Plan: spec.Jittered(schedule.Phase(key.ID(), salt, window)),
			Min:  a.MinInterval, Max: a.MaxInterval,
		}
	}
	crowded = map[string]int{}
	for host, n := range hosts {
		if IsCrowd(n) {
			crowded[host] = n
		}
	}
	return rules, crowded, nil
}
