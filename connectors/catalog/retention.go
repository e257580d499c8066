package catalog

import (
	"time"

	"crier/schema"
)

const day = 24 * time.Hour

// ProfileRetention is how long what a platform has said of a profile (its name, what it allows)
// is kept once the account is disconnected. Its posts stay: their texts are the workspace's own.
type ProfileRetention struct {
	Kept   time.Duration
	Source string // of the fact; empty: the platform's terms give no time, and Kept is crier's
}

// unnamed is for platforms whose terms give no time: they want what is not needed any more to
// go.
const unnamed = 30 * day

// profiles is one row a platform. Where a row and its source differ, the row is the stricter.
var profiles = map[schema.Platform]ProfileRetention{
	schema.Twitter:   {Kept: unnamed},
	schema.Instagram: {Kept: unnamed},
	schema.Facebook:  {Kept: unnamed},
	// Of what LinkedIn gives of members, their activity may be kept for the shortest time.
	schema.LinkedIn:  {Kept: 48 * time.Hour, Source: "learn.microsoft.com/linkedin/marketing/data-storage-requirements"},
	schema.TikTok:    {Kept: unnamed},
	schema.Pinterest: {Kept: unnamed},
	// After a person has taken the consent back.
	schema.YouTube:  {Kept: 7 * day, Source: "developers.google.com/youtube/terms/developer-policies, III.D.2"},
	schema.Threads:  {Kept: unnamed},
	schema.Bluesky:  {Kept: unnamed},
	schema.Mastodon: {Kept: unnamed},
	schema.Telegram: {Kept: unnamed},
	// Content of the APIs may be kept for 30 days.
	schema.GoogleBusiness: {Kept: 30 * day, Source: "developers.google.com/my-business/content/policies"},
}

// Profiles returns how long the profiles of each platform are kept once they are disconnected.
func Profiles() map[schema.Platform]time.Duration {
	kept := map[schema.Platform]time.Duration{}
	for platform, row := range profiles {
		kept[platform] = row.Kept
	}
	return kept
}
