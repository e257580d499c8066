package mastodon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"crier/connectors"
	"crier/connectors/listing"
	"crier/schema"
)

// written is a status of somebody, with who it is by.
type written struct {
	status
	Visibility string `json:"visibility"`
	Account    struct {
		ID          string `json:"id"`
		Acct        string `json:"acct"`
		DisplayName string `json:"display_name"`
		URL         string `json:"url"`
	} `json:"account"`
	InReplyToAccountID string `json:"in_reply_to_account_id"` // null: empty
}

// maxDescendants is how many answers a server shows to whoever is logged in (docs.joinmastodon.org/
// methods/statuses/#context).
const maxDescendants = 4096

// Comments reads all that answers a status, as far as its server knows it, in one call. Answers
// are to statuses that the reader may see, private ones included.
func (c *Connector) Comments(ctx context.Context, r connectors.Reading, post schema.PublishedPost, _ string) (connectors.ReceivedPage, error) {
	call := c.reading(r, "/api/v1/statuses/"+url.PathEscape(post.NativeID)+"/context", opContext)
	var thread struct {
		Descendants []written `json:"descendants"`
	}
	response, err := c.client.Do(ctx, call, &thread)
	if response != nil && response.Status == http.StatusNotFound {
		return connectors.ReceivedPage{Gone: true}, nil
	}
	if err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading answers: %w", connectors.WithoutEnd(err))
	}
	own, err := listing.AccountID(ctx, schema.Delivery{Account: r.Account, Credentials: r.Credentials}, c.Check)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	var page connectors.ReceivedPage
	if len(thread.Descendants) < maxDescendants {
		page.Extent = connectors.AllComments
	}
	for _, w := range thread.Descendants {
		if w.Account.ID != own {
			page.Items = append(page.Items, connectors.Under(post, c.received(r.Account, w, schema.InboxComment)))
		}
	}
	return page, nil
}

// Mentions reads the account's notifications of mentions. Those that answer a status of its
// own are comments.
func (c *Connector) Mentions(ctx context.Context, r connectors.Reading, cursor string) (connectors.ReceivedPage, error) {
	call := c.reading(r, "/api/v1/notifications", opNotifications)
	call.Query = url.Values{"types[]": {"mention"}, "limit": {strconv.Itoa(pageSize)}}
	connectors.SetField(call.Query, "max_id", cursor)
	var read []struct {
		ID     string   `json:"id"`
		Status *written `json:"status"`
	}
	if _, err := c.client.Do(ctx, call, &read); err != nil {
		return connectors.ReceivedPage{}, fmt.Errorf("reading notifications: %w", connectors.WithoutEnd(err))
	}
	own, err := listing.AccountID(ctx, schema.Delivery{Account: r.Account, Credentials: r.Credentials}, c.Check)
	if err != nil {
		return connectors.ReceivedPage{}, err
	}
	var page connectors.ReceivedPage
	for _, n := range read {
		if n.Status != nil && n.Status.InReplyToAccountID != own {
			page.Items = append(page.Items, c.received(r.Account, *n.Status, schema.InboxMention))
		}
	}
	if len(read) == pageSize {
		page.Next = read[len(read)-1].ID
	}
	return page, nil
}

func (c *Connector) reading(r connectors.Reading, path, operation string) connectors.Call {
	call := c.call(r.Account, r.Credentials, http.MethodGet, path, operation).Reading(r)
	return call
}

// received is a status as something received. An answer to it goes to those who see it.
func (c *Connector) received(a schema.Account, w written, kind string) schema.Received {
	author := schema.Author{
		ID: w.Account.ID, Handle: address(w.Account.Acct, c.server(a)), Name: w.Account.DisplayName, URL: connectors.WebURL(w.Account.URL),
	}
	return schema.Received{State: string(connectors.Encode(settings{Visibility: w.Visibility})), Item: schema.InboxItem{
		Kind: kind, NativeID: w.ID, ParentID: w.InReplyToID, Author: author, Text: strings.TrimSpace(plainText(w.Content)), URL: w.webURL(), WrittenAt: w.CreatedAt.UTC(),
	}}
}

// Reply creates the status that answers another. It is seen by whom that one is seen by.
func (c *Connector) Reply(ctx context.Context, d schema.Delivery) (schema.Receipt, error) {
	return c.create(ctx, asAnswer(d), nil)
}

// FindReply looks for it among the account's statuses.
func (c *Connector) FindReply(ctx context.Context, d schema.Delivery) (schema.Receipt, schema.Verdict, error) {
	return c.Find(ctx, asAnswer(d))
}

func asAnswer(d schema.Delivery) schema.Delivery {
	d.Settings = json.RawMessage(d.Comment.ReplyTo.State)
	return d
}
