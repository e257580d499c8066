package twitter

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
	pageSize = 100 // the most X gives at once
	maxPages = 32  // as far back as X lists posts at all: 3,200

	// clocksApart is how far X's clock may be behind ours: posts are listed from that time
	// before the claim on, and each that is read is paid for.
	clocksApart = 10 * time.Minute
)

// Find reads the account's own posts back to when the call was claimed. NotThere means that
// they were read back that far. Should X not show a post yet that it has, it refuses the
// second call as a duplicate of it.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	want, err := likenessOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	account, err := listing.AccountID(ctx, d, c.Check)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	return listing.Search{Now: c.now, MaxPages: maxPages, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.posts(ctx, d, account, want, next)
	}}.Receipt(ctx, d)
}

// posts reads a part of what the account has published, the newest first.
func (c *Connector) posts(ctx context.Context, d schema.Delivery, account string, want likeness, next string) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, "/2/users/"+url.PathEscape(account)+"/tweets", opListPosts)
	call.Kind = connectors.Status
	call.Query = url.Values{
		"max_results": {strconv.Itoa(pageSize)},
		"start_time":  {d.Since.Add(-clocksApart).UTC().Format(time.RFC3339)},
	}
	connectors.SetField(call.Query, "pagination_token", next)
	out, response, err := readPosts(ctx, c, call, postQuery{fields: "attachments,created_at,entities", references: true, notes: true}, listedPosts.areWhole)
	if err != nil {
		return listing.Page{}, fmt.Errorf("reading posts: %w", err)
	}
	page := listing.Page{Next: out.Meta.NextToken, Skew: listing.Skew(response.Header, c.now())}
	if page.Skew < listing.ClockDoubt-clocksApart { // what was made would lie before what was asked for
		return listing.Page{}, &schema.Error{Kind: schema.Retryable, Message: "X's clock and this machine's are too far apart to look"}
	}
	for _, p := range out.Data {
		item := listing.Item{ID: p.ID, URL: c.address(p.ID), At: p.CreatedAt}
		if p.references(reposts) == "" {
			item.Alike, item.Near = want.compare(p)
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// listedPosts is a page of what an account has published.
type listedPosts struct {
	Data []post `json:"data"` // missing where there is none
	Meta *struct {
		Count     int    `json:"result_count"`
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

func (l listedPosts) areWhole() bool {
	isPart := func(p post) bool { return !p.isWhole() }
	return l.Meta != nil && l.Meta.Count == len(l.Data) && !slices.ContainsFunc(l.Data, isPart)
}
