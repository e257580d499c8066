package twitter

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

const (
	opSearch   = "GET /2/tweets/search/recent"
	opMentions = "GET /2/users/{id}/mentions"
)

// writtenPost is a post of somebody.
type writtenPost struct {
	post
	AuthorID string `json:"author_id"`
}

// received is a part of what people wrote, with who they are.
type receivedPosts struct {
	Data     []writtenPost `json:"data"` // missing where there is none
	Includes struct {
		Users []struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Username string `json:"username"`
		} `json:"users"`
	} `json:"includes"`
	Meta *struct {
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

// Comments reads what has been said in a post's conversation in the last seven days, which is
// how far X's search goes back: of an older post there is nothing new to be found.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	own, err := c.ownID(ctx, r)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/2/tweets/search/recent", opSearch)
	call.Query = url.Values{"query": {"conversation_id:" + post.NativeID + " -from:" + own}}
	connectors.SetField(call.Query, "next_token", cursor)
	read, err := c.received(ctx, r, call)
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("searching a conversation: %w", err)
	}
	page := connectors.ReceivedPage{Next: read.next()}
	for _, p := range read.Data {
		if p.AuthorID == own || p.ID == post.NativeID {
			continue
		}
		received := c.receivedOf(read, p, schema.InboxComment)
		received.Item.ParentID = p.references(repliesTo)
		page.Items = append(page.Items, connectors.Under(post, received))
	}
	return page, nil
}

// Mentions reads what names the account, except answers to its own posts.
func (c *Connector) Mentions(ctx context.Context, r connectors.Reading, cursor string) (connectors.ReceivedPage, error) {
	own, err := c.ownID(ctx, r)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	call := c.call(r.Account, r.Credentials, http.MethodGet, "/2/users/"+url.PathEscape(own)+"/mentions", opMentions)
	call.Query = url.Values{}
	connectors.SetField(call.Query, "pagination_token", cursor)
	read, err := c.received(ctx, r, call)
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading mentions: %w", err)
	}
	page := connectors.ReceivedPage{Next: read.next()}
	for _, p := range read.Data {
		if p.AuthorID != own && p.ReplyToUser != own {
			page.Items = append(page.Items, c.receivedOf(read, p, schema.InboxMention))
		}
	}
	return page, nil
}

func (c *Connector) ownID(ctx context.Context, r connectors.Reading) (string, error) {
	return listing.AccountID(ctx, schema.Delivery{Account: r.Account, Credentials: r.Credentials}, c.Check)
}

func (c *Connector) received(ctx context.Context, r connectors.Reading, call connectors.Call) (receivedPosts, error) {
	call.Query.Set("max_results", strconv.Itoa(pageSize))
	wanted := postQuery{fields: "created_at,conversation_id", references: true, author: true}
	read, _, err := readPosts(ctx, c, call.Reading(r), wanted, receivedPosts.areWhole)
	return read, err
}

func (r receivedPosts) areWhole() bool {
	isPart := func(p writtenPost) bool { return p.AuthorID == "" || !p.isWhole() }
	return r.Meta != nil && !slices.ContainsFunc(r.Data, isPart)
}

func (r receivedPosts) next() string {
	if r.Meta == nil {
		return ""
	}
	return r.Meta.NextToken
}

func (c *Connector) receivedOf(read receivedPosts, p writtenPost, kind string) schema.Received {
	item := schema.InboxItem{
		Kind: kind, NativeID: p.ID, Text: html.UnescapeString(p.Text), URL: c.address(p.ID), WrittenAt: p.CreatedAt.UTC(),
		Author: schema.Author{ID: p.AuthorID, URL: c.web + "/i/user/" + p.AuthorID},
	}
	for _, user := range read.Includes.Users {
		if user.ID == p.AuthorID {
			item.Author.Handle, item.Author.Name = user.Username, cmp.Or(user.Name, user.Username)
		}
	}
	return schema.Received{Item: item}
}

// Reply answers a post. Since February 2026 X takes it from an app only where the author has
// named or quoted the account, as who answers its posts has.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.Comment(ctx, d)
}

// FindReply looks for it among the account's posts.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return c.Find(ctx, d)
}
