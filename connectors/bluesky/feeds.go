package bluesky

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// DefaultAppView is where Bluesky shows profiles to everybody.
const DefaultAppView = "https://public.api.bsky.app"

// SearchFeed asks the account's server, which passes the call on to Bluesky's AppView: nobody
// without an account may search there.
func (c *Connector) SearchFeed(ctx context.Context, r connectors.Reading, q connectors.FeedQuery) (connectors.FeedPage, error) {
	d := schema.Delivery{Account: r.Account, Credentials: r.Credentials}
	query := url.Values{"q": {q.Words}, "sort": {"latest"}, "limit": {strconv.Itoa(q.Limit)}}
	connectors.SetField(query, "lang", q.Language)
	connectors.SetField(query, "cursor", q.Cursor)
	if !q.Since.IsZero() {
		query.Set("since", q.Since.UTC().Format(time.RFC3339))
	}
	var found struct {
		Cursor string     `json:"cursor"`
		Posts  []postView `json:"posts"`
	}
	_, err := c.ask(ctx, d, &found, func(s session) connectors.Call {
		search := call(d, http.MethodGet, s.PDS, searchPosts, s.Access)
		search.Query, search.Kind, search.Reservation = query, connectors.Status, r.Reservation
		return search
	})
	if err != nil {
		return connectors.FeedPage{}, fmt.Errorf("searching posts: %w", err)
	}
	page := connectors.FeedPage{Next: found.Cursor}
	for i := range found.Posts {
		if item, ok := found.Posts[i].item(); ok {
			page.Items = append(page.Items, item)
		}
	}
	return page, nil
}

// item is a post as a search finds it; ok is false for one whose address is none.
func (v *postView) item() (item connectors.FeedItem, ok bool) {
	at, key, ok := strings.Cut(strings.TrimPrefix(v.URI, "at://"), "/"+postCollection+"/")
	if !ok || at != v.Author.DID || key == "" {
		return item, false
	}
	w, ok := v.read()
	return connectors.FeedItem{
		Platform: schema.Bluesky, NativeID: v.URI, Revision: v.CID, Text: w.Text, Languages: w.Langs, WrittenAt: v.at(w),
		Author: v.author(), URL: pageOf(v.URI),
	}, ok
}

// profileNotFound is how the AppView words that there is no such profile: its name is that of any
// bad request.
const profileNotFound = "Profile not found"

// ReadProfile reads what everybody sees of somebody; it needs no account.
func (c *Connector) ReadProfile(ctx context.Context, r connectors.Reading, actor string) (connectors.PublicProfile, error) {
	var written struct {
		DID            string    `json:"did"`
		Handle         string    `json:"handle"`
		DisplayName    string    `json:"displayName"`
		Description    string    `json:"description"`
		Avatar         string    `json:"avatar"`
		FollowersCount *int64    `json:"followersCount"`
		FollowsCount   *int64    `json:"followsCount"`
		PostsCount     *int64    `json:"postsCount"`
		CreatedAt      time.Time `json:"createdAt"`
	}
	_, err := c.client.Do(ctx, connectors.Call{
		Operation: getProfile, Method: http.MethodGet, URL: endpoint(c.appView, getProfile), Query: url.Values{"actor": {actor}},
		Account: r.Account.ID, Kind: connectors.Status, Reservation: r.Reservation,
	}, &written)
	switch e, _ := errors.AsType[*schema.Error](err); {
	case e != nil && strings.HasPrefix(e.Message, profileNotFound):
		return connectors.PublicProfile{}, &schema.Error{Kind: schema.NotFound, Message: "there is no such profile on bluesky", Err: err}
	case e != nil && e.Kind == schema.TokenDead: // theirs, not ours
		return connectors.PublicProfile{}, &schema.Error{Kind: schema.NotFound, Message: "bluesky does not show the profile: " + e.Message, Err: err}
	case err != nil:
		return connectors.PublicProfile{}, fmt.Errorf("reading a profile: %w", err)
	}
	return connectors.PublicProfile{
		ID: written.DID, Handle: written.Handle, Name: written.DisplayName, Description: written.Description, URL: profileURL(written.DID),
		AvatarURL: written.Avatar, Followers: written.FollowersCount, Following: written.FollowsCount, Posts: written.PostsCount, CreatedAt: written.CreatedAt.UTC(),
	}, nil
}
