package simulation

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"
)

// Audience is how a post does. It follows from the world's seed, the post and its age alone, and
// only grows: fast at first, and ever less.
type Audience struct {
	Impressions, Reach, Views      int64
	Likes, Comments, Shares, Saves int64
	Clicks                         int64
	WatchSeconds                   int64
}

// halfway is the age at which a post has about two thirds of what it will ever have.
const halfway = 8 * time.Hour

// AudienceAt returns how a post does at a time.
func (w *World) AudienceAt(p Post, at time.Time) Audience {
	dice := w.dice("post", p.Account, p.ID)
	reached := 20 * math.Pow(10, 3*dice.next()) // 20 to 20,000 people
	grown := 1 - math.Exp(-max(0, at.Sub(p.CreatedAt).Seconds())/halfway.Seconds())
	part := func(minimum, maximum float64) int64 {
		return int64(reached * (minimum + (maximum-minimum)*dice.next()) * grown)
	}
	return Audience{
		Reach: part(1, 1), Impressions: part(1.1, 2), Views: part(0.3, 0.9),
		Likes: part(0.02, 0.2), Comments: part(0.002, 0.03), Shares: part(0.002, 0.04), Saves: part(0.001, 0.02),
		Clicks: part(0.01, 0.08), WatchSeconds: part(2, 20),
	}
}

// Audience is AudienceAt of now.
func (w *World) Audience(p Post) Audience { return w.AudienceAt(p, w.Now()) }

// Crowd is how an account does.
type Crowd struct{ Followers, Following, Posts int64 }

// crowdSince is when accounts had no followers yet.
var crowdSince = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// CrowdAt returns how an account does at a time: it gains followers day by day. Its posts are those
// that were published here.
func (w *World) CrowdAt(account string, at time.Time) Crowd {
	dice := w.dice("account", account)
	first, daily := 10*math.Pow(10, 3*dice.next()), 50*dice.next()
	days := max(0, at.Sub(crowdSince).Hours()/24)
	w.mu.RLock()
	posts := len(w.byOwner[account])
	w.mu.RUnlock()
	return Crowd{Followers: int64(first + daily*days), Following: int64(10 + 500*dice.next()), Posts: int64(posts)}
}

// Crowd is CrowdAt of now.
func (w *World) Crowd(account string) Crowd { return w.CrowdAt(account, w.Now()) }

// TakeDown has a post gone from its platform, as whoever asks for it is told. It stays in the
// world, for whoever asks what ever was, until the process ends.
func (w *World) TakeDown(p Post) { w.takenDown.Store(name{p.Account, p.ID}, struct{}{}) }

// IsTakenDown reports whether a post is gone.
func (w *World) IsTakenDown(p Post) bool {
	_, gone := w.takenDown.Load(name{p.Account, p.ID})
	return gone
}

// dice are numbers from 0 to 1 that follow from the seed and what they are about.
type dice struct{ state uint64 }

func (w *World) dice(about ...string) *dice {
	sum := sha256.New()
	_ = binary.Write(sum, binary.BigEndian, w.seed)
	for _, text := range append([]string{w.platform.String()}, about...) {
		sum.Write([]byte(text))
		sum.Write([]byte{0})
	}
	return &dice{binary.BigEndian.Uint64(sum.Sum(nil))}
}

// next is a step of SplitMix64 (prng.di.unimi.it/splitmix64.c).
func (d *dice) next() float64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}
