package catalog

import (
	"net/http"
	"time"

	"crier/connectors"
	"crier/connectors/bluesky"
	"crier/connectors/facebook"
	"crier/connectors/googlebusiness"
	"crier/connectors/graph"
	"crier/connectors/instagram"
	"crier/connectors/linkedin"
	"crier/connectors/mastodon"
	"crier/connectors/media"
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

// entry is what there is of a platform. Those without a client have no more than
// constraints and limits.
type entry struct {
	constraints schema.Constraints
	limits      connectors.Limits
	classify    func(status int, header http.Header, body []byte) *schema.Error
	pace        func(header http.Header) time.Duration
	paceRead    func(header http.Header) time.Duration
	limitOf     func(connectors.Call) string
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
	// consent is the base of its page of consent; empty: base, or the platform's own.
	consent string
	// version is of the API; empty: the one that the connector was written against.
	version string
	app     connectors.App
	quotas  connectors.DailyQuotas // of platforms that give them by the day; nil: none are shared
	media   media.Source
	now     func() time.Time
}

var table = [...]entry{

	schema.Twitter: {
		constraints: twitter.Constraints(),
		limits:      twitter.Limits(),
		classify:    twitter.Classify,
		limitOf:     twitter.LimitOf,
		connect: func(p parts) connectors.Connector {
			return twitter.New(twitter.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  twittersim.New,
		unlimited: twittersim.NewUnlimited,
	},
	schema.Instagram: {
		constraints: instagram.Constraints(),
		limits:      graphLimits(),
		classify:    instagram.Classify,
		pace:        graph.Pace,
		connect: func(p parts) connectors.Connector {
			return instagram.New(instagram.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  instagramsim.New,
		unlimited: instagramsim.NewUnlimited,
	},
	schema.Threads: {
		constraints: threads.Constraints(),
		// 48,000 calls a day at the least (developers.facebook.com/docs/threads/overview); a
		// post takes four, and some more while Threads works on its media.
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 0.5, Burst: 200}}},
		classify: graph.Classify,
		pace:     graph.Pace,
		paceRead: graph.PaceReads,
		connect: func(p parts) connectors.Connector {
			return threads.New(threads.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  threadssim.New,
		unlimited: threadssim.NewUnlimited,
	},
	schema.Facebook: {
		constraints: facebook.Constraints(),
		// A page has 4,800 calls in 24 hours for each person it has engaged
		// (developers.facebook.com/docs/graph-api/overview/rate-limiting). The usage headers say
		// how much of that is left; bursts alone are evened out here.
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		classify: graph.Classify,
		pace:     graph.Pace,
		paceRead: graph.PaceReads,
		connect: func(p parts) connectors.Connector {
			return facebook.New(facebook.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  facebooksim.New,
		unlimited: facebooksim.NewUnlimited,
	},
	schema.LinkedIn: {
		constraints: linkedin.Constraints(),
		// 150 posts a day of a member, and comments by the minute
		// (learn.microsoft.com/linkedin/shared/api-guide/concepts/rate-limits): LinkedIn says
		// when a day is spent, so that bursts alone are evened out here.
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 2, Burst: 60}}},
		classify: linkedin.Classify,
		connect: func(p parts) connectors.Connector {
			return linkedin.New(linkedin.Config{
				Client: p.client, Base: p.base, Consent: p.consent, Version: p.version, App: p.app, Media: p.media, Now: p.now,
			})
		},
		simulate:  linkedinsim.New,
		unlimited: linkedinsim.NewUnlimited,
	},
	schema.Pinterest: {
		constraints: pinterest.Constraints(),
		limits:      pinterest.Limits(),
		classify:    pinterest.Classify,
		pace:        pinterest.Pace,
		limitOf:     pinterest.LimitOf,
		connect: func(p parts) connectors.Connector {
			return pinterest.New(pinterest.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  pinterestsim.New,
		unlimited: pinterestsim.NewUnlimited,
	},
	schema.GoogleBusiness: {
		constraints: googlebusiness.Constraints(),
		limits:      googlebusiness.Limits(),
		classify:    googlebusiness.Classify,
		connect: func(p parts) connectors.Connector {
			return googlebusiness.New(googlebusiness.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  googlebusinesssim.New,
		unlimited: googlebusinesssim.NewUnlimited,
	},
	schema.YouTube: {
		constraints: youtube.Constraints(),
		// YouTube counts by the day and the app, and says when that is spent: bursts alone are
		// evened out here.
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 5, Burst: 100}}},
		classify: youtube.Classify,
		connect: func(p parts) connectors.Connector {
			return youtube.New(youtube.Config{
				Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Quotas: p.quotas, Now: p.now,
			})
		},
		simulate:  youtubesim.New,
		unlimited: youtubesim.NewUnlimited,
	},
	schema.TikTok: {
		constraints: tiktok.Constraints(),
		limits:      tiktok.Limits(),
		classify:    tiktok.Classify,
		limitOf:     tiktok.LimitOf,
		connect: func(p parts) connectors.Connector {
			return tiktok.New(tiktok.Config{Client: p.client, Base: p.base, Consent: p.consent, App: p.app, Media: p.media, Now: p.now})
		},
		simulate:  tiktoksim.New,
		unlimited: tiktoksim.NewUnlimited,
	},
	schema.Mastodon: {
		constraints: mastodon.Constraints(),
		// 300 calls in 5 minutes (docs.joinmastodon.org/api/rate-limits).
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 1, Burst: 60}}},
		classify: mastodon.Classify,
		connect: func(p parts) connectors.Connector {
			return mastodon.New(mastodon.Config{Client: p.client, Base: p.base, Consent: p.consent, Media: p.media, Now: p.now})
		},
		simulate:  mastodonsim.New,
		unlimited: mastodonsim.NewUnlimited,
	},
	schema.Bluesky: {
		constraints: bluesky.Constraints(),
		// 3,000 calls in 5 minutes (docs.bsky.app/docs/advanced-guides/rate-limits);
		// what they cost in points is known to the server, which says when to wait.
		limits:   connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 10, Burst: 100}}},
		classify: bluesky.Classify,
		connect: func(p parts) connectors.Connector {
			return bluesky.New(bluesky.Config{Client: p.client, Base: p.base, Media: p.media, Now: p.now})
		},
		simulate:  blueskysim.New,
		unlimited: blueskysim.NewUnlimited,
	},
	schema.Telegram: {
		constraints: telegram.Constraints(),
		// One message a second to a chat, short bursts excepted, 20 a minute to a group, and
		// some 30 a second of a bot, which may serve many chats (core.telegram.org/bots/faq).
		// A little less of those, since calls bunch up on their way.
		limits: connectors.Limits{connectors.Any: {
			Account: connectors.Rate{PerSecond: 1, Burst: 20}, App: connectors.Rate{PerSecond: 25, Burst: 5},
		}},
		classify: telegram.Classify,
		connect: func(p parts) connectors.Connector {
			return telegram.New(telegram.Config{Client: p.client, Base: p.base, Media: p.media})
		},
		simulate:  telegramsim.New,
		unlimited: telegramsim.NewUnlimited,
	},
}

// graphLimits are those of the Graph API: 200 calls an hour for each user of the app, of
// all users together (developers.facebook.com/docs/graph-api/overview/rate-limiting). An
// account that keeps to its own share keeps the app within them, burst and all.
func graphLimits() connectors.Limits {
	return connectors.Limits{connectors.Any: {Account: connectors.Rate{PerSecond: 150. / 3600, Burst: 50}}}
}

// LargestMedia is the size of the largest file that a platform with a client takes, in bytes.
func LargestMedia() (largest int64) {
	for _, e := range table {
		if m := e.constraints.Media; e.connect != nil {
			largest = max(largest, m.MaxImageBytes, m.MaxVideoBytes, m.MaxDocumentBytes)
		}
	}
	return largest
}

// Constraints returns what a platform takes; p is one of schema.Platforms. Its slices
// are shared and must not be changed.
func Constraints(p schema.Platform) schema.Constraints { return table[p].constraints }
