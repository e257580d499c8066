package graph

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"crier/schema"
)

const (
	maxPages = 25 // of 100 at most: no profile may publish as much in a day

	// clockSlack is how far a post may lie before the claim and still follow on it, by the
	// platform's own clock: its times are cut to seconds.
	clockSlack = 3 * time.Second
	// clockDoubt is how far clocks may be apart: a like post from that time before the claim
	// may be the one that is looked for, or an older one.
	clockDoubt = time.Minute
	// inFlight is how long after its claim a call may still be answered.
	inFlight = schema.CallDeadline + schema.SettleTime
	// doubtLast is how long after its claim a post in doubt is looked at again.
	doubtLast = 10 * time.Minute
)

// Post is what is read of a post or a comment in a list.
type Post struct {
	ID          string `json:"id"`
	Text        string `json:"text"`
	Caption     string `json:"caption"` // what instagram calls a post's text
	Timestamp   Time   `json:"timestamp"`
	Permalink   string `json:"permalink"`
	MediaType   string `json:"media_type"`
	ProductType string `json:"media_product_type"`
	RepliedTo   struct {
		ID string `json:"id"`
	} `json:"replied_to"`
}

// Page is a part of a list, the newest first.
type Page struct {
	Data   []Post `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`
}

// Whole tells whether an answer can show that something is not there: a null or a post without
// a time would pass for the end of the list.
func (p Page) whole() bool {
	return p.Data != nil && !slices.ContainsFunc(p.Data, func(one Post) bool { return one.ID == "" || one.Timestamp.IsZero() })
}

// Search looks for what a delivery may have made in a list of the account's own.
type Search struct {
	// Page reads the part of the list after a cursor, with the header of the answer.
	Page func(ctx context.Context, after string) (Page, http.Header, error)
	// IsLike tells whether a post is what the delivery would have made, as far as it shows.
	IsLike func(Post) bool
	// IsPublished tells that it is there for certain, wherever.
	IsPublished bool
	Now         func() time.Time
}

// sighting is what a list shows of a post that is looked for.
type sighting struct {
	post  *Post         // the oldest that follows on the claim and is nobody else's
	age   time.Duration // of that post, by the platform's clock
	doubt bool          // one was there right before the claim
	whole bool          // all since the claim were read
}

// Find reads the list back to when the call was claimed: the oldest like post that is nobody
// else's counts. The post is nil unless the verdict is Found.
func (s Search) Find(ctx context.Context, d schema.Delivery) (*Post, schema.Verdict, error) {
	if ahead := d.Since.Sub(s.Now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return nil, schema.CannotTell, LookLater(ahead, "the claim is in the future")
	}
	seen, err := s.look(ctx, d)
	switch {
	case err != nil:
		return nil, schema.CannotTell, WithoutEnd(err)
	case seen.post != nil && d.Shared && seen.age < inFlight:
		return nil, schema.CannotTell, LookLater(inFlight-seen.age, "the profile has a like post that may be another account's")
	case seen.post != nil:
		return seen.post, schema.Found, nil
	case s.IsPublished:
		return nil, schema.CannotTell, LookLater(0, "it is published, and the platform does not list it yet")
	case seen.doubt && s.Now().Sub(d.Since) < doubtLast:
		return nil, schema.CannotTell, LookLater(0, "the profile has a like post that may be another's")
	case seen.doubt || !seen.whole:
		return nil, schema.CannotTell, nil
	default:
		return nil, schema.NotThere, nil
	}
}

// LookLater is the error of a look that can tell nothing yet.
func LookLater(wait time.Duration, why string) error {
	return &schema.Error{Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime), Message: why}
}

func (s Search) look(ctx context.Context, d schema.Delivery) (seen sighting, err error) {
	after := ""
	for range maxPages {
		page, header, err := s.Page(ctx, after)
		if err != nil {
			return seen, err
		}
		if !page.whole() {
			return seen, &schema.Error{Kind: schema.Retryable, Message: "the platform's answer is no list of posts"}
		}
		skew := s.skew(header)
		since := d.Since.Add(skew)
		for _, p := range page.Data {
			at := p.Timestamp.Time
			switch {
			case isAccountedFor(d, p) || !s.IsLike(p) || at.Before(since.Add(-clockDoubt)):
			case at.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.post == nil || !at.After(seen.post.Timestamp.Time):
				seen.post, seen.age = &p, s.Now().Add(skew).Sub(at)
			}
		}
		after = page.Paging.Cursors.After
		if n := len(page.Data); n == 0 || after == "" || page.Data[n-1].Timestamp.Before(since.Add(-clockDoubt)) {
			seen.whole = true
			return seen, nil
		}
	}
	return seen, nil
}

// isAccountedFor tells whether a post is known to be another's than this delivery's.
func isAccountedFor(d schema.Delivery, p Post) bool {
	return slices.Contains(d.Known, p.ID) || slices.ContainsFunc(d.Receipts, func(r schema.Receipt) bool { return r.NativeID == p.ID })
}

// skew is how far the platform's clock is ahead of ours.
func (s Search) skew(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return at.Sub(s.Now())
}

// SameText compares texts but for what platforms change in them: the space, and the sign of
// a hashtag that becomes a topic.
func SameText(a, b string) bool { return letters(a) == letters(b) }

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '#' {
			return -1
		}
		return r
	}, text)
}
