package mastodon

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"crier/schema"
)

const (
	pageSize = 40 // the most a server gives at once
	maxPages = 25 // 1,000 statuses since a claim: no account of ours comes near it

	// clockSlack is how far a status may lie before the claim and still follow on it,
	// by the server's own clock: its Date header is cut to seconds, and it is read
	// some time after the server wrote it.
	clockSlack = 3 * time.Second
	// clockDoubt is how far the clocks behind a server may be apart. A like status
	// from that time before the claim may be ours or an older one: nobody can tell.
	clockDoubt = time.Minute
)

// Find reads the account's own statuses back to when the call was claimed and looks
// for one like the delivery's. NotThere means that they were read back that far.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	id, err := c.nativeID(ctx, d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	want, oldest := likenessOf(d, s), ""
	for range maxPages {
		page, since, err := c.page(ctx, d, id, oldest)
		if err != nil {
			return schema.Receipt{}, schema.CannotTell, err
		}
		if len(page) == 0 {
			return schema.Receipt{}, schema.NotThere, nil
		}
		for _, s := range page {
			if isAccountedFor(d, s) || !want.matches(s.likeness()) || s.CreatedAt.Before(since.Add(-clockDoubt)) {
				continue
			}
			if s.CreatedAt.Before(since.Add(-clockSlack)) {
				return schema.Receipt{}, schema.CannotTell, nil
			}
			return c.receipt(d, s), schema.Found, nil
		}
		last := page[len(page)-1]
		if last.CreatedAt.Before(since.Add(-clockDoubt)) {
			return schema.Receipt{}, schema.NotThere, nil
		}
		oldest = last.ID
	}
	return schema.Receipt{}, schema.CannotTell, nil
}

// isAccountedFor tells whether a status is known to be another's than this delivery's.
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
// returns with them the time of the claim by the server's clock.
func (c *Connector) page(ctx context.Context, d schema.Delivery, account, olderThan string) ([]status, time.Time, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet,
		"/api/v1/accounts/"+url.PathEscape(account)+"/statuses", opListStatuses)
	call.Query = url.Values{"limit": {strconv.Itoa(pageSize)}, "exclude_reblogs": {"true"}}
	if olderThan != "" {
		call.Query.Set("max_id", olderThan)
	}
	var page []status
	response, err := c.client.Do(ctx, call, &page)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("reading statuses: %w", err)
	}
	if !isWhole(page) {
		return nil, time.Time{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer is no list of statuses"}
	}
	return page, d.Since.Add(c.skew(response.Header)), nil
}

// isWhole tells whether an answer can show that something is not there: a null or a
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
