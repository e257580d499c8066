package catalog

import (
	"cmp"
	"time"

	"crier/connectors"
	"crier/connectors/bluesky"
	"crier/connectors/facebook"
	"crier/connectors/googlebusiness"
	"crier/connectors/instagram"
	"crier/connectors/linkedin"
	"crier/connectors/mastodon"
	"crier/connectors/pinterest"
	blueskysim "crier/connectors/simulators/bluesky"
	facebooksim "crier/connectors/simulators/facebook"
	googlebusinesssim "crier/connectors/simulators/googlebusiness"
	instagramsim "crier/connectors/simulators/instagram"
	linkedinsim "crier/connectors/simulators/linkedin"
	mastodonsim "crier/connectors/simulators/mastodon"
	pinterestsim "crier/connectors/simulators/pinterest"
	"crier/connectors/simulators/simulation"
	telegramsim "crier/connectors/simulators/telegram"
	threadssim "crier/connectors/simulators/threads"
	tiktoksim "crier/connectors/simulators/tiktok"
	twittersim "crier/connectors/simulators/twitter"
	youtubesim "crier/connectors/simulators/youtube"
	"crier/connectors/telegram"
	"crier/connectors/threads"
	"crier/connectors/tiktok"
	"crier/connectors/twitter"
	"crier/connectors/youtube"
	"crier/schema"
)

// entry is a platform, and what imitates it.
type entry struct {
	connectors.Description
	simulator simulation.Simulator
}

// table is the list of the platforms, by number.
var table = [...]entry{

	schema.Twitter:        {twitter.Describe(), twittersim.Describe()},
	schema.Instagram:      {instagram.Describe(), instagramsim.Describe()},
	schema.Facebook:       {facebook.Describe(), facebooksim.Describe()},
	schema.LinkedIn:       {linkedin.Describe(), linkedinsim.Describe()},
	schema.TikTok:         {tiktok.Describe(), tiktoksim.Describe()},
	schema.Threads:        {threads.Describe(), threadssim.Describe()},
	schema.Bluesky:        {bluesky.Describe(), blueskysim.Describe()},
	schema.YouTube:        {youtube.Describe(), youtubesim.Describe()},
	schema.Pinterest:      {pinterest.Describe(), pinterestsim.Describe()},
	schema.Telegram:       {telegram.Describe(), telegramsim.Describe()},
	schema.Mastodon:       {mastodon.Describe(), mastodonsim.Describe()},
	schema.GoogleBusiness: {googlebusiness.Describe(), googlebusinesssim.Describe()},
}

// Description returns what there is of a platform; p is one of schema.Platforms. Its slices are shared
// and must not be changed.
func Description(p schema.Platform) connectors.Description { return table[p].Description }

// Connecting returns how accounts of a platform are connected.
func Connecting(p schema.Platform) connectors.Connecting {
	c := table[p].Connecting
	c.Label = table[p].Label
	return c
}

// SandboxCredentials are those of an account that lives in a platform's simulator.
func SandboxCredentials(p schema.Platform, name string) schema.Credentials {
	return table[p].simulator.Credentials(name)
}

// LargestMedia is the size of the largest file that a platform takes, in bytes.
func LargestMedia() (largest int64) {
	for _, e := range table {
		m := e.Constraints.Media
		largest = max(largest, m.MaxImageBytes, m.MaxVideoBytes, m.MaxDocumentBytes)
	}
	return largest
}

// Constraints returns what a platform takes; p is one of schema.Platforms. Its slices
// are shared and must not be changed.
func Constraints(p schema.Platform) schema.Constraints { return table[p].Constraints }

// Profiles returns how long the profiles of each platform are kept once they are disconnected.
func Profiles() map[schema.Platform]time.Duration {
	retention := map[schema.Platform]time.Duration{}
	for _, p := range schema.Platforms() {
		retention[p] = cmp.Or(table[p].Retention.Period, connectors.DefaultRetention)
	}
	return retention
}

// FreshProfiles are the platforms of which profiles may not be kept for long as they were read.
func FreshProfiles() map[schema.Platform]bool {
	fresh := map[schema.Platform]bool{}
	for _, p := range schema.Platforms() {
		if table[p].Retention.Fresh {
			fresh[p] = true
		}
	}
	return fresh
}
