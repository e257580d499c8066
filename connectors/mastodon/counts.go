package mastodon

import (
	"context"
	"time"

	"crier/schema"
	"crier/schema/recent"
)

// maxCounts is how many accounts, and how many open calls, have their count remembered in a generation.
const maxCounts = 10_000

// countFresh is how old a count may be when a call is claimed. Between an older one and the call other
// apps may have published as much as they deleted since, which hides what the call made.
const countFresh = 5 * time.Minute

// counts remembers how many statuses the accounts had by the last answer that told, and how many there
// were before each visible call whose answer is open. A process that died takes them with it: then nobody
// can tell by the count.
type counts struct {
	now    func() time.Time
	latest *recent.Cache[schema.AccountID, seenCount]
	before *recent.Cache[string, int64] // by the key of the call, while that is open
}

// seenCount is a count, and when it was told.
type seenCount struct {
	statuses int64
	at       time.Time
}

func newCounts(now func() time.Time) counts {
	return counts{now, recent.New[schema.AccountID, seenCount](maxCounts, nil), recent.New[string, int64](maxCounts, nil)}
}

// see notes the count that an answer tells.
func (c counts) see(account schema.AccountID, count *int64) {
	if count != nil {
		c.latest.Put(account, seenCount{*count, c.now()})
	}
}

// open keeps the account's count as that before a visible call.
func (c counts) open(account schema.AccountID, key string) {
	latest, _ := c.latest.Known(account)
	if age := c.now().Sub(latest.at); age < 0 || age > countFresh {
		c.close(key)
		return
	}
	c.before.Put(key, latest.statuses)
}

// close forgets a call that was answered.
func (c counts) close(key string) { c.before.Delete(key) }

// missing judges a list that does not show what a delivery's call may have made. Mastodon itself lists all
// that there is. Other servers may hide it, as GoToSocial does what the account's own filters match
// (internal/processing/account/statuses.go): there it also needs the account to have as many statuses as
// before the call. They count late, and other apps publish and delete, so that the count alone tells
// nothing either.
func (c *Connector) missing(ctx context.Context, d schema.Delivery) (schema.Verdict, error) {
	isMastodon, err := c.isOnMastodon(ctx, d)
	switch {
	case err != nil:
		return schema.CannotTell, err
	case isMastodon:
		return schema.NotThere, nil
	}
	before, isKnown := c.counts.before.Known(d.Key)
	if !isKnown {
		return schema.CannotTell, nil
	}
	now, err := c.verify(ctx, d.Account, d.Credentials)
	if err != nil {
		return schema.CannotTell, err
	}
	if now.Statuses == nil || *now.Statuses != before {
		return schema.CannotTell, nil
	}
	return schema.NotThere, nil
}
