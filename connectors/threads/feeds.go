package threads

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"crier/connectors"
	"crier/connectors/graph"
	"crier/schema"
)

const opSearch = "GET /keyword_search"

// SearchFeed asks the search of keywords, which takes a token with the permission
// threads_keyword_search. It has no pages: what follows is what was written until the last post.
func (c *Connector) SearchFeed(ctx context.Context, r connectors.Reading, q connectors.FeedQuery) (connectors.FeedPage, error) {
	search := c.Call(schema.Delivery{Account: r.Account, Credentials: r.Credentials}, http.MethodGet, "/keyword_search", opSearch)
	search.Kind, search.Reservation = connectors.Status, r.Reservation
	search.Query = url.Values{"q": {q.Words}, "search_type": {"RECENT"}, "limit": {strconv.Itoa(q.Limit)}, "fields": {"id,text,timestamp,permalink,username"}}
	if !q.Since.IsZero() {
		search.Query.Set("since", strconv.FormatInt(q.Since.Unix(), 10))
	}
	if q.Cursor != "" {
		until, err := strconv.ParseInt(q.Cursor, 10, 64)
		if err != nil {
			return connectors.FeedPage{}, &schema.Error{Kind: schema.Refused, Message: "the cursor is none of threads"}
		}
		if until <= q.Since.Unix() { // Threads refuses what ends before it begins
			return connectors.FeedPage{}, nil
		}
		search.Query.Set("until", strconv.FormatInt(until, 10))
	}
	var found struct {
		Data []struct {
			ID        string     `json:"id"`
			Text      string     `json:"text"`
			Username  string     `json:"username"`
			Permalink string     `json:"permalink"`
			Timestamp graph.Time `json:"timestamp"`
		} `json:"data"`
	}
	if _, err := c.Client.Do(ctx, search, &found); err != nil {
		return connectors.FeedPage{}, fmt.Errorf("searching posts: %w", err)
	}
	var page connectors.FeedPage
	for _, p := range found.Data {
		author := schema.Author{Handle: p.Username}
		if p.Username != "" {
			author.URL = "https://www.threads.com/@" + url.PathEscape(p.Username)
		}
		page.Items = append(page.Items, connectors.FeedItem{
			Platform: schema.Threads, NativeID: p.ID, Author: author, Text: p.Text, URL: p.Permalink, WrittenAt: p.Timestamp.UTC(),
		})
	}
	if n := len(page.Items); n > 0 && n == q.Limit {
		page.Next = strconv.FormatInt(page.Items[n-1].WrittenAt.Unix(), 10)
	}
	return page, nil
}
