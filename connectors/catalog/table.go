package catalog

import (
	"net/http"

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
	simulate  simulator // with the platform's own rate limits
	unlimited simulator
}

// simulator makes the simulator of a platform.
type simulator = func(*simulation.World) http.Handler

// table is the list of the platforms, by number.
var table = [...]entry{

	schema.Twitter:        {twitter.Describe(), twittersim.New, twittersim.NewUnlimited},
	schema.Instagram:      {instagram.Describe(), instagramsim.New, instagramsim.NewUnlimited},
	schema.Facebook:       {facebook.Describe(), facebooksim.New, facebooksim.NewUnlimited},
	schema.LinkedIn:       {linkedin.Describe(), linkedinsim.New, linkedinsim.NewUnlimited},
	schema.TikTok:         {tiktok.Describe(), tiktoksim.New, tiktoksim.NewUnlimited},
	schema.Threads:        {threads.Describe(), threadssim.New, threadssim.NewUnlimited},
	schema.Bluesky:        {bluesky.Describe(), blueskysim.New, blueskysim.NewUnlimited},
	schema.YouTube:        {youtube.Describe(), youtubesim.New, youtubesim.NewUnlimited},
	schema.Pinterest:      {pinterest.Describe(), pinterestsim.New, pinterestsim.NewUnlimited},
	schema.Telegram:       {telegram.Describe(), telegramsim.New, telegramsim.NewUnlimited},
	schema.Mastodon:       {mastodon.Describe(), mastodonsim.New, mastodonsim.NewUnlimited},
	schema.GoogleBusiness: {googlebusiness.Describe(), googlebusinesssim.New, googlebusinesssim.NewUnlimited},
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
