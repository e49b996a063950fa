package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/settings"
)

// ofLock are members of a lock that reports and rules speak of.
var ofLock = []string{"agent", "allowed_origins", "fallback", "owner", "requires", "trust", "waivers", "workflow"}

// advice says what the author of an unknown key may have meant: the place
// where that very key belongs, in this file or in a lock, else the nearest of
// the keys that could stand here, else the nearest of all.
func (c *Config) advice(name string, here []settings.Key) string {
	names, places := []string{}, map[string][]string{}
	var walk func(keys []settings.Key, place string)
	walk = func(keys []settings.Key, place string) {
		for _, k := range keys {
			names = append(names, k.Name)
			places[k.Name] = append(places[k.Name], place)
			walk(k.Keys, strings.TrimPrefix(place+"."+k.Name, "."))
		}
	}
	walk(c.keys(), "")
	if at := places[name]; at != nil {
		if at[0] == "" {
			return " (it belongs at the top level)"
		}
		top := ""
		if i := slices.Index(at, ""); i > 0 {
			at, top = slices.Delete(slices.Clone(at), i, i+1), ", or at the top level"
		}
		if slices.Contains(ofLock, name) {
			at = append(at, "a lock")
		}
		return fmt.Sprintf(" (it belongs under %s%s)", strings.Join(at, " or "), top)
	}
	if slices.Contains(ofLock, name) {
		return " (that is a member of a lock)"
	}
	local := make([]string, len(here))
	for i, k := range here {
		local[i] = k.Name
	}
	if near := slipOf(name, local); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	if near := slipOf(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", strings.TrimPrefix(places[near][0]+"."+near, "."))
	}
	return ""
}

// slipOf returns the known name that name is a slip of, or "".
func slipOf(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		d := nearest.Distance(fold(name), fold(k))
		if d < least && d <= len(k)/3 {
			best, least = k, d
		}
	}
	return best
}

// fold makes fail-on, failOn and fail_on one name.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
}
