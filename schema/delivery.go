package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
)

// Step is what a claimed target needs next. Its number is stored: it never changes.
type Step int16

// The steps of an entry.
const (
	StepPrepare Step = iota // calls without a visible effect: uploads, containers
	StepPublish             // the one call that makes the entry visible
	StepFind                // a visible call was begun and its answer is not known
)

// Delivery is one claimed entry, or one claimed first comment, with everything a
// connector needs for its next step.
type Delivery struct {
	Ref       TargetRef
	Claim     int32 // number of the claim: a result with a lower one is late
	Step      Step
	Workspace WorkspaceID
	Account   Account
	// Credentials are unsealed by the pipeline right before the connector is called.
	Credentials Credentials
	// Reservation is of the one visible call; nil: the call reserves one by itself.
	Reservation Reservation

	Entry    int // position of the entry, from 0
	Entries  int // entries of the post
	Text     string
	Title    string
	Media    []Media
	Settings json.RawMessage // of this platform
	Receipts []Receipt       // entries of this target that are published
	Comment  *Comment        // set if a first comment or a reply is to be posted

	Progress json.RawMessage // what Prepare kept
	Error    *TargetError    // that the last step left with the target; nil: none
	Key      string          // a UUID, the same for every try of this entry or comment
	Since    time.Time       // when a visible call of the entry was first claimed
	// Restored: the database went back to a moment after Since, so that what is looked for may be of a
	// later call, of which neither the time nor the preparation is known.
	Restored     bool
	Known        []string     // native ids of what other entries have published to the profile since then
	Shared       bool         // another account is of the same profile, so its call may have made what a look finds
	Attempts     int          // failed calls so far
	FindAttempts FindAttempts // that found nothing since the open call
	Tries        int          // failed calls that end it
	DueAt        time.Time    // the base of lateness
	Until        time.Time    // DueAt plus the most it may be late: nothing waits longer; the stages set it
	Paused       bool         // claimed only to fail it, since a pause outlasted its deadline
	Deadline     time.Time    // of a visible call, on this process's clock; checked right before sending

	// Unsettled are entries that an earlier run left without knowing whether they are
	// published: each is looked for before it is called.
	Unsettled       EntrySet
	AcceptDuplicate bool   // whoever retried accepts a second post where nobody can tell
	Lost            string // why the call that is looked for has no answer; empty: nobody knows
	CannotFind      bool   // nobody can look for a lost call on this platform
	// Listed is how long what the call made may be missing where Find looks; NotMade does not wait.
	Listed time.Duration

	Unreadable error // why its row cannot be read, a fault of crier's own; nil: it can

	// Renews: a refusal of the credentials is not the end of the account yet. They are
	// renewed or checked, and the entry waits for that.
	Renews bool

	Pause           time.Duration // before the next entry of the chain
	ContinueOnError bool
	FirstComments   []PositionedComment
}

// Reservation is the right to make one call to a platform, taken before the claim that
// records the call and held until that call.
type Reservation interface {
	// Use uses it up; false if it was used or cancelled before, or is too old.
	Use() bool
	// Cancel gives it back, unless it was used.
	Cancel()
}

// TurnLease asks for n turns of a name in a row, a spacing apart.
type TurnLease struct {
	Name    string // of an app or an account
	N       int
	Burst   int // how many of them a name that was quiet may have at once
	Spacing time.Duration
	Within  time.Duration // how far ahead the first may be at most
}

// QuotaCost is what a call takes of a quota that a platform gives an app by the day.
type QuotaCost struct {
	Name string    // of the quota, among processes
	Day  time.Time // midnight, as the platform counts days; its date alone matters
	Cost int
	Max  int // that may be used of the day by then
}

// CallsAgain reports whether an earlier visible call of the entry was made under its key.
func (d Delivery) CallsAgain() bool { return d.Attempts > 0 || d.FindAttempts != 0 }

// Parent returns the receipt that the entry replies to: the last one published; nil for
// the first.
func (d Delivery) Parent() *Receipt {
	if len(d.Receipts) == 0 {
		return nil
	}
	return &d.Receipts[len(d.Receipts)-1]
}

// VisibleEntry is the position of the entry that the visible call makes, or comments on.
func (d Delivery) VisibleEntry() int {
	if d.Comment != nil {
		return d.Comment.Entry
	}
	return d.Entry
}

// VisibleText is the text that the visible call makes public: the entry's, or the comment's.
func (d Delivery) VisibleText() string {
	if d.Comment != nil {
		return d.Comment.Text
	}
	return d.Text
}

// ReplyTo is the native id of what the visible call makes a reply to: the entry before, or the
// one that is commented on; empty for none.
func (d Delivery) ReplyTo() string {
	parent := d.Parent()
	if d.Comment != nil {
		parent = d.Receipt(d.Comment.Entry)
	}
	if parent == nil {
		return ""
	}
	return parent.NativeID
}

// Root returns the receipt of the first published entry, nil if there is none.
func (d Delivery) Root() *Receipt {
	if len(d.Receipts) == 0 {
		return nil
	}
	return &d.Receipts[0]
}

// Receipt returns the receipt of the entry at a position, nil if it is not published.
func (d Delivery) Receipt(entry int) *Receipt {
	for i := range d.Receipts {
		if d.Receipts[i].Entry == entry {
			return &d.Receipts[i]
		}
	}
	return nil
}

// Progress is the result of Prepare.
type Progress struct {
	State json.RawMessage // stored, and passed to the next call of Prepare or Publish
	Ready bool            // Publish may be called
	// RetryIn is when to call again while the platform is busy.
	RetryIn time.Duration
	// Settings is what the platform says now that it allows the account: see Account.Settings;
	// empty: it was not asked, or has not said it. They are kept even if there is an error.
	Settings json.RawMessage
	// Advanced: the platform has more of the media than after any call before. What failed until
	// then no longer counts, so that a large upload outlasts any number of cuts.
	Advanced bool
}

// Verdict is what Find found, and how far it can be trusted.
type Verdict int

// The verdicts of Find.
const (
	// CannotTell: nobody will ever be able to tell. If the platform could not be asked,
	// or must be asked again later, Find returns an error instead.
	CannotTell Verdict = iota
	// Found: the receipt is of what the earlier call made. Together with an error of kind
	// Refused: it is published without something that was asked for, for the reason in the
	// error.
	Found
	// NotThere: it would be where Find looked, and is not. Twice, a settle time apart and as
	// long as the platform may take to list it, permits a second call. Together with an error
	// of kind Refused: the platform took the call and gave up on the post, for the reason in
	// the error. The entry fails.
	NotThere
	// SafeToRepeat: a look cannot tell, but the platform answers the same call under the
	// same key with what the first one made.
	SafeToRepeat
	// NotMade is NotThere by the word of what was prepared, which the platform knows at once
	// whatever its lists show: twice, a settle time apart, is enough.
	NotMade
)

// Times of the rules of the engine. A visible call ends within half of its lease, so that
// no late call overlaps a second one.
const (
	CallDeadline      = 24 * time.Second // of one visible call
	Lease             = 50 * time.Second // of a claim for a visible call, or a look
	PrepareLease      = 5 * time.Minute  // of a claim for uploads, which may be repeated
	SettleTime        = 5 * time.Second  // between a lease's end, or a look, and the next look
	VisibilityTimeout = 30 * time.Second // until a fired job fires again by itself
	AnnounceTimeout   = 8 * time.Second  // until the job of a post that is due at once fires, in case its announcement is lost
	FirstCommentDelay = 15 * time.Second // after the target is terminal
)

// Describe fills in what is to be published: this entry's part of the post's content, as
// the platform takes it. own is the target's override of the text.
func (d *Delivery) Describe(content Content, own string, limits Constraints) {
	platform := d.Account.Platform
	d.Entries = len(content.Entries)
	d.Settings = content.Settings[platform]
	d.Title = titleSetting(d.Settings)
	d.Tries = content.Tries()
	d.ContinueOnError = content.Thread != nil && content.Thread.ContinueOnError
	d.FirstComments = commentsFor(content.FirstComments, limits.FirstComment)
	d.Pause, d.CannotFind = limits.Thread.Pause, limits.CannotFind
	if d.Entry < len(content.Entries) {
		d.Text = content.TextFor(d.Entry, platform, own)
		d.Media = content.Entries[d.Entry].Media
	}
	d.Key, d.Listed = entryKey(d.Ref, d.Entry), limits.For(&d.Account).Listing.of(d)
}

// DescribeReply fills in what a reply needs of what it answers, which stands in the place of
// a published entry.
func (d *Delivery) DescribeReply(limits Constraints) {
	to := d.Comment.ReplyTo
	d.Text, d.Tries, d.Entries = d.Comment.Text, DefaultTries, 1
	d.Listed = limits.For(&d.Account).Listing.of(d)
	d.Receipts = []Receipt{{NativeID: to.NativeID, State: to.State}}
	d.Key = keyOf(append([]byte("reply"), d.Comment.ID[:]...))
}

// IsReply reports whether a reply to somebody is to be posted.
func (d Delivery) IsReply() bool { return d.Comment != nil && d.Comment.ReplyTo != nil }

// PositionedComment is a first comment with its position among those of the post.
type PositionedComment struct {
	Position int
	FirstComment
}

// commentsFor leaves out the comments that the platform does not take; the others keep
// their positions.
func commentsFor(comments []FirstComment, limit CommentLimit) []PositionedComment {
	var taken []PositionedComment
	for i, c := range comments {
		if limit.Takes(c) {
			taken = append(taken, PositionedComment{i, c})
		}
	}
	return taken
}

// entryKey is a UUID (version 8), the same for every try of an entry and for nothing
// else.
func entryKey(ref TargetRef, entry int) string {
	name := binary.BigEndian.AppendUint16(ref.Post[:], uint16(ref.N))
	name = binary.BigEndian.AppendUint16(name, uint16(entry))
	return keyOf(name)
}

func keyOf(name []byte) string {
	sum := sha256.Sum256(name)
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func titleSetting(settings json.RawMessage) string {
	var s struct {
		Title string `json:"title"`
	}
	if len(settings) == 0 || json.Unmarshal(settings, &s) != nil {
		return ""
	}
	return s.Title
}

// DescribeComment fills in what a first comment needs of its post.
func (d *Delivery) DescribeComment(content Content, limits Constraints) {
	d.Describe(content, "", limits)
	d.Text = d.Comment.Text
	d.Tries = DefaultTries
	d.Key, d.Listed = keyOf(append([]byte("comment"), d.Comment.ID[:]...)), limits.For(&d.Account).Listing.of(d)
}

// OpenClaim is what giving a claim back needs.
type OpenClaim struct {
	Claim  int32 // its number; 0: nothing is claimed
	Called bool  // a visible call may have been made under it
}

// OpenClaim returns what giving the claim back needs, and why it cannot be worked on, if so.
func (d Delivery) OpenClaim() (OpenClaim, error) {
	return OpenClaim{d.Claim, d.Unreadable == nil}, d.Unreadable
}

// OpenClaim returns what giving the claim back needs, and why it cannot be worked on, if so.
func (d NotifyDelivery) OpenClaim() (OpenClaim, error) {
	return OpenClaim{Claim: d.Claim}, d.Unreadable
}

// OpenClaim returns what giving the claim back needs.
func (v Renewal) OpenClaim() (OpenClaim, error) { return OpenClaim{Claim: v.Claim}, nil }
