package client

import (
	"context"

	"crier/client/internal/api"
)

// PlatformLimits are what posts are held to on a platform.
type PlatformLimits = api.PlatformLimits

// Options of a post by platform.
type (
	PlatformSettings       = api.PlatformSettings
	TwitterSettings        = api.TwitterSettings
	InstagramSettings      = api.InstagramSettings
	FacebookSettings       = api.FacebookSettings
	LinkedInSettings       = api.LinkedInSettings
	TikTokSettings         = api.TiktokSettings
	ThreadsSettings        = api.ThreadsSettings
	BlueskySettings        = api.BlueskySettings
	YouTubeSettings        = api.YoutubeSettings
	PinterestSettings      = api.PinterestSettings
	TelegramSettings       = api.TelegramSettings
	MastodonSettings       = api.MastodonSettings
	GoogleBusinessSettings = api.GoogleBusinessSettings
)

// Platform names a platform.
type Platform = api.PlatformName

// Platforms.
const (
	Twitter        = api.PlatformNameTwitter
	Instagram      = api.PlatformNameInstagram
	Facebook       = api.PlatformNameFacebook
	LinkedIn       = api.PlatformNameLinkedin
	TikTok         = api.PlatformNameTiktok
	Threads        = api.PlatformNameThreads
	Bluesky        = api.PlatformNameBluesky
	YouTube        = api.PlatformNameYoutube
	Pinterest      = api.PlatformNamePinterest
	Telegram       = api.PlatformNameTelegram
	Mastodon       = api.PlatformNameMastodon
	GoogleBusiness = api.PlatformNameGoogleBusiness
)

// PlatformService says what posts are held to on each platform.
type PlatformService struct{ api *caller }

// List returns what each platform takes, of an account of which nothing else is known.
func (p *PlatformService) List(ctx context.Context) ([]PlatformLimits, error) {
	return part(func(r *api.PlatformsResponse) []PlatformLimits { return r.Platforms })(p.api.get(ctx, nil, "platforms"))
}

// Get returns what a platform takes: of the account with an id, or without one of an account of
// which nothing else is known.
func (p *PlatformService) Get(ctx context.Context, platform Platform, accountID string) (*PlatformLimits, error) {
	return part(func(r *api.PlatformResponse) *PlatformLimits { return &r.Platform })(
		p.api.get(ctx, &api.GetPlatformParams{AccountID: optional(accountID)}, "platforms", string(platform)))
}
