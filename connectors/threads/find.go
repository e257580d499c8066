package threads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"crier/connectors"
	"crier/schema"
)

const (
	pageSize = 100 // the most that a list gives at once
	maxPages = 25  // 2,500 since a claim: twice what a profile may publish in a day

	// clockSlack is how far a post may lie before the claim and still follow on it, by
	// Threads' own clock: its times are cut to seconds.
	clockSlack = 3 * time.Second
	// clockDoubt is how far clocks may be apart: a like post from that time before the claim
	// may be the one that is looked for, or an older one.
	clockDoubt = time.Minute
	// inFlight is how long after its claim a call may still be answered.
	inFlight = schema.CallDeadline + schema.SettleTime
	// doubtLast is how long after its claim a post in doubt is looked at again.
	doubtLast = 10 * time.Minute
)

// Find asks the container, which knows whether it was published, and then the account's own
// list for what it became: that a container does not say. NotThere is the container's word.
//
// A first comment has no container that outlives the process, and neither has an entry of a
// retry: the account's own list is read back to when the call was claimed, and the oldest
// like post that is nobody else's counts.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	p, err := progressOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	isPublished := false
	if d.Comment == nil && p.Post.ID != "" {
		state, err := c.look(ctx, d, p.Post.ID)
		switch {
		case isGone(err): // after a day or more; the list tells
		case err != nil:
			return schema.Receipt{}, schema.CannotTell, withoutEnd(err)
		case state.Status == inProgress:
			return schema.Receipt{}, schema.CannotTell, lookLater(0, "Threads still works on the container")
		case state.Status != published:
			return schema.Receipt{}, schema.NotThere, nil
		default:
			isPublished = true
		}
	}
	return c.findListed(ctx, d, isPublished)
}

// findListed finds the delivery's post in the account's list.
func (c *Connector) findListed(ctx context.Context, d schema.Delivery, isPublished bool) (schema.Receipt, schema.Verdict, error) {
	if ahead := d.Since.Sub(c.now()); ahead > 0 { // a clock was set back: nothing would seem to follow on the claim
		return schema.Receipt{}, schema.CannotTell, lookLater(ahead, "the claim is in the future")
	}
	seen, err := c.list(ctx, d)
	switch {
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, withoutEnd(err)
	case seen.post != nil && d.Shared && seen.age < inFlight:
		return schema.Receipt{}, schema.CannotTell, lookLater(inFlight-seen.age, "the profile has a like post that may be another account's")
	case seen.post != nil:
		return c.receipt(d, *seen.post), schema.Found, nil
	case isPublished:
		return schema.Receipt{}, schema.CannotTell, lookLater(0, "it is published, and Threads does not list it yet")
	case seen.doubt && c.now().Sub(d.Since) < doubtLast:
		return schema.Receipt{}, schema.CannotTell, lookLater(0, "the profile has a like post that may be another's")
	case seen.doubt || !seen.whole:
		return schema.Receipt{}, schema.CannotTell, nil
	default:
		return schema.Receipt{}, schema.NotThere, nil
	}
}

func lookLater(wait time.Duration, why string) error {
	return &schema.Error{Kind: schema.Retryable, RetryAfter: max(wait, schema.SettleTime), Message: why}
}

// sighting is what the account's list shows of a post that is looked for.
type sighting struct {
	post  *post         // the oldest that follows on the claim and is nobody else's
	age   time.Duration // of that post, by Threads' clock
	doubt bool          // one was there right before the claim
	whole bool          // all since the claim were read
}

// list reads the account's posts, or its replies, the newest first.
func (c *Connector) list(ctx context.Context, d schema.Delivery) (seen sighting, err error) {
	after := ""
	for range maxPages {
		page, err := c.page(ctx, d, after)
		if err != nil {
			return seen, err
		}
		since := d.Since.Add(page.skew)
		for _, p := range page.Data {
			at := p.Timestamp.Time
			switch {
			case !isLike(d, p) || at.Before(since.Add(-clockDoubt)):
			case at.Before(since.Add(-clockSlack)):
				seen.doubt = true
			case seen.post == nil || !at.After(seen.post.Timestamp.Time):
				seen.post, seen.age = &p, c.now().Add(page.skew).Sub(at)
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

// isLike tells whether a post is what the delivery would have made, as far as it shows, and
// nobody else's that is known.
func isLike(d schema.Delivery, p post) bool {
	text, hasMedia := d.Text, len(d.Media) > 0
	if d.Comment != nil {
		text, hasMedia = d.Comment.Text, false
	}
	known := slices.Contains(d.Known, p.ID) || slices.ContainsFunc(d.Receipts, func(r schema.Receipt) bool { return r.NativeID == p.ID })
	return !known && p.RepliedTo.ID == replyTo(d) && (p.MediaType != "TEXT_POST") == hasMedia &&
		p.MediaType != "REPOST_FACADE" && letters(p.Text) == letters(text)
}

// letters leaves out what Threads may change in a text: the space, and the sign of the
// hashtag that it makes the post's topic.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '#' {
			return -1
		}
		return r
	}, text)
}

// page is a part of a list.
type page struct {
	Data   []post `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
	} `json:"paging"`
	skew time.Duration // how far Threads' clock is ahead of ours
}

// page reads a part of the list that the delivery's post is in: replies have one of their own.
func (c *Connector) page(ctx context.Context, d schema.Delivery, after string) (page, error) {
	path, operation, fields := "/me/threads", opListPosts, "id,text,timestamp,permalink,media_type"
	if replyTo(d) != "" {
		path, operation, fields = "/me/replies", opListReplies, "id,text,timestamp,permalink,media_type,replied_to"
	}
	call := c.call(d, http.MethodGet, path, operation)
	call.Query, call.Kind = url.Values{"fields": {fields}, "limit": {strconv.Itoa(pageSize)}}, connectors.Status
	if after != "" {
		call.Query.Set("after", after)
	}
	var out page
	response, err := c.client.Do(ctx, call, &out)
	if err != nil {
		return page{}, fmt.Errorf("listing posts: %w", err)
	}
	isPart := func(p post) bool { return p.ID == "" || p.Timestamp.IsZero() }
	if out.Data == nil || slices.ContainsFunc(out.Data, isPart) {
		return page{}, &schema.Error{Kind: schema.Retryable, Message: "Threads' answer is no list of posts"}
	}
	if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		out.skew = at.Sub(c.now())
	}
	return out, nil
}
