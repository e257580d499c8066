package main

import (
	"testing"

	"crier/schema"
	"crier/schema/postgres/restores"
)

func TestWhatIsKnownOfAHeldPostNamesThePlatforms(t *testing.T) {
	post := schema.Post{Targets: []schema.Target{{N: 0, Platform: schema.Mastodon}, {N: 1, Platform: schema.Twitter}}}
	var p restores.KnownPost
	p.Post, p.Waiting = post, 1
	p.Findings = []schema.Finding{
		{N: -1, Kind: schema.FoundUpdated}, {N: 0, Kind: schema.FoundPublished}, {N: 1, Kind: schema.FoundPublished},
		{N: 0, Kind: schema.FoundOnPlatform}, {N: 1, Kind: schema.LookCannotTell},
	}
	l := restoredLineOf(p)
	if got, want := l.known(), "edited, published (mastodon, twitter), on the platform (mastodon), not looked at yet"; got != want {
		t.Errorf("known = %q, want %q", got, want)
	}
	if group := platformNames([]schema.Platform{schema.Twitter, schema.Mastodon}); group != "twitter,mastodon" || len(l.Platforms) != 2 || l.Platforms[0] != "twitter" {
		t.Errorf("a group is of %q, a post of %q", group, l.Platforms)
	}
}

func TestHowFarTheLooksAre(t *testing.T) {
	for want, looks := range map[string]restores.Looks{
		"0 of 3 accounts looked at on their platforms since. 3 accounts not looked at yet: a process with the role publish does. No platform can tell what was cancelled.": {Accounts: 3},
		"2 of 3 accounts looked at on their platforms since. 1 account on a platform that shows nobody what it has: telegram. No platform can tell what was cancelled.":    {Accounts: 3, Done: 2, NotListed: 1},
	} {
		if got := looksKnown(looks); got != want {
			t.Errorf("%+v is told as %q, want %q", looks, got, want)
		}
	}
}
