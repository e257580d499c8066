package mastodon

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/connectors"
	"crier/schema"
)

const (
	pageSize = 40 // the most a server gives at once
	maxPages = 25 // 1,000 statuses since a claim: no account of ours comes near it

	// clockSlack is how far a status may lie before the claim and still follow on it,
	// by the server's own clock: its Date header is cut to seconds, and it is read
	// some time after the server wrote it.
	clockSlack = 3 * time.Second
	// clockDoubt is how far the clocks behind a server may be apart. A like status from
	// that time before the claim may be ours, an older one, or one of a claim that is
	// still open.
	clockDoubt = time.Minute
	// inFlight is how long after its claim a call may still be answered.
	inFlight = schema.CallDeadline + schema.SettleTime
	// doubtLast is how long after its claim a status in doubt is looked at again: the claim
	// that it may be of settles, or nobody will ever tell.
	doubtLast = 10 * time.Minute
	// keyUse is for how long after its claim a call is repeated by its key. Mastodon keeps
	// a key for an hour; the repetition has the rest to come to its turn.
	keyUse = 45 * time.Minute
	// keyKept is until when the repetition may be made, and still be over within the hour.
	keyKept = 58 * time.Minute
)

// sighting is what the account's statuses show of one that is looked for.
type sighting struct {
	status *status       // the oldest that follows on the claim and is nobody else's
	age    time.Duration // of that status, by the server's clock
	doubt  bool          // one was there right before the claim
	whole  bool          // all since the claim were read
}

// Find reads the account's own statuses back to when the call was claimed and settles by
// count: the oldest like the delivery's that is nobody else's counts as its own. So as many
// claims of one text as there are statuses of it find one each, in whatever order they look.
// NotThere means that the statuses were read back that far.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if ahead := d.Since.Sub(c.now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return schema.Receipt{}, schema.CannotTell, lookLater(ahead)
	}
	seen, err := c.look(ctx, d)
	switch {
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, err
	case seen.status != nil && d.Shared && seen.age < inFlight:
		// It may be what a call of another account made, which will say so in time.
		return schema.Receipt{}, schema.CannotTell, lookLater(inFlight - seen.age)
	case seen.status != nil:
		return c.receipt(d, *seen.status), schema.Found, nil
	case seen.doubt:
		verdict, err := c.inDoubt(ctx, d)
		return schema.Receipt{}, verdict, err
	case !seen.whole:
		return schema.Receipt{}, schema.CannotTell, nil
	default:
		return schema.Receipt{}, schema.NotThere, nil
	}
}

// inDoubt settles a call whose status may have been there before its claim.
func (c *Connector) inDoubt(ctx context.Context, d schema.Delivery) (schema.Verdict, error) {
	passed := c.now().Sub(d.Since)
	if passed < keyUse {
		keeps, err := c.servers.keepsKeys(ctx, c, d)
		if err != nil {
			return schema.CannotTell, err
		}
		if keeps && passed >= inFlight {
			return schema.SafeToRepeat, nil
		}
	}
	if passed < doubtLast {
		return schema.CannotTell, lookLater(schema.SettleTime)
	}
	return schema.CannotTell, nil
}

func lookLater(wait time.Duration) error {
	return &schema.Error{
		Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime),
		Message: "the account has a like status that may be another post's",
	}
}

// look reads the account's statuses, the newest first.
func (c *Connector) look(ctx context.Context, d schema.Delivery) (seen sighting, err error) {
	s, err := settingsOf(d)
	if err != nil {
		return seen, err
	}
	id, err := c.nativeID(ctx, d)
	if err != nil {
		return seen, err
	}
	want, oldest := likenessOf(d, s), ""
	for range maxPages {
		page, skew, err := c.page(ctx, d, id, oldest)
		if err != nil {
			return seen, err
		}
		since := d.Since.Add(skew)
		for _, s := range page {
			switch isLike := !isAccountedFor(d, s) && want.matches(s.likeness()); {
			case !isLike || s.CreatedAt.Before(since.Add(-clockDoubt)):
			case s.CreatedAt.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.status == nil || !s.CreatedAt.After(seen.status.CreatedAt):
				seen.status, seen.age = &s, c.now().Add(skew).Sub(s.CreatedAt)
			}
		}
		if len(page) == 0 || page[len(page)-1].CreatedAt.Before(since.Add(-clockDoubt)) {
			seen.whole = true
			return seen, nil
		}
		oldest = page[len(page)-1].ID
	}
	return seen, nil
}

// isAccountedFor reports whether a status is known to be another's than this delivery's.
func isAccountedFor(d schema.Delivery, s status) bool {
	return s.isReblog() || slices.Contains(d.Known, s.ID) ||
		slices.ContainsFunc(d.Receipts, func(r schema.Receipt) bool { return r.NativeID == s.ID })
}

// nativeID returns the account's id on its server. That of a sandbox is not known: its account
// is made without asking the simulator.
func (c *Connector) nativeID(ctx context.Context, d schema.Delivery) (string, error) {
	if d.Account.NativeID != "" && !d.Account.Sandbox {
		return d.Account.NativeID, nil
	}
	profile, err := c.Check(ctx, d.Account, d.Credentials)
	return profile.NativeID, err
}

// page reads the account's statuses that are older than one, the newest first, and
// returns with them how far the server's clock is ahead of ours.
func (c *Connector) page(ctx context.Context, d schema.Delivery, account, olderThan string) ([]status, time.Duration, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet,
		"/api/v1/accounts/"+url.PathEscape(account)+"/statuses", opListStatuses)
	call.Kind = connectors.Status
	call.Query = url.Values{"limit": {strconv.Itoa(pageSize)}, "exclude_reblogs": {"true"}}
	if olderThan != "" {
		call.Query.Set("max_id", olderThan)
	}
	var page []status
	response, err := c.client.Do(ctx, call, &page)
	if err != nil {
		return nil, 0, fmt.Errorf("reading statuses: %w", withoutEnd(err)) // it may publish all the same
	}
	if !isWhole(page) {
		return nil, 0, &schema.Error{Kind: schema.Retryable, Message: "the server's answer is no list of statuses"}
	}
	return page, c.skew(response.Header), nil
}

// isWhole reports whether an answer can show that something is not there: a null or a
// status without a time would pass for the end of the list.
func isWhole(page []status) bool {
	isPart := func(s status) bool { return s.ID == "" || s.CreatedAt.IsZero() }
	return page != nil && !slices.ContainsFunc(page, isPart)
}

// skew returns how far the server's clock is ahead of ours.
func (c *Connector) skew(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return at.Sub(c.now())
}
