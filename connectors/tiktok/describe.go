package tiktok

import (
	"time"

	"crier/connectors"
	"crier/schema"
)

// Describe returns what there is of the platform.
func Describe() connectors.Description {
	return connectors.Description{
		Platform: schema.TikTok, Label: "TikTok",
		Constraints: Constraints(),
		Limits:      Limits(),
		Calls:       connectors.Calls{Platform: schema.TikTok, Answers: answers(), LimitOf: LimitOf},
		Connecting:  connectors.Connecting{Tokens: connectors.Tokens{Accepted: true, Refresh: true}, ChoosesScopes: true},
		New:         func(p connectors.Parts) connectors.Connector { return New(p) },
	}
}

// Constraints is what TikTok takes of an account of which nothing else is known. It could show
// up to 35 photos as well, but a post without a video is refused here, so that one video is all
// there can be.
func Constraints() schema.Constraints { return constraintsOf(creator{}) }

// constraintsOfAccount is what TikTok takes of one account, as it said last.
func constraintsOfAccount(a schema.Account) schema.Constraints { return constraintsOf(creatorOf(a)) }

const (
	longestVideo = 10 * time.Minute
	largestVideo = 4_000_000_000 // bytes
)

func constraintsOf(k creator) schema.Constraints {
	longest := longestVideo
	if k.longest > 0 {
		longest = min(longest, k.longest)
	}
	return schema.Constraints{
		Platform: schema.TikTok,
		Own:      constraintsOfAccount,
		Text:     schema.TextLimit{Max: 2200, Count: connectors.UTF16Units}, // of a title
		Media: schema.MediaLimits{
			Required:         true,
			Max:              1,
			MaxVideos:        1,
			Kinds:            []schema.MediaKind{schema.Video},
			VideoTypes:       []string{"video/mp4", "video/quicktime", "video/webm"},
			MaxVideoBytes:    largestVideo,
			MaxVideoDuration: longest,
			MinWidth:         360,
			MinHeight:        360,
			MinAspect:        9.0 / 16,
			MaxAspect:        1,
			// Others fail with file_format_check_failed and frame_rate_check_failed, large ones with
			// picture_size_check_failed.
			Film: schema.FilmLimits{
				Codecs: []string{"h264", "hevc", "vp8", "vp9"}, MinFrameRate: 23, MaxFrameRate: 60,
			},
			FilmAdvice: schema.FilmLimits{MaxSide: 4096},
		},
		DailyCap: 50,
		Settings: settingsCheck(k),
		Together: connectors.Together(together),
		Wider:    wider(),
	}
}

// wider is what TikTok takes beyond that. The length of videos is what it says of the very creator in any
// case.
func wider() []schema.Widening {
	return []schema.Widening{{
		What:   "videos of any shape, with sides of 360 to 4,096 pixels",
		Source: "developers.tiktok.com/doc/content-posting-api-media-transfer-guide, video restrictions",
		Apply: func(c *schema.Constraints, _ schema.Account) {
			c.Media.MinAspect, c.Media.MaxAspect = 0, 0
			c.Media.MaxWidth, c.Media.MaxHeight = 4096, 4096
		},
	}}
}

// Limits is how fast TikTok is called: of an account in a minute, bursts included, no more than
// the 6 beginnings of a video and the 20 questions about a creator, with which those about posts
// are counted here, that it allows a token, and half of the 600 looks at what was published. It
// counts no parts of videos.
func Limits() connectors.Limits {
	return connectors.Limits{
		connectors.Media:  {Account: connectors.Rate{PerSecond: 3. / 60, Burst: 3}},
		connectors.Status: {Account: connectors.Rate{PerSecond: 10. / 60, Burst: 10}},
		connectors.Read:   {Account: connectors.Rate{PerSecond: 300. / 60, Burst: 50}},
	}
}

// LimitOf is the LimitOf of the platform's connectors.ClientConfig: TikTok counts by endpoint, and all
// that has the turn of a beginning is of one, so that what waits for it is known before it is made.
func LimitOf(call connectors.Call) string {
	if call.Kind == connectors.Media {
		return opInit
	}
	return call.Operation
}
