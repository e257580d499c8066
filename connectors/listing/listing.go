// Package listing settles what became of a visible call by listing what an account has
// published since, for platforms that offer no better way.
//
//	pages, the newest first ──▶ Find ─┬─ made by this delivery alone ─▶ found
//	                                  ├─ like it, since the claim, nobody else's ─▶ found: the oldest
//	                                  ├─ like it, right before the claim ─▶ doubt: look again, then nobody can tell
//	                                  ├─ nearly like it, about the claim or since ─▶ doubt as well
//	                                  └─ none, and all since the claim were read ─▶ not there
package listing

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	// MaxPages is how many pages are read unless a Search says otherwise: no account of ours
	// publishes as much between a claim and a look.
	MaxPages = 25
	// clockSlack is how far an item may lie before the claim and still follow on it, by the
	// platform's own clock: its times and its Date header are cut to seconds, and the header
	// is read some time after it was written.
	clockSlack = 3 * time.Second
	// ClockDoubt is how far the clocks behind a platform may be apart. A like item from that
	// time before the claim may be the delivery's, an older one, or one of a claim that is
	// still open.
	ClockDoubt = time.Minute
	// InFlight is how long after its claim a call may still be answered.
	InFlight = schema.CallDeadline + schema.SettleTime
	// DoubtLast is how long after its claim an item in doubt is looked at again: the claim
	// that it may be of settles, or nobody will ever tell.
	DoubtLast = 10 * time.Minute
)

// Item is one post or comment that a listing shows.
type Item struct {
	ID, URL string
	At      time.Time // when it was made, by the platform's clock
	Alike   bool      // it looks as the delivery's would
	Near    bool      // it may be the delivery's, changed by the platform so far that it is not Alike
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

// Search looks for what a delivery's call has made.
type Search struct {
	Now func() time.Time
	// Read returns the page of a Page's Next, the first one for an empty Next.
	Read func(ctx context.Context, next string) (Page, error)
	// MaxPages bounds how far back the listing is read; zero: the package's MaxPages.
	MaxPages int
	// Part tells that not all that the account publishes is in that list, such as on another board.
	Part bool
	// InDoubt settles a delivery whose item may be one that was there right before its claim, or
	// one that is nearly like it. nil: it is looked for again, until nobody can tell.
	InDoubt func(ctx context.Context) (schema.Verdict, error)
}

// Receipt searches as Find does, and returns the receipt of the item.
func (s Search) Receipt(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	item, verdict, err := s.Find(ctx, d)
	return item.Receipt(d, verdict), verdict, err
}

// Receipt returns the receipt of what a delivery made; an empty one unless it was found.
func (i Item) Receipt(d schema.Delivery, verdict schema.Verdict) schema.Receipt {
	if verdict != schema.Found {
		return schema.Receipt{}
	}
	return schema.Receipt{Entry: d.VisibleEntry(), NativeID: i.ID, URL: i.URL, PostedAt: i.At.UTC()}
}

// Find settles by count: the oldest item like the delivery's that is nobody else's counts as
// its own, so that as many claims of one text as there are items of it find one each, in
// whatever order they look.
func (s Search) Find(ctx context.Context, d schema.Delivery) (Item, schema.Verdict, error) {
	if ahead := d.Since.Sub(s.Now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return Item{}, schema.CannotTell, LookLater(ahead, "the claim is in the future")
	}
	seen, err := s.look(ctx, d)
	switch {
	case err != nil:
		return Item{}, schema.CannotTell, err
	case seen.item != nil && !seen.item.Own && d.Shared && seen.age < InFlight:
		// It may be what a call of another account made, which will say so in time.
		return Item{}, schema.CannotTell, LookLater(InFlight-seen.age, alikeElsewhere)
	case seen.item != nil:
		return *seen.item, schema.Found, nil
	case seen.doubt:
		verdict, err := s.inDoubt(ctx, d)
		return Item{}, verdict, err
	case !seen.whole:
		return Item{}, schema.CannotTell, nil
	default:
		return Item{}, schema.NotThere, nil
	}
}

func (s Search) inDoubt(ctx context.Context, d schema.Delivery) (schema.Verdict, error) {
	if s.InDoubt != nil {
		if verdict, err := s.InDoubt(ctx); err != nil || verdict != schema.CannotTell {
			return verdict, err
		}
	}
	if s.Now().Sub(d.Since) < DoubtLast {
		return schema.CannotTell, LookLater(0, alikeElsewhere)
	}
	return schema.CannotTell, nil
}

const alikeElsewhere = "the account has a like post that may be another's"

// LookLater is the error of a look that can tell nothing yet. It is repeated after wait, and
// not before the settle time is over.
func LookLater(wait time.Duration, why string) error {
	return &schema.Error{Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime), Message: why}
}

// sighting is what the listing shows of the item that is looked for.
type sighting struct {
	item  *Item
	age   time.Duration // of that item, by the platform's clock
	doubt bool          // one was there right before the claim, or is nearly like it
	whole bool          // all since the claim were read
}

func (s Search) look(ctx context.Context, d schema.Delivery) (seen sighting, err error) {
	next := ""
	for range cmp.Or(s.MaxPages, MaxPages) {
		page, err := s.Read(ctx, next)
		if err != nil {
			return seen, err
		}
		since := d.Since.Add(page.Skew)
		note(ctx, page.Items, since.Add(-ClockDoubt))
		for _, item := range page.Items {
			switch {
			case isAccountedFor(d, item):
			case item.Own:
				return sighting{item: &item}, nil
			case !item.Alike && !item.Near || item.At.Before(since.Add(-ClockDoubt)):
			case !item.Alike || item.At.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.item == nil || !item.At.After(seen.item.At):
				seen.item, seen.age = &item, s.Now().Add(page.Skew).Sub(item.At)
			}
		}
		if page.Next == "" || !page.Until.IsZero() && page.Until.Before(since.Add(-ClockDoubt)) {
			seen.whole = true
			noteWhole(ctx, s.Part)
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

// AccountID returns the id of a delivery's account on its platform. That of a sandbox is not
// known, as its account is made without asking the simulator: check asks whose credentials
// they are.
func AccountID(ctx context.Context, d schema.Delivery, check func(context.Context, schema.Account, schema.Credentials) (connectors.Profile, error)) (string, error) {
	if d.Account.NativeID != "" && !d.Account.Sandbox {
		return d.Account.NativeID, nil
	}
	profile, err := check(ctx, d.Account, d.Credentials)
	return profile.NativeID, err
}

// Tally is what the listings have shown that were read under its context: for looks at all that an
// account has published since a time.
type Tally struct {
	Whole bool                // a listing was read back as far as that
	Part  bool                // other listings have more of what the account publishes
	Items map[string]struct{} // the ids of what was published since
}

type tallyKey struct{}

// WithTally returns a context under which searches note what they read.
func WithTally(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// note adds the items of a page that were made since a time.
func note(ctx context.Context, items []Item, since time.Time) {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	if t == nil {
		return
	}
	if t.Items == nil {
		t.Items = map[string]struct{}{}
	}
	for _, item := range items {
		if !item.At.Before(since) {
			t.Items[item.ID] = struct{}{}
		}
	}
}

// noteWhole notes that a listing was read as far as was asked for, which may be a part of what the account
// publishes.
func noteWhole(ctx context.Context, isPart bool) {
	if t, _ := ctx.Value(tallyKey{}).(*Tally); t != nil {
		t.Whole, t.Part = true, t.Part || isPart
	}
}
