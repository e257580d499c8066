// Package listing settles what became of a visible call by listing what an account has
// published since, for platforms that offer no better way.
//
//	pages, the newest first ──▶ Find ─┬─ made by this delivery alone ─▶ found
//	                                  ├─ like it, since the claim, nobody else's ─▶ found: the oldest
//	                                  ├─ like it, right before the claim ─▶ doubt: look again, then nobody can tell
//	                                  └─ none, and all since the claim were read ─▶ not there
package listing

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"crier/schema"
)

const (
	maxPages = 25 // no account of ours publishes as much between a claim and a look
	// clockSlack is how far an item may lie before the claim and still follow on it, by the
	// platform's own clock: its Date header is cut to seconds, and read after it was written.
	clockSlack = 3 * time.Second
	// clockDoubt is how far the clocks behind a platform may be apart.
	clockDoubt = time.Minute
	// inFlight is how long after its claim a call may still be answered.
	inFlight = schema.CallDeadline + schema.SettleTime
	// doubtLast is how long after its claim an item in doubt is looked at again: the claim
	// that it may be of settles, or nobody will ever tell.
	doubtLast = 10 * time.Minute
)

// Item is one post or comment that a listing shows.
type Item struct {
	ID, URL string
	At      time.Time // when it was made, by the platform's clock
	Alike   bool      // it looks as the delivery's would
	Own     bool      // it holds what this delivery alone has, such as its upload
}

// Page is a part of a listing.
type Page struct {
	Items []Item
	// Until is a time after which nothing that follows was made; zero: it may be of any time.
	Until time.Time
	Next  string        // where the listing goes on; empty: it is over
	Skew  time.Duration // how far the platform's clock is ahead
}

// Skew returns how far the clock of who wrote an answer is ahead.
func Skew(header http.Header, now time.Time) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return at.Sub(now)
}

// OfFirstCall judges the refusal of a visible call. One that is a duplicate speaks of an
// earlier call of the entry; where there was none, it is of another post, and final.
func OfFirstCall(d schema.Delivery, err error) error {
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != schema.Duplicate || d.CallsAgain() {
		return err
	}
	return &schema.Error{Kind: schema.Refused, Message: e.Message, Err: err}
}

// sighting is what the listing shows of the item that is looked for.
type sighting struct {
	item  *Item
	age   time.Duration // of that item, by the platform's clock
	doubt bool          // one was there right before the claim
	whole bool          // all since the claim were read
}

// Find looks for what a delivery's call has made, and settles by count: the oldest item like
// it that is nobody else's counts as its own, so that as many claims of one text as there
// are items of it find one each, in whatever order they look. read returns the page of a
// Page's Next, the first for an empty one.
func Find(ctx context.Context, d schema.Delivery, now func() time.Time, read func(ctx context.Context, next string) (Page, error)) (Item, schema.Verdict, error) {
	if ahead := d.Since.Sub(now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return Item{}, schema.CannotTell, lookLater(ahead)
	}
	seen, err := look(ctx, d, now, read)
	switch {
	case err != nil:
		return Item{}, schema.CannotTell, err
	case seen.item != nil && !seen.item.Own && d.Shared && seen.age < inFlight:
		// It may be what a call of another account made, which will say so in time.
		return Item{}, schema.CannotTell, lookLater(inFlight - seen.age)
	case seen.item != nil:
		return *seen.item, schema.Found, nil
	case seen.doubt && now().Sub(d.Since) < doubtLast:
		return Item{}, schema.CannotTell, lookLater(schema.SettleTime)
	case seen.doubt || !seen.whole:
		return Item{}, schema.CannotTell, nil
	default:
		return Item{}, schema.NotThere, nil
	}
}

func lookLater(wait time.Duration) error {
	return &schema.Error{
		Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime),
		Message: "the account has a like post that may be another's",
	}
}

func look(ctx context.Context, d schema.Delivery, now func() time.Time, read func(ctx context.Context, next string) (Page, error)) (seen sighting, err error) {
	next := ""
	for range maxPages {
		page, err := read(ctx, next)
		if err != nil {
			return seen, err
		}
		since := d.Since.Add(page.Skew)
		for _, item := range page.Items {
			switch {
			case isAccountedFor(d, item):
			case item.Own:
				return sighting{item: &item}, nil
			case !item.Alike || item.At.Before(since.Add(-clockDoubt)):
			case item.At.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.item == nil || !item.At.After(seen.item.At):
				seen.item, seen.age = &item, now().Add(page.Skew).Sub(item.At)
			}
		}
		if page.Next == "" || !page.Until.IsZero() && page.Until.Before(since.Add(-clockDoubt)) {
			seen.whole = true
			return seen, nil
		}
		next = page.Next
	}
	return seen, nil
}

// isAccountedFor reports whether an item is known to be another's than this delivery's.
func isAccountedFor(d schema.Delivery, item Item) bool {
	return slices.Contains(d.Known, item.ID) ||
		slices.ContainsFunc(d.Receipts, func(r schema.Receipt) bool { return r.NativeID == item.ID })
}
