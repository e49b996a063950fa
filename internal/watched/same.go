package watched

import (
	"slices"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/store"
)

// sameButDate is whether two records differ in nothing that is worth writing: it
// leaves out where we were connected to, what caches said, dates and the body,
// which the next change writes. Reflection would cost as much as all else that is
// done with a 304.
func sameButDate(a, b *store.Agent) bool {
	return a.ID == b.ID && a.URL == b.URL && a.Identity == b.Identity &&
		a.Memory.Ignored == b.Memory.Ignored && a.Memory.Unreliable == b.Memory.Unreliable &&
		slices.EqualFunc(a.Memory.Entries, b.Memory.Entries, sameEntry) &&
		a.CardDigest == b.CardDigest && a.Final == b.Final && a.Offsite == b.Offsite && a.Lost == b.Lost && a.Lied == b.Lied &&
		a.Refreshes == b.Refreshes && a.AuditedAt.Equal(b.AuditedAt) && a.Asked == b.Asked && a.Pause == b.Pause
}

func sameEntry(a, b fetch.Entry) bool {
	return a.URL == b.URL && a.Identity == b.Identity && a.Digest == b.Digest && a.ETag == b.ETag &&
		a.LastModified == b.LastModified && a.CacheControl == b.CacheControl &&
		slices.Equal(a.Vary, b.Vary) && a.Variant == b.Variant
}
