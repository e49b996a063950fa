package diff

import "github.com/a2alock/a2alock/internal/say"

// lockOwnerRules speak of who answers for a lock, and of who reads the card.
var lockOwnerRules = []Rule{
	{
		ID:      "lock-owner-changed",
		Class:   Review,
		Title:   "another owner is told",
		Why:     "Alerts go to somebody who may not know of it.",
		Do:      "Ask the new owner.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"owner":"team-travel"}`, Change: `{"owner":"team-pricing"}`},
		Review:  ownerChanged,
	},
	{
		ID:      "lock-owner-removed",
		Class:   Breaking,
		Title:   "nobody owns the lock any more",
		Why:     "Alerts reach nobody.",
		Do:      "Name an owner.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"owner":"team-travel"}`, Change: `{"owner":null}`},
		Review:  ownerRemoved,
	},
	{
		ID:      "lock-identity-changed",
		Class:   Review,
		Title:   "the card is read by another identity",
		Why:     "Another caller may be shown another card, and the agent's owner sees who asks.",
		Do:      "Make sure that the workflow calls the agent as this identity.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{
			Was: `{"capabilities":{"extendedAgentCard":true}}`, Now: `{"capabilities":{"extendedAgentCard":true}}`,
			Lock: `{"identity":"travel"}`, Change: `{"identity":"pricing"}`,
		},
		Review: identityChanged,
	},
	{
		ID:      "lock-identity-removed",
		Class:   Breaking,
		Title:   "the card is no longer read by an identity",
		Why:     "The public card is watched from now on, and what the workflow gets as that caller changes unseen.",
		Do:      "Put the identity back. Where the workflow calls the agent as nobody now, waive this finding " + beforehand + ".",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"identity":"travel"}`, Change: `{"identity":null}`},
		Review:  identityRemoved,
	},
}

// owners are those of both sides; "" where one side has no lock or no owner.
func (f *amended) owners() (was, now string) {
	if f.was == nil || f.now == nil {
		return "", ""
	}
	return say.Visible(f.was.Owner), say.Visible(f.now.Owner)
}

func ownerChanged(r *Revision) []Finding {
	was, now := r.facts.owners()
	switch {
	case now == "" || was == now:
		return nil
	case was == "":
		return []Finding{found("/owner", nil, now, "the lock named no owner, and names %s now", say.Quote(now))}
	}
	return []Finding{found("/owner", was, now, "the owner was %s and is %s", say.Quote(was), say.Quote(now))}
}

func ownerRemoved(r *Revision) []Finding {
	was, now := r.facts.owners()
	if was == "" || now != "" {
		return nil
	}
	return []Finding{found("/owner", was, nil, "the owner was %s, and the lock names none now", say.Quote(was))}
}

// identities are those of both sides, if both have a lock.
func (f *amended) identities() (was, now string) {
	if f.was == nil || f.now == nil {
		return "", ""
	}
	return say.Visible(f.was.Identity), say.Visible(f.now.Identity)
}

func identityChanged(r *Revision) []Finding {
	was, now := r.facts.identities()
	switch {
	case now == "" || was == now:
		return nil
	case was == "":
		return []Finding{found("/identity", nil, now, "nobody read the card as a caller, and %s does now", say.Quote(now))}
	}
	return []Finding{found("/identity", was, now, "the identity was %s and is %s", say.Quote(was), say.Quote(now))}
}

func identityRemoved(r *Revision) []Finding {
	was, now := r.facts.identities()
	if was == "" || now != "" {
		return nil
	}
	return []Finding{found("/identity", was, nil, "the identity was %s, and the lock names none now", say.Quote(was))}
}
