package schema

import (
	"slices"
	"time"
)

// Collected is what is read of an account on its platform, again and again. Its number is
// stored: it never changes.
type Collected int16

// What is collected.
const (
	CollectMetrics   Collected = iota + 1 // how its posts do
	CollectFollowers                      // how it does itself
	CollectComments                       // what people write under its posts
	CollectMentions                       // what else names it
)

var collectedNames = [...]string{CollectMetrics: "metrics", CollectFollowers: "followers", CollectComments: "comments", CollectMentions: "mentions"}

// String returns its name in metrics.
func (c Collected) String() string {
	if c < CollectMetrics || int(c) >= len(collectedNames) {
		return "unknown"
	}
	return collectedNames[c]
}

// AllCollected returns everything that is collected of some platform.
func AllCollected() []Collected {
	return []Collected{CollectMetrics, CollectFollowers, CollectComments, CollectMentions}
}

// collected says of which platforms what is collected, since that is known before anything of
// an account is: docs/collecting.md has the sources. The catalog's connectors can do it.
var collected = map[Collected][]Platform{
	CollectMetrics:   {Twitter, Instagram, Facebook, Threads, Bluesky, YouTube, Mastodon, LinkedIn, TikTok, Pinterest},
	CollectFollowers: {Twitter, Instagram, Facebook, Threads, Bluesky, YouTube, Mastodon, LinkedIn, TikTok, Pinterest, Telegram},
	CollectComments:  {Twitter, Instagram, Facebook, Threads, Bluesky, YouTube, Mastodon, LinkedIn},
	CollectMentions:  {Twitter, Threads, Bluesky, Mastodon},
}

// Collects reports whether something is collected of the platform.
func (p Platform) Collects(what Collected) bool { return slices.Contains(collected[what], p) }

// snapshotAges are how old a post is when its metrics are read: often at first, when they
// change most.
var snapshotAges = [...]time.Duration{
	15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

// SnapshotSlots is how often the metrics of a post are read.
const SnapshotSlots = len(snapshotAges)

// SnapshotEarly is how much before its time a look may come: those of one account that are due
// within it share a call.
const SnapshotEarly = time.Minute

// SnapshotAge returns how old a post is at a look of the schedule, from 0.
func SnapshotAge(slot int16) time.Duration { return snapshotAges[slot] }

// FirstCommentLook is how old a post is when it is first looked for comments under.
const FirstCommentLook = 5 * time.Minute

// Snapshot is the next look at the metrics of a published target.
type Snapshot struct {
	PublishedPost
	Slot int16 // which of the schedule
}

// At returns the snapshot as the look of now: if several were missed it is the last of them,
// since nobody tells what was before.
func (s Snapshot) At(now time.Time) Snapshot {
	for int(s.Slot)+1 < SnapshotSlots && !now.Before(s.PostedAt.Add(SnapshotAge(s.Slot+1)).Add(-SnapshotEarly)) {
		s.Slot++
	}
	return s
}

// Next returns the slot of the look that follows, and when it is due; more is false after the
// last.
func (s Snapshot) Next() (slot int16, due time.Time, more bool) {
	if slot = s.Slot + 1; int(slot) >= SnapshotSlots {
		return slot, time.Time{}, false
	}
	return slot, s.PostedAt.Add(SnapshotAge(slot)), true
}

// Collection is one claimed step of what is read of an account.
type Collection struct {
	ID       CollectionID
	Account  Account
	What     Collected
	Cursor   string // where the last step has ended, as its collector writes it
	Claim    int32
	Attempts int        // failed steps in a row
	Due      []Snapshot // of CollectMetrics: what is to be read, the oldest first
	Recent   []Snapshot // of CollectComments: the account's posts, the newest first
	Deadline time.Time  // of the calls, on this process's clock
}

// OpenClaim returns what giving the claim back needs.
func (c Collection) OpenClaim() (OpenClaim, error) { return OpenClaim{Claim: c.Claim}, nil }

// CollectionResult is what a step has come to.
type CollectionResult struct {
	Collection
	Facts    []Event
	Received []Received // what people wrote; what is known already is stored once
	Whole    []WholeLook
	Read     []Snapshot // of Due: at which was looked; their next look follows
	Gone     []Snapshot // of Due: at which nobody will look again
	NextAt   time.Time  // of CollectMetrics: not before it; zero: when it is due
	Attempts int
	// Permitted tells whether the account may be read so; nil: it is as it was.
	Permitted *bool
}

// WholeLook is a look under a post that has read everything: what it did not see is not there any
// more.
type WholeLook struct {
	Post   PostID
	Seen   []string // native ids
	Nested bool     // with all answers to comments; else of what answers the post itself alone
}

// CollectionID names what is collected of an account.
type CollectionID = ID[collectionKind]

type collectionKind struct{}

func (collectionKind) Prefix() string { return "col" }

// CollectMessage asks to take one collection one step on.
type CollectMessage struct {
	Collection CollectionID `json:"collection"`
	Workspace  WorkspaceID  `json:"workspace"`
	Account    AccountID    `json:"account"`
	Platform   Platform     `json:"platform"`
	What       Collected    `json:"what"`
}

// Subject is the collection.
func (m CollectMessage) Subject() Subject { return Subject{ID: m.Collection} }

// Check returns an error where the message cannot be one of this version of crier.
func (m CollectMessage) Check() error { return present(m.Collection, m.Account, m.Workspace) }
