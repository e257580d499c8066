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
	Source string // the page of the platform's terms that it was chosen by; empty: it is crier's own choice
}

// ownChoice is for platforms of whose terms crier knows no time.
const ownChoice = 30 * day

// profiles is one row a platform. Where a row and its source differ, the row is the stricter.
var profiles = map[schema.Platform]ProfileRetention{
	schema.Twitter:   {Kept: ownChoice},
	schema.Instagram: {Kept: ownChoice},
	schema.Facebook:  {Kept: ownChoice},
	// Of what LinkedIn gives of members, their activity may be kept for the shortest time.
	schema.LinkedIn:  {Kept: 48 * time.Hour, Source: "learn.microsoft.com/linkedin/marketing/data-storage-requirements"},
	schema.TikTok:    {Kept: ownChoice},
	schema.Pinterest: {Kept: ownChoice},
	// After a person has taken the consent back.
	schema.YouTube:  {Kept: 7 * day, Source: "developers.google.com/youtube/terms/developer-policies, III.D.2"},
	schema.Threads:  {Kept: ownChoice},
	schema.Bluesky:  {Kept: ownChoice},
	schema.Mastodon: {Kept: ownChoice},
	schema.Telegram: {Kept: ownChoice},
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
