package catalog

import (
	"net/http"
	"time"

	"crier/connectors"
	"crier/connectors/bluesky"
	"crier/connectors/facebook"
	"crier/connectors/googlebusiness"
	"crier/connectors/instagram"
	"crier/connectors/linkedin"
	"crier/connectors/mastodon"
	"crier/connectors/media"
	"crier/connectors/pinterest"
	"crier/connectors/simulation"
	"crier/connectors/telegram"
	"crier/connectors/threads"
	"crier/connectors/tiktok"
	"crier/connectors/twitter"
	"crier/connectors/youtube"
	"crier/schema"
)

// entry is what there is of a platform. Those without a client have constraints only.
type entry struct {
	constraints schema.Constraints
	limits      connectors.Limits
	classify    func(status int, header http.Header, body []byte) *schema.Error
	connect     func(parts) connectors.Connector
	simulate    simulator // with the platform's own rate limits
	unlimited   simulator
}

// simulator makes the simulator of a platform.
type simulator = func(*simulation.World) http.Handler

// parts is what a connector is made of.
type parts struct {
	client *connectors.Client
	base   string // empty: the platform's own
	media  media.Source
	now    func() time.Time
}

var table = [...]entry{
	schema.Twitter:        {constraints: twitter.Constraints()},
	schema.Instagram:      {constraints: instagram.Constraints()},
	schema.Facebook:       {constraints: facebook.Constraints()},
	schema.LinkedIn:       {constraints: linkedin.Constraints()},
	schema.TikTok:         {constraints: tiktok.Constraints()},
	schema.Threads:        {constraints: threads.Constraints()},
	schema.YouTube:        {constraints: youtube.Constraints()},
	schema.Pinterest:      {constraints: pinterest.Constraints()},
	schema.GoogleBusiness: {constraints: googlebusiness.Constraints()},

	schema.Mastodon: {
		constraints: mastodon.Constraints(),
		// 300 calls in 5 minutes (docs.joinmastodon.org/api/rate-limits).
		limits: connectors.Limits{Account: connectors.Rate{PerSecond: 1, Burst: 60}},
		connect: func(p parts) connectors.Connector {
			return mastodon.New(mastodon.Config{Client: p.client, Base: p.base, Media: p.media, Now: p.now})
		},
		simulate:  mastodon.NewSimulator,
		unlimited: mastodon.NewUnlimitedSimulator,
	},
	schema.Bluesky: {
		constraints: bluesky.Constraints(),
		// 3,000 calls in 5 minutes (docs.bsky.app/docs/advanced-guides/rate-limits);
		// what they cost in points is known to the server, which says when to wait.
		limits:   connectors.Limits{Account: connectors.Rate{PerSecond: 10, Burst: 100}},
		classify: bluesky.Classify,
		connect: func(p parts) connectors.Connector {
			return bluesky.New(bluesky.Config{Client: p.client, Base: p.base, Media: p.media, Now: p.now})
		},
		simulate:  bluesky.NewSimulator,
		unlimited: bluesky.NewUnlimitedSimulator,
	},
	schema.Telegram: {
		constraints: telegram.Constraints(),
		// One message a second to a chat, short bursts excepted, 20 a minute to a group
		// (core.telegram.org/bots/faq).
		limits:   connectors.Limits{Account: connectors.Rate{PerSecond: 1, Burst: 20}},
		classify: telegram.Classify,
		connect: func(p parts) connectors.Connector {
			return telegram.New(telegram.Config{Client: p.client, Base: p.base, Media: p.media})
		},
		simulate:  telegram.NewSimulator,
		unlimited: telegram.NewUnlimitedSimulator,
	},
}

// Constraints returns what a platform takes; p is one of schema.Platforms. Its slices
// are shared and must not be changed.
func Constraints(p schema.Platform) schema.Constraints { return table[p].constraints }
