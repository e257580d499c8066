package mastodon

import (
	"context"
	"sync"
	"time"

	"crier/schema"
)

// maxCounts is how many accounts, and how many open calls, have their count remembered at once.
const maxCounts = 20_000

// countFresh is how old a count may be when a call is claimed. Between an older one and the call other
// apps may have published as much as they deleted since, which hides what the call made.
const countFresh = 5 * time.Minute

// counts remembers how many statuses the accounts had by the last answer that told, and how many there
// were before each visible call whose answer is open. A process that died takes them with it: then nobody
// can tell by the count.
type counts struct {
	now func() time.Time

	mu     sync.Mutex
	latest map[schema.AccountID]seenCount
	before map[string]int64 // by the key of the call
}

// seenCount is a count, and when it was told.
type seenCount struct {
	statuses int64
	at       time.Time
}

// see notes the count that an answer tells.
func (c *counts) see(account schema.AccountID, count *int64) {
	if count == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.latest == nil || len(c.latest) >= maxCounts {
		c.latest = make(map[schema.AccountID]seenCount)
	}
	c.latest[account] = seenCount{*count, c.now()}
}

// open keeps the account's count as that before a visible call.
func (c *counts) open(account schema.AccountID, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	latest, ok := c.latest[account]
	if age := c.now().Sub(latest.at); !ok || age < 0 || age > countFresh {
		delete(c.before, key)
		return
	}
	if c.before == nil || len(c.before) >= maxCounts {
		c.before = make(map[string]int64)
	}
	c.before[key] = latest.statuses
}

// close forgets a call that was answered.
func (c *counts) close(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.before, key)
}

// of returns the count before a call whose answer is open; ok is false where it is not known.
func (c *counts) of(key string) (count int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count, ok = c.before[key]
	return count, ok
}

// missing judges a list that does not show what a delivery's call may have made. Mastodon itself lists all
// that there is. Other servers may hide it, as GoToSocial does what the account's own filters match
// (internal/processing/account/statuses.go): there it also needs the account to have as many statuses as
// before the call. They count late, and other apps publish and delete, so that the count alone tells
// nothing either.
func (c *Connector) missing(ctx context.Context, d schema.Delivery) (schema.Verdict, error) {
	isMastodon, err := c.servers.areMastodon(ctx, c, d)
	switch {
	case err != nil:
		return schema.CannotTell, err
	case isMastodon:
		return schema.NotThere, nil
	}
	before, ok := c.counts.of(d.Key)
	if !ok {
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
