package mastodon

import (
	"crier/connectors/simulators/simulation"
)

// Allowance is what a server takes, as its administrators set it: tests tell it a world's.
type Allowance struct {
	Text       int // characters, as are Address, AltText and PollOption
	Address    int // that any address counts
	Media      int
	AltText    int
	ImageBytes int64
	VideoBytes int64
	Types      []string // of media
	// Of polls, in seconds how long they may be open.
	PollOptions, PollOption   int
	ShortestPoll, LongestPoll int
}

// Usual is what a server takes by Mastodon's own defaults (docs.joinmastodon.org/user/posting and
// docs.joinmastodon.org/methods/instance/#v2). The longest time of a poll is a mean month.
func Usual() Allowance {
	return Allowance{
		Text: 500, Address: 23, Media: 4, AltText: 1500, ImageBytes: 16 << 20, VideoBytes: 99 << 20,
		Types:       []string{"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "video/quicktime", "video/webm"},
		PollOptions: 4, PollOption: 50, ShortestPoll: 300, LongestPoll: 2629746,
	}
}

const allowanceData = "allowance"

// Allow has the server of a world take other than usual from now on.
func Allow(w *simulation.World, a Allowance) { w.Data.Store(allowanceData, a) }

// takes returns what the server takes.
func (s *simulator) takes() Allowance {
	allowance, ok := s.world.Data.Load(allowanceData)
	if !ok {
		return Usual()
	}
	return allowance.(Allowance)
}
