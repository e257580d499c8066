package bluesky

import (
	"cmp"
	"context"
	"encoding/json"
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
	// threadDepth is how deep answers to answers are read.
	threadDepth = 50
	// mentionPage is the most of listNotifications.
	mentionPage = 100
)

// postView is a post as the app shows it (app.bsky.feed.defs#postView, and a notification
// likewise).
type postView struct {
	URI    string `json:"uri"`
	CID    string `json:"cid"`
	Author struct {
		DID         string `json:"did"`
		Handle      string `json:"handle"`
		DisplayName string `json:"displayName"`
	} `json:"author"`
	Record    json.RawMessage `json:"record"`
	IndexedAt time.Time       `json:"indexedAt"`
	Replies   int             `json:"replyCount"`
}

// written is the part of a post's record (app.bsky.feed.post) that is read.
type written struct {
	Text      string   `json:"text"`
	Langs     []string `json:"langs"`
	CreatedAt string   `json:"createdAt"`
	Reply     *reply   `json:"reply"`
}

// read returns what the author wrote; ok is false for a record that is none of a post.
func (v *postView) read() (w written, ok bool) {
	err := json.Unmarshal(v.Record, &w)
	return w, err == nil
}

// author is who wrote it.
func (v *postView) author() schema.Author {
	return schema.Author{ID: v.Author.DID, Handle: v.Author.Handle, Name: v.Author.DisplayName, URL: profileURL(v.Author.DID)}
}

// at is when it was written: as its author says, or when the app saw it, if that was before.
func (v *postView) at(w written) time.Time {
	written, err := time.Parse(time.RFC3339, w.CreatedAt)
	if err != nil || written.After(v.IndexedAt) && !v.IndexedAt.IsZero() {
		return v.IndexedAt.UTC()
	}
	return written.UTC()
}

// threadView is a post with what answers it; without a Post, one that is deleted or blocked.
type threadView struct {
	Post    *postView    `json:"post"`
	Replies []threadView `json:"replies"`
}

// answerState is what a reply to a post needs: the Received.State of this platform.
type answerState struct {
	Root   strongRef `json:"root"`
	Parent strongRef `json:"parent"`
}

// Comments reads the thread under a post in one call.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, _ string) (connectors.ReceivedPage, error) {
	var answer struct {
		Thread threadView `json:"thread"`
	}
	s, err := c.reads(ctx, r, getPostThread, url.Values{"uri": {post.NativeID}, "depth": {strconv.Itoa(threadDepth)}, "parentHeight": {"0"}}, &answer)
	if isNamed(err, postNotFound) {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading thread: %w", err)
	}
	if answer.Thread.Post == nil {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	page := connectors.ReceivedPage{}
	if answer.Thread.isWhole() {
		page.Extent = connectors.AllComments
	}
	answer.Thread.under(func(v *postView) {
		if v.Author.DID == s.DID {
			return
		}
		if received, ok := v.received(schema.InboxComment); ok {
			page.Items = append(page.Items, connectors.Under(post, received))
		}
	})
	return page, nil
}

// isWhole reports whether a thread shows as many answers as each of its posts has: long and deep ones
// are cut.
func (t threadView) isWhole() bool {
	return t.Post != nil && t.Post.Replies <= len(t.Replies) &&
		!slices.ContainsFunc(t.Replies, func(answer threadView) bool { return answer.Post != nil && !answer.isWhole() })
}

// under calls see with every post below this one.
func (t threadView) under(see func(*postView)) {
	for _, answer := range t.Replies {
		if answer.Post != nil {
			see(answer.Post)
		}
		answer.under(see)
	}
}

// Mentions reads the account's notifications.
func (c *Connector) Mentions(ctx context.Context, r connectors.Reading, cursor string) (connectors.ReceivedPage, error) {
	query := url.Values{"reasons": {"mention", "quote"}, "limit": {strconv.Itoa(mentionPage)}}
	connectors.SetField(query, "cursor", cursor)
	var answer struct {
		Cursor        string     `json:"cursor"`
		Notifications []postView `json:"notifications"`
	}
	if _, err := c.reads(ctx, r, listNotifications, query, &answer); err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading notifications: %w", err)
	}
	page := connectors.ReceivedPage{Next: answer.Cursor}
	for i := range answer.Notifications {
		if received, ok := answer.Notifications[i].received(schema.InboxMention); ok {
			page.Items = append(page.Items, received)
		}
	}
	return page, nil
}

// reads makes a call that reads, under the account's session.
func (c *Connector) reads(ctx context.Context, r connectors.Reading, method string, query url.Values, answer any) (session, error) {
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	return c.ask(ctx, d, answer, func(s session) connectors.Call {
		get := call(d, http.MethodGet, s.PDS, method, s.Access).Reading(r)
		get.Query = query
		return get
	})
}

// received is a post as an item of the inbox; ok is false where its record cannot be read.
func (v *postView) received(kind string) (_ schema.Received, ok bool) {
	w, ok := v.read()
	if !ok {
		return schema.Received{}, false
	}
	own := strongRef{v.URI, v.CID}
	state := answerState{Root: own, Parent: own}
	item := schema.InboxItem{Kind: kind, NativeID: v.URI, Text: w.Text, URL: pageOf(v.URI), WrittenAt: v.at(w), Author: v.author()}
	if w.Reply != nil {
		state.Root, item.ParentID = w.Reply.Root, w.Reply.Parent.URI
	}
	return schema.Received{Item: item, State: string(connectors.Encode(state))}, true
}

// Reply writes the record of a reply.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	var to answerState
	if err := json.Unmarshal([]byte(cmp.Or(d.Comment.ReplyTo.State, "{}")), &to); err != nil {
		return schema.Receipt{}, fmt.Errorf("reading what is answered: %w", err)
	}
	if to.Parent.URI == "" || to.Root.URI == "" {
		return schema.Receipt{}, connectors.Refuse("what it answers is not known well enough to be answered")
	}
	record, err := newPost(d, d.Comment.Text)
	if err != nil {
		return schema.Receipt{}, err
	}
	record.Reply = &reply{Root: to.Root, Parent: to.Parent}
	return c.put(ctx, d, record)
}

// FindReply reads the record by its key.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return c.Find(ctx, d)
}
