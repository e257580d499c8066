package catalog

import (
	"time"

	"crier/schema"
)

const day = 24 * time.Hour

// ProfileRetention is how long what a platform has said of a profile (its name, what it allows)
// is kept once the account is disconnected. Its posts stay: their texts are the workspace's own.
type ProfileRetention struct {
	Kept time.Duration
	// Fresh: while the account is connected, it has to be read again, or deleted, within 30 days.
	Fresh  bool
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
	// Within 7 days once a person has taken the consent back; what is stored of a channel is
	// deleted or read again within 30 days.
	schema.YouTube:  {Kept: 7 * day, Fresh: true, Source: "developers.google.com/youtube/terms/developer-policies, III.D.2 and III.E.4"},
	schema.Threads:  {Kept: ownChoice},
	schema.Bluesky:  {Kept: ownChoice},
	schema.Mastodon: {Kept: ownChoice},
	schema.Telegram: {Kept: ownChoice},
	// Content of the APIs may be kept for 30 days, and as it is alone.
	schema.GoogleBusiness: {Kept: 30 * day, Fresh: true, Source: "developers.google.com/my-business/content/policies"},
}

// Profiles returns how long the profiles of each platform are kept once they are disconnected.
func Profiles() map[schema.Platform]time.Duration {
	kept := map[schema.Platform]time.Duration{}
	for platform, row := range profiles {
		kept[platform] = row.Kept
	}
	return kept
}

// FreshProfiles are the platforms of which profiles may not be kept for long as they were read.
func FreshProfiles() map[schema.Platform]bool {
	fresh := map[schema.Platform]bool{}
	for platform, row := range profiles {
		if row.Fresh {
			fresh[platform] = true
		}
	}
	return fresh
}
