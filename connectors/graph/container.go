package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/connectors/media"
	"crier/schema"
)

// The statuses of a container: what instagram and threads make of a post before anybody sees
// it (developers.facebook.com/docs/threads/troubleshooting and
// docs/instagram-platform/instagram-graph-api/reference/ig-container).
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Published  = "PUBLISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
)

// State is how a container stands.
type State struct {
	Status string
	Reason string // why it failed, in the platform's words
	Passes bool   // another container of the same may not fail
}

// isKnown reports whether the platform has answered with a status there is.
func (s State) isKnown() bool {
	return slices.Contains([]string{InProgress, Finished, Published, Failed, Expired}, s.Status)
}

// Failure is why a container that failed, or that nobody published in time, cannot be used.
func (s State) Failure() *schema.Error {
	switch reason := cmp.Or(s.Reason, "no reason given"); {
	case s.Status == Expired:
		return &schema.Error{Kind: schema.Retryable, Message: "the platform has dropped what was prepared, since it was not published within a day"}
	case s.Passes:
		return &schema.Error{Kind: schema.Retryable, Message: "the platform could not make the post ready: " + reason}
	default:
		return &schema.Error{Kind: schema.Refused, Message: "the platform does not take the media: " + reason}
	}
}

// Part is what a container is of: the whole post, or an item of a carousel.
type Part struct {
	Item     int              // position of the item; WholePost: the post
	Kind     schema.MediaKind // of the item, or of the post's only one; empty: it has none
	Children []string         // of a carousel, the containers of its items, in order
}

// WholePost is the Item of a Part that is the post.
const WholePost = -1

// Maker makes containers on one platform.
type Maker interface {
	// Fields returns what the container of a part is asked for with.
	Fields(d schema.Delivery, p Part) (url.Values, error)
	// Create makes a container, which nobody can see, and returns its id.
	Create(ctx context.Context, d schema.Delivery, fields url.Values) (string, error)
	// Look asks once how a container stands.
	Look(ctx context.Context, d schema.Delivery, id string) (State, error)
}

// Containers prepares entries.
type Containers struct {
	Maker
	Media       media.Source
	Constraints schema.Constraints
	Now         func() time.Time
	// IsGone reports whether an error says that the platform does not know a container.
	IsGone func(error) bool
	// VideoReplyRest is how long the container of a reply with a video rests once it is ready.
	VideoReplyRest time.Duration
}

// Look asks once how a container stands. Without an error, its status is known.
func (c Containers) Look(ctx context.Context, d schema.Delivery, id string) (State, error) {
	state, err := c.Maker.Look(ctx, d, id)
	if err == nil && !state.isKnown() {
		err = &schema.Error{Kind: schema.Retryable, Message: "the platform does not say how the container stands", Err: errNoStatus}
	}
	return state, err
}

// errNoStatus is the cause of the error of a look that does not say how a container stands.
var errNoStatus = errors.New("there is no status in the answer")

// GoneWait is when a container is published again that the platform does not know.
const GoneWait = 10 * time.Second

const (
	// The pauses between two looks at a container double from one to the other: pictures are
	// ready soon, and of videos Meta asks for a look a minute.
	firstPause = 2 * time.Second
	lastPause  = time.Minute
	// MaxWork is for how long a platform may work on a post; Meta speaks of five minutes.
	MaxWork = 30 * time.Minute
)

// progress is what is kept of an entry between two calls of Prepare.
type progress struct {
	Items []container `json:"items,omitempty"` // of a carousel, by the position of the item
	Post  container   `json:"post,omitzero"`
	Looks int         `json:"looks,omitempty"` // that found the platform at work
	Since int64       `json:"since,omitempty"` // when the first container was made, in seconds since 1970
	Video bool        `json:"video,omitempty"` // there is one among the media
	Rests int64       `json:"rests,omitempty"` // until when the post's container rests, in seconds since 1970
}

type container struct {
	ID    string `json:"id"`
	Ready bool   `json:"ready,omitempty"`
}

func (p *progress) note(kind schema.MediaKind) { p.Video = p.Video || kind == schema.Video }

// Prepared returns the id of the container that is to be published.
func Prepared(d schema.Delivery) (string, error) {
	p, err := connectors.ProgressOf[progress](d)
	if err == nil && p.Post.ID == "" {
		err = &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: "the post has no container yet"}
	}
	return p.Post.ID, err
}

// Prepare makes the entry's containers and looks once at each that is not ready. An error
// comes with what was made before it.
func (c Containers) Prepare(ctx context.Context, d schema.Delivery) (schema.Progress, error) {
	p, err := connectors.ProgressOf[progress](d)
	if err != nil {
		return schema.Progress{}, err
	}
	err = c.advance(ctx, d, &p)
	rest := c.rest(d, &p)
	result := schema.Progress{Ready: err == nil && p.Post.Ready && rest <= 0}
	switch {
	case err != nil || result.Ready:
	case p.Post.Ready:
		result.RetryIn = rest
	default:
		result.RetryIn = min(firstPause<<min(p.Looks, 10), lastPause)
		p.Looks++
	}
	var encodeErr error
	if result.State, encodeErr = json.Marshal(p); encodeErr != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", encodeErr)
	}
	return result, err
}

// rest returns how long the post's container rests before it is published.
func (c Containers) rest(d schema.Delivery, p *progress) time.Duration {
	if !p.Post.Ready || !p.Video || d.ReplyTo() == "" || c.VideoReplyRest == 0 {
		return 0
	}
	if p.Rests == 0 {
		p.Rests = c.Now().Add(c.VideoReplyRest).Unix()
	}
	return time.Unix(p.Rests, 0).Sub(c.Now())
}

// advance takes the entry as far as it goes without waiting.
func (c Containers) advance(ctx context.Context, d schema.Delivery, p *progress) error {
	if p.Post.ID == "" {
		if err := c.make(ctx, d, p); err != nil || p.Post.ID == "" {
			return err
		}
	}
	return c.settle(ctx, d, p, &p.Post)
}

// make makes the containers up to the post's own, which a carousel has once its items are
// ready.
func (c Containers) make(ctx context.Context, d schema.Delivery, p *progress) error {
	if p.Since == 0 {
		p.Since = c.Now().Unix()
	}
	whole := Part{Item: WholePost}
	switch {
	case len(d.Media) == 1:
		item, err := media.Inspect(ctx, c.Media, d.Media[0], c.Constraints.Of(d))
		if err != nil {
			return err
		}
		d.Media, whole.Kind = []schema.Media{item}, item.Facts.Kind
		p.note(whole.Kind)
	case len(d.Media) > 1:
		if err := c.makeItems(ctx, d, p); err != nil {
			return err
		}
		for i := range p.Items {
			if err := c.settle(ctx, d, p, &p.Items[i]); err != nil {
				return err
			}
			if !p.Items[i].Ready {
				return nil
			}
			whole.Children = append(whole.Children, p.Items[i].ID)
		}
	}
	fields, err := c.Fields(d, whole)
	if err != nil {
		return err
	}
	p.Post.ID, err = c.Create(ctx, d, fields)
	return err
}

// makeItems makes the containers of a carousel's items that have none. All are looked at
// first, so that nothing is made for an entry that cannot be published.
func (c Containers) makeItems(ctx context.Context, d schema.Delivery, p *progress) error {
	first := len(p.Items)
	d.Media = slices.Clone(d.Media)
	requests := make([]url.Values, len(d.Media))
	for i := first; i < len(d.Media); i++ {
		item, err := media.Inspect(ctx, c.Media, d.Media[i], c.Constraints.Of(d))
		if err != nil {
			return fmt.Errorf("looking at media item %d: %w", i, err)
		}
		d.Media[i] = item
		p.note(item.Facts.Kind)
		if requests[i], err = c.Fields(d, Part{Item: i, Kind: item.Facts.Kind}); err != nil {
			return err
		}
	}
	for i := first; i < len(d.Media); i++ {
		id, err := c.Create(ctx, d, requests[i])
		if err != nil {
			return err
		}
		p.Items = append(p.Items, container{ID: id})
	}
	return nil
}

// settle looks at a container unless it is ready. One that failed, or that the platform works
// on for ever, is dropped with all others: the next try makes them again. One that the platform lets
// nobody read is looked at for as long as it may work on it; then the call that publishes it tells.
func (c Containers) settle(ctx context.Context, d schema.Delivery, p *progress, item *container) error {
	if item.Ready {
		return nil
	}
	state, err := c.Look(ctx, d, item.ID)
	switch {
	case err != nil && c.IsUnread(err):
		item.Ready = c.Now().Sub(time.Unix(p.Since, 0)) > MaxWork
		return nil
	case err != nil:
		return err
	case state.Status == Finished || state.Status == Published:
		item.Ready = true
		return nil
	case state.Status != InProgress:
		*p = progress{}
		return state.Failure()
	case c.Now().Sub(time.Unix(p.Since, 0)) > MaxWork:
		*p = progress{}
		return &schema.Error{Kind: schema.Retryable, Message: fmt.Sprintf("the platform did not make the post ready within %s", MaxWork)}
	}
	return nil
}

// Find looks for what a delivery's container became: the container knows whether it was
// published, and the account's own list as what. Where the container is gone, after a day or
// more, the list alone tells, and also of a first comment. NotMade is the container's word.
func (c Containers) Find(ctx context.Context, d schema.Delivery, s Search) (listing.Item, schema.Verdict, error) {
	p, err := connectors.ProgressOf[progress](d)
	if err != nil {
		return listing.Item{}, schema.CannotTell, err
	}
	if p.Post.ID == "" || d.Comment != nil {
		return s.Find(ctx, d)
	}
	state, err := c.Look(ctx, d, p.Post.ID)
	switch {
	case err != nil && c.IsGone(err):
	case err != nil:
		return listing.Item{}, schema.CannotTell, connectors.WithoutEnd(err)
	case state.Status == InProgress:
		return listing.Item{}, schema.CannotTell, listing.LookLater(0, "the platform still works on the container")
	case state.Status == Published:
		s.published = true
	case d.Error == nil || !strings.Contains(d.Error.Message, saysUnknown):
		return listing.Item{}, schema.NotMade, nil
	default: // it was refused as unknown though it reads as ready: its status may be old
		item, verdict, err := s.Find(ctx, d)
		if verdict == schema.NotThere {
			verdict = schema.NotMade
		}
		return item, verdict, err
	}
	return s.Find(ctx, d)
}

// What a target shows whose container the platform did not know. The next step knows of it by these words,
// which are crier's own, never a platform's: an error keeps nothing else from one step to the next, and
// what a look makes of it may put words before them.
const (
	saysUnknown  = "the platform does not know what was prepared"
	saysUnlisted = saysUnknown + ", and lists no such post"
)

// IsUnread reports whether a container may be there though its read was refused, or did not say how it
// stands: right after it was made, some servers do not know it yet, and in May 2026 none did for days, though
// it could be published (gitroomhq/postiz-app #1562); clients read on without a status, or take it for
// finished (trypost-it/trypost 0277643, getopenpost/openpost af01882).
func (c Containers) IsUnread(err error) bool {
	r, ok := errors.AsType[Error](err)
	return c.IsGone(err) || errors.Is(err, errNoStatus) || ok && r.lacksPermission()
}

// Unpublishable judges that a platform knows no container to publish. It says so of one that
// is published, too, and of one that it will know in a moment: the container itself tells. One that
// reads as ready, or that cannot be read though no call was lost, is made anew after the second such
// answer, where the account's list has shown twice that nothing was published (gitroomhq/postiz-app
// #2047).
func (c Containers) Unpublishable(ctx context.Context, d schema.Delivery, id string, s Search, cause error) error {
	state, err := c.Look(ctx, d, id)
	isUnread := err != nil && c.IsUnread(err) && (!d.CallsAgain() || d.Error != nil && d.Error.Message == saysUnlisted)
	switch {
	case isUnread || err == nil && state.Status == Finished:
		return c.unlisted(ctx, d, s, cause)
	case err == nil && (state.Status == Failed || state.Status == Expired):
		return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: "the platform has dropped what was prepared", Err: cause}
	case err == nil && state.Status == Published:
		return publishedAlready(cause)
	case d.CallsAgain() && (err != nil || state.Status == InProgress): // by the earlier call: it was ready before that
		return &schema.Error{Kind: schema.Unknown, Message: "the platform may be publishing what was prepared", Err: cause}
	default:
		return &schema.Error{Kind: schema.Retryable, RetryAfter: GoneWait, Message: saysUnknown, Err: cause}
	}
}

// Refused judges that a container was refused to be published. Some go up all the same, and whoever publishes
// one once more has it twice (gitroomhq/postiz-app #1681, of 4/2207051): the container tells, where it is read.
func (c Containers) Refused(ctx context.Context, d schema.Delivery, id string, refused error) error {
	e, ok := errors.AsType[*schema.Error](refused)
	if !ok || e.Kind != schema.Refused && !e.Doubtful {
		return refused
	}
	if state, err := c.Look(ctx, d, id); err != nil || state.Status != Published {
		return refused
	}
	return publishedAlready(refused)
}

func publishedAlready(cause error) error {
	return &schema.Error{Kind: schema.Duplicate, Message: "what was prepared is published already", Err: cause}
}

// unlisted judges by the account's list, twice, a settle time apart.
func (c Containers) unlisted(ctx context.Context, d schema.Delivery, s Search, cause error) error {
	_, verdict, err := s.Find(ctx, d)
	switch {
	case verdict != schema.NotThere:
		return &schema.Error{Kind: schema.Unknown, Message: saysUnknown, Err: errors.Join(cause, err)}
	case d.Error != nil && d.Error.Message == saysUnlisted && c.Now().Sub(d.Error.At) >= schema.SettleTime:
		return &schema.Error{Kind: schema.Retryable, Unprepared: true, Message: saysUnlisted, Err: cause}
	default:
		return &schema.Error{Kind: schema.Retryable, RetryAfter: GoneWait, Message: saysUnlisted, Err: cause}
	}
}
