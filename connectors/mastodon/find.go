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
	"crier/connectors/listing"
	"crier/schema"
)

const (
	pageSize = 40 // the most a server gives at once

	// keyUse is for how long after its claim a call is repeated by its key. Mastodon keeps
	// a key for an hour; the repetition has the rest to come to its turn.
	keyUse = 45 * time.Minute
	// keyDeadline is until when the repetition may be made, and still be over within the hour.
	keyDeadline = 58 * time.Minute
)

// Find reads the account's own statuses back to when the call was claimed. NotThere means
// that they were read back that far, and that the server would have shown it: see missing.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	s, err := settingsOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	account, err := listing.AccountID(ctx, d, c.Check)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	want := likenessOf(d, s)
	item, verdict, err := listing.Search{
		Now: c.now,
		Read: func(ctx context.Context, next string) (listing.Page, error) {
			return c.statuses(ctx, d, account, want, next)
		},
		InDoubt: func(ctx context.Context) (schema.Verdict, error) { return c.repeatable(ctx, d) },
	}.Find(ctx, d)
	if verdict == schema.NotThere {
		verdict, err = c.missing(ctx, d)
	}
	return item.Receipt(d, verdict), verdict, err
}

// repeatable tells whether a call whose status may have been there before its claim is safe to
// repeat by its key.
func (c *Connector) repeatable(ctx context.Context, d schema.Delivery) (schema.Verdict, error) {
	passed := c.now().Sub(d.Since)
	if passed >= keyUse {
		return schema.CannotTell, nil
	}
	isMastodon, err := c.isOnMastodon(ctx, d)
	hasOwnKey := c.softwareOf(d.Account) == compatible // see keyOf
	if err == nil && isMastodon && !hasOwnKey && passed >= listing.InFlight {
		return schema.SafeToRepeat, nil
	}
	return schema.CannotTell, err
}

// statuses reads a part of what the account has published, older than one status, the newest
// first.
func (c *Connector) statuses(ctx context.Context, d schema.Delivery, account string, want likeness, olderThan string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet,
		"/api/v1/accounts/"+url.PathEscape(account)+"/statuses", opListStatuses)
	call.Kind = connectors.Status
	call.Query = url.Values{"limit": {strconv.Itoa(pageSize)}, "exclude_reblogs": {"true"}}
	connectors.SetField(call.Query, "max_id", olderThan)
	var read []status
	response, err := c.client.Do(ctx, call, &read)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading statuses: %w", connectors.WithoutEnd(err)) // it may publish all the same
	}
	if !isWhole(read) {
		return listing.Page{}, &schema.Error{Kind: schema.Retryable, Message: "the server's answer is no list of statuses"}
	}
	if len(read) > 0 {
		c.counts.see(d.Account.ID, read[0].Account.Statuses)
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now())}
	for _, s := range read {
		item := listing.Item{ID: s.ID, URL: s.webURL(), At: s.CreatedAt}
		if !s.isReblog() {
			item.Alike, item.Near = want.compare(s.likeness())
		}
		page.Items = append(page.Items, item)
		page.Until, page.Next = s.CreatedAt, s.ID
	}
	return page, nil
}

// isWhole reports whether an answer can show that something is not there: a null or a
// status without a time would pass for the end of the list.
func isWhole(page []status) bool {
	isPart := func(s status) bool { return s.ID == "" || s.CreatedAt.IsZero() }
	return page != nil && !slices.ContainsFunc(page, isPart)
}
