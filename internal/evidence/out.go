package evidence

import (
	"slices"
	"time"
)

// Out is what the reports that stand at a moment take out of the plan for a
// skill, or for any where it is "": as [Report.Out] names it, each once, sorted.
func Out(reports []Report, now time.Time, ttl time.Duration, skill string) []string {
	var list []string
	for i := range reports {
		r := &reports[i]
		if r.Operation == "" || !r.Stands(now, ttl) || r.Operation == Input && skill != "" && r.Skill != skill {
			continue
		}
		if out := r.Out(); !slices.Contains(list, out) {
			list = append(list, out)
		}
	}
	slices.Sort(list)
	return list
}

// Standing are the reports that take something out of the plan at a moment,
// under a profile: those without one, and all for "", concern it.
func Standing(reports []Report, now time.Time, ttl time.Duration, profileDigest string) []Report {
	var out []Report
	for _, r := range reports {
		if r.Operation != "" && r.Stands(now, ttl) &&
			(profileDigest == "" || r.ProfileDigest == "" || r.ProfileDigest == profileDigest) {
			out = append(out, r)
		}
	}
	return out
}
