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
	"crier/schema"
)

const (
	pageSize = 100 // the most X gives at once
	maxPages = 32  // as far back as X lists posts at all: 3,200

	// clockSlack is how far a post may lie before the claim and still follow on it, by X's
	// own clock: its times and its Date header are cut to seconds, and the header is read
	// some time after X wrote it.
	clockSlack = 3 * time.Second
	// clockDoubt is how far the clocks behind X may be apart. A like post from that time
	// before the claim may be ours, an older one, or one of a claim that is still open.
	clockDoubt = time.Minute
	// clocksApart is how far X's clock may be behind ours: posts are listed from that time
	// before the claim on, and each that is read is paid for.
	clocksApart = 10 * time.Minute
	// inFlight is how long after its claim a call may still be answered.
	inFlight = schema.CallDeadline + schema.SettleTime
	// doubtLast is how long after its claim a post in doubt is looked at again.
	doubtLast = 10 * time.Minute
)

// sighting is what the account's posts show of one that is looked for.
type sighting struct {
	post  *post         // the oldest that follows on the claim and is nobody else's
	age   time.Duration // of that post, by X's clock
	doubt bool          // one was there right before the claim
	whole bool          // all since the claim were read
}

// Find reads the account's own posts back to when the call was claimed and settles by count:
// the oldest like the delivery's that is nobody else's counts as its own. NotThere means
// that they were read back that far. Should X not show a post yet that it has, it refuses
// the second call as a duplicate of it.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	if ahead := d.Since.Sub(c.now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return schema.Receipt{}, schema.CannotTell, lookLater(ahead)
	}
	seen, err := c.look(ctx, d)
	switch {
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, err
	case seen.post != nil && d.Shared && seen.age < inFlight:
		// It may be what a call of another account made, which will say so in time.
		return schema.Receipt{}, schema.CannotTell, lookLater(inFlight - seen.age)
	case seen.post != nil:
		return c.receipt(d, seen.post.ID, seen.post.CreatedAt), schema.Found, nil
	case seen.doubt && c.now().Sub(d.Since) < doubtLast:
		return schema.Receipt{}, schema.CannotTell, lookLater(schema.SettleTime)
	case seen.doubt || !seen.whole:
		return schema.Receipt{}, schema.CannotTell, nil
	default:
		return schema.Receipt{}, schema.NotThere, nil
	}
}

func lookLater(wait time.Duration) error {
	return &schema.Error{
		Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime),
		Message: "the account has a like post that may be another's",
	}
}

// look reads the account's posts, the newest first.
func (c *Connector) look(ctx context.Context, d schema.Delivery) (seen sighting, err error) {
	want, err := likenessOf(d)
	if err != nil {
		return seen, err
	}
	id, err := c.nativeID(ctx, d)
	if err != nil {
		return seen, err
	}
	token := ""
	for range maxPages {
		page, err := c.page(ctx, d, id, token)
		if err != nil {
			return seen, err
		}
		since := d.Since.Add(page.ahead)
		for _, p := range page.posts {
			switch isLike := !isAccountedFor(d, p) && want.matches(p); {
			case !isLike || p.CreatedAt.Before(since.Add(-clockDoubt)):
			case p.CreatedAt.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.post == nil || !p.CreatedAt.After(seen.post.CreatedAt):
				seen.post, seen.age = &p, c.now().Add(page.ahead).Sub(p.CreatedAt)
			}
		}
		if page.next == "" {
			seen.whole = true
			return seen, nil
		}
		token = page.next
	}
	return seen, nil
}

// isAccountedFor tells whether a post is known to be another's than this delivery's.
func isAccountedFor(d schema.Delivery, p post) bool {
	return p.references(reposts) != "" || slices.Contains(d.Known, p.ID) ||
		slices.ContainsFunc(d.Receipts, func(r schema.Receipt) bool { return r.NativeID == p.ID })
}

// nativeID returns the account's id on X. That of a sandbox is not known: its account is
// made without asking the simulator.
func (c *Connector) nativeID(ctx context.Context, d schema.Delivery) (string, error) {
	if d.Account.NativeID != "" && !d.Account.Sandbox {
		return d.Account.NativeID, nil
	}
	profile, err := c.Check(ctx, d.Account, d.Credentials)
	return profile.NativeID, err
}

// page is a part of an account's posts, the newest first.
type page struct {
	posts []post
	next  string        // of the page after it; empty: there is none
	ahead time.Duration // of X's clock before ours
}

func (c *Connector) page(ctx context.Context, d schema.Delivery, account, token string) (page, error) {
	call := c.call(d.Account, d.Credentials, http.MethodGet, "/2/users/"+url.PathEscape(account)+"/tweets", opListPosts)
	call.Kind = connectors.Status
	call.Query = url.Values{
		"max_results": {strconv.Itoa(pageSize)},
		"start_time":  {d.Since.Add(-clocksApart).UTC().Format(time.RFC3339)},
		"post.fields": {"attachments,created_at,entities"},
		"expansions":  {"in_reply_to_user_id,referenced_posts"},
	}
	if token != "" {
		call.Query.Set("pagination_token", token)
	}
	var out struct {
		Data []post `json:"data"` // missing where there is none
		Meta *struct {
			Count     int    `json:"result_count"`
			NextToken string `json:"next_token"`
		} `json:"meta"`
	}
	response, err := c.client.Do(ctx, call, &out)
	if err != nil {
		return page{}, fmt.Errorf("reading posts: %w", err)
	}
	isPart := func(p post) bool { return !p.isWhole() }
	if out.Meta == nil || out.Meta.Count != len(out.Data) || slices.ContainsFunc(out.Data, isPart) {
		return page{}, &schema.Error{Kind: schema.Retryable, Message: "X's answer is no list of posts"}
	}
	found := page{posts: out.Data, next: out.Meta.NextToken, ahead: c.ahead(response.Header)}
	if found.ahead < clockDoubt-clocksApart { // what was made would lie before what was asked for
		return page{}, &schema.Error{Kind: schema.Retryable, Message: "X's clock and this machine's are too far apart to look"}
	}
	return found, nil
}

// ahead returns how far X's clock is ahead of ours.
func (c *Connector) ahead(header http.Header) time.Duration {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return at.Sub(c.now())
}
