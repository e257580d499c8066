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
	StepPrepare Step = iota // what nobody can see: uploads, containers
	StepPublish             // the one call that makes the entry visible
	StepFind                // a visible call was begun and its answer is not known
)

// Delivery is one claimed entry, or one claimed first comment, with all a connector
// needs to take it one step on.
type Delivery struct {
	Ref       TargetRef
	Claim     int32 // number of the claim: a result with an older one comes late
	Step      Step
	Workspace WorkspaceID
	Account   Account
	// Credentials are unsealed by the pipeline right before the connector is called.
	Credentials Credentials
	// Turn is reserved for the one visible call; nil: the call finds a turn by itself.
	Turn Turn

	Entry    int // position of the entry, from 0
	Entries  int // entries of the post
	Text     string
	Title    string
	Media    []Media
	Settings json.RawMessage // of this platform
	Receipts []Receipt       // entries of this target that are published
	Comment  *Comment        // set when a first comment is to be posted

	Progress json.RawMessage // what Prepare kept
	Key      string          // a UUID, the same for every try of this entry or comment
	Since    time.Time       // when a visible call of it was first claimed
	Known    []string        // native ids of what else was published to the profile since then: not ours
	Shared   bool            // the profile is connected by another account, too, whose call may have made what a look sees
	Attempts int             // failed calls so far
	Looked   int             // how often Find has said NotThere since the open call; see repeated
	Tries    int             // failed calls that end it
	DueAt    time.Time       // the base of lateness
	Until    time.Time       // nothing waits past it: DueAt and the most it may be late; the stages set it
	Paused   bool            // claimed because its deadline is over: nothing goes out
	Deadline time.Time       // of a visible call, on this process's clock; checked right before sending

	// Unsettled are entries of which an earlier run did not find out whether they are there:
	// each is looked for before it is called.
	Unsettled       EntrySet
	AcceptDuplicate bool // whoever retried accepts a second post of those where nobody can tell
	Blind           bool // nobody can look up what became of a lost call on this platform

	Unreadable error // why what is stored of it makes no sense, a fault of crier's own; nil: it does

	// Renews tells that a refusal of the credentials is no end: they are looked after, and
	// the entry waits for what comes of it.
	Renews bool

	Pause           time.Duration // before the next entry of the chain
	ContinueOnError bool
	FirstComments   []AskedComment
}

// Turn is the turn of one call to a platform, reserved before the claim that records the
// call. Whoever reserved it holds it until that call.
type Turn interface {
	// Use tells whether the turn is there, and uses it up: once, and not too late.
	Use() bool
	// Cancel gives the turn to others, unless it was used.
	Cancel()
}

// CallsAgain tells whether an earlier visible call of the entry was made under its key.
func (d Delivery) CallsAgain() bool { return d.Attempts > 0 || d.Looked != 0 }

// Parent returns the receipt the entry hangs on: the last one published, nil for the first.
func (d Delivery) Parent() *Receipt {
	if len(d.Receipts) == 0 {
		return nil
	}
	return &d.Receipts[len(d.Receipts)-1]
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

// Progress is what Prepare came to.
type Progress struct {
	State json.RawMessage // to keep; the next call of Prepare and Publish gets it
	Ready bool            // Publish may be called
	// RetryIn is when to come again while the platform is busy.
	RetryIn time.Duration
}

// Verdict is what Find found, and how far it can be trusted.
type Verdict int

// The verdicts of Find.
const (
	// CannotTell: nobody will ever be able to tell. A platform that could not be asked, or
	// is to be asked again later, is an error instead.
	CannotTell Verdict = iota
	// Found: the receipt is of what the earlier call made.
	Found
	// NotThere: looked where it would be, and by a look-up that sees it. Twice, a
	// settle time apart, permits a second try.
	NotThere
	// SafeToRepeat: nobody can tell by looking, but the platform answers the same call under
	// the same key with what the first one made.
	SafeToRepeat
)

// Times of the rules of the engine. A visible call ends before half of its lease, so
// that no late call meets a second one.
const (
	CallDeadline      = 24 * time.Second // of one visible call
	Lease             = 50 * time.Second // of a claim for a visible call, or a look
	PrepareLease      = 5 * time.Minute  // of a claim for uploads, which may be repeated
	SettleTime        = 5 * time.Second  // between a lease's end, or a look, and the next look
	VisibilityTimeout = 30 * time.Second // until a fired job fires again by itself
	FirstCommentDelay = 15 * time.Second // after the target is terminal
)

// Describe fills in what is to be published: the part of the post's content that this
// entry is, as the platform takes it. own is the target's override of the text.
func (d *Delivery) Describe(content Content, own string, limits Constraints) {
	platform := d.Account.Platform
	d.Entries = len(content.Entries)
	d.Settings = content.Settings[platform]
	d.Title = titleSetting(d.Settings)
	d.Tries = content.Tries()
	d.ContinueOnError = content.Thread != nil && content.Thread.ContinueOnError
	d.FirstComments = commentsFor(content.FirstComments, limits.FirstComment)
	d.Pause, d.Blind = limits.Thread.Pause, limits.Blind
	if d.Entry < len(content.Entries) {
		d.Text = content.TextFor(d.Entry, platform, own)
		d.Media = content.Entries[d.Entry].Media
	}
	d.Key = entryKey(d.Ref, d.Entry)
}

// AskedComment is a first comment with its place among those of the post.
type AskedComment struct {
	Position int
	FirstComment
}

// commentsFor leaves out the comments that the platform does not take; the others keep
// their places.
func commentsFor(comments []FirstComment, limit CommentLimit) []AskedComment {
	var taken []AskedComment
	for i, c := range comments {
		if limit.Takes(c) {
			taken = append(taken, AskedComment{i, c})
		}
	}
	return taken
}

// entryKey is a UUID (version 8) that every try of an entry shares and nothing else has.
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
	d.Key = keyOf(append([]byte("comment"), d.Comment.ID[:]...))
}
