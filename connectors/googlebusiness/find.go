package googlebusiness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/google"
	"crier/connectors/listing"
	"crier/schema"
)

const pageSize = 100 // the most Google gives at once

// Find asks how far a post is that Google has taken, and lists the location's posts for one
// whose answer was lost. A post that Google has rejected is not there, and never will be.
func (c *Connector) Find(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	place, err := placeOf(d.Credentials)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	if taken := d.Receipt(d.Entry); taken != nil && taken.NativeID != "" {
		return c.look(ctx, d, place, *taken)
	}
	want, err := postOf(d)
	if err != nil {
		return schema.Receipt{}, schema.CannotTell, err
	}
	seen := map[string]storedPost{}
	item, verdict, err := listing.Search{Now: c.now, Read: func(ctx context.Context, next string) (listing.Page, error) {
		return c.page(ctx, d, place, search{want, seen, next})
	}}.Find(ctx, d)
	if verdict != schema.Found {
		return schema.Receipt{}, verdict, err
	}
	return c.settled(d, seen[item.ID])
}

// settled tells what a post that was found has come to.
func (c *Connector) settled(d schema.Delivery, p storedPost) (schema.Receipt, schema.Verdict, error) {
	if p.State == stateRejected {
		return schema.Receipt{}, schema.NotThere, errRejected()
	}
	return c.receipt(d, p), schema.Found, nil
}

// goneAfter is how long after its call a post that Google does not know may yet appear. The call
// may have followed long after its first claim.
const goneAfter = schema.UsualListing

// look asks how far a post is that Google has taken.
func (c *Connector) look(ctx context.Context, d schema.Delivery, place place, taken schema.Receipt) (schema.Receipt, schema.Verdict, error) {
	switch p, err := c.read(ctx, d.Account, d.Credentials, place, taken.NativeID); {
	case isNotFound(err) && c.now().Sub(taken.PostedAt) > goneAfter:
		return schema.Receipt{}, schema.NotThere, connectors.Refuse("Google has taken the post and removed it before it was shown")
	case isNotFound(err):
		return schema.Receipt{}, schema.CannotTell, platform.Strange("does not know the post yet")
	case err != nil:
		return schema.Receipt{}, schema.CannotTell, fmt.Errorf("looking at local post: %w", err)
	default:
		return c.settled(d, p)
	}
}

// read asks how far a post is.
func (c *Connector) read(ctx context.Context, a schema.Account, credentials schema.Credentials, place place, id string) (p storedPost, err error) {
	call := c.call(a, credentials, c.posts+"/v4/"+place.name()+"/localPosts/"+url.PathEscape(id), opPost)
	call.Kind = connectors.Status
	if _, err = c.client.Do(ctx, call, &p); err == nil && (p.id() != id || p.State == "") {
		err = platform.Strange("does not say how far the post is")
	}
	return p, err
}

// TakenDown implements connectors.Reviewer: a post that was live may yet be rejected. One that is
// gone was deleted by somebody.
func (c *Connector) TakenDown(ctx context.Context, a schema.Account, credentials schema.Credentials, id string) (why *schema.Error, err error) {
	place, err := placeOf(credentials)
	if err != nil {
		return nil, err
	}
	switch p, err := c.read(ctx, a, credentials, place, id); {
	case isNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking at local post: %w", err)
	case p.State == stateRejected:
		return errTakenDown(), nil
	default:
		return nil, nil
	}
}

// search is what is looked for, and what was seen.
type search struct {
	want localPost
	seen map[string]storedPost // by id
	next string
}

// page reads a part of the location's posts. No document says how they are sorted, so that all
// of them are read.
func (c *Connector) page(ctx context.Context, d schema.Delivery, place place, s search) (listing.Page, error) {
	call := c.call(d.Account, d.Credentials, c.posts+"/v4/"+place.name()+"/localPosts", opListPosts)
	call.Kind, call.Query = connectors.Status, url.Values{"pageSize": {strconv.Itoa(pageSize)}}
	var posts []storedPost
	next, response, err := c.list(ctx, call, list{"localPosts", s.next, &posts})
	if err != nil {
		return listing.Page{}, fmt.Errorf("listing local posts: %w", err)
	}
	page := listing.Page{Skew: listing.Skew(response.Header, c.now()), Next: next}
	for _, p := range posts {
		if p.id() == "" || p.CreateTime.IsZero() {
			return listing.Page{}, platform.Strange("is no list of local posts")
		}
		s.seen[p.id()] = p
		alike, near := s.want.compare(p)
		page.Items = append(page.Items, listing.Item{ID: p.id(), At: p.CreateTime, Alike: alike, Near: near})
	}
	return page, nil
}

// compare reports whether a post that is shown looks like the one that is wanted, or nearly. Pictures tell
// nothing: Google shows copies of its own.
func (want localPost) compare(p storedPost) (alike, near bool) {
	wanted, got := want.Event.title(), p.Event.title()
	return want.TopicType == p.TopicType && wanted == got && listing.SameText(want.Summary, p.Summary),
		(want.TopicType == p.TopicType || p.TopicType == "") && listing.MostlySame(wanted, got) && listing.MostlySame(want.Summary, p.Summary)
}

func (e *event) title() string {
	if e == nil {
		return ""
	}
	return e.Title
}

// list is a part of a list: the field that holds it, the token of the part, and what it is
// read into.
type list struct {
	field, token string
	into         any
}

// list reads a part of a list and returns the token of the next. An empty list is an object
// without anything, so that an answer with anything else is none.
func (c *Connector) list(ctx context.Context, call connectors.Call, l list) (next string, response *connectors.Response, err error) {
	connectors.SetField(call.Query, "pageToken", l.token)
	var answer map[string]json.RawMessage
	if response, err = c.client.Do(ctx, call, &answer); err != nil {
		return "", nil, err
	}
	items, hasItems := answer[l.field]
	token, hasNext := answer["nextPageToken"]
	switch {
	case answer == nil || len(answer) > 0 && !hasItems && !hasNext:
		return "", nil, platform.Strange("is no list")
	case hasItems && (string(items) == "null" || json.Unmarshal(items, l.into) != nil), hasNext && json.Unmarshal(token, &next) != nil:
		return "", nil, platform.Strange("is no list")
	}
	return next, response, nil
}

// isNotFound tells whether the API says that something is not there.
func isNotFound(err error) bool {
	e, ok := errors.AsType[google.Error](err)
	return ok && e.Code == http.StatusNotFound
}
