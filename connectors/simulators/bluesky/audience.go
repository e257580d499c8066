package bluesky

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// maxPosts is how many posts a query takes (app.bsky.feed.getPosts).
const maxPosts = 25

// profile is the profile of an actor, as a PDS gets it from its AppView.
type profile struct {
	DID       string `json:"did"`
	Handle    string `json:"handle"`
	Followers *int64 `json:"followersCount,omitempty"`
	Follows   *int64 `json:"followsCount,omitempty"`
	Posts     *int64 `json:"postsCount,omitempty"`
}

// postView is a post with its counts (app.bsky.feed.defs#postView).
type postView struct {
	URI       string          `json:"uri"`
	CID       string          `json:"cid"`
	Author    profile         `json:"author"`
	Record    json.RawMessage `json:"record"`
	Replies   int64           `json:"replyCount"`
	Reposts   int64           `json:"repostCount"`
	Likes     int64           `json:"likeCount"`
	Quotes    int64           `json:"quoteCount"`
	Bookmarks int64           `json:"bookmarkCount"`
	IndexedAt string          `json:"indexedAt"`
}

// getPosts leaves out what is not there.
func (s *simulator) getPosts(_ http.ResponseWriter, r *http.Request) (any, error) {
	if _, err := s.tokens.verify(r, accessScope); err != nil {
		return nil, err
	}
	uris := r.URL.Query()["uris"]
	if len(uris) == 0 || len(uris) > maxPosts {
		return nil, invalid("InvalidRequest", "uris must be 1 to 25")
	}
	views := []postView{}
	for _, uri := range uris {
		did, path, _ := strings.Cut(strings.TrimPrefix(uri, "at://"), "/")
		p, ok := s.world.PostOfKey(did, strings.TrimPrefix(path, postCollection+"/"))
		if !ok || s.isDeleted(p) {
			continue
		}
		record, audience := written{p}.stored(), s.world.Audience(p)
		handle := record.Handle
		if handle == "" {
			handle = "handle.invalid"
		}
		views = append(views, postView{
			URI: p.ID, CID: record.CID, Author: profile{DID: did, Handle: handle}, Record: record.Record, IndexedAt: p.CreatedAt.Format(time.RFC3339Nano),
			Replies: audience.Comments, Reposts: audience.Shares - audience.Shares/4, Quotes: audience.Shares / 4, Likes: audience.Likes, Bookmarks: audience.Saves,
		})
	}
	return map[string]any{"posts": views}, nil
}

func (s *simulator) getProfile(_ http.ResponseWriter, r *http.Request) (any, error) {
	if r.Header.Get("Authorization") == "" { // at the AppView, which shows them to everybody
		return publicProfile(r.URL.Query().Get("actor"))
	}
	if _, err := s.tokens.verify(r, accessScope); err != nil {
		return nil, err
	}
	who, ok := s.identify(r.URL.Query().Get("actor"))
	if !ok {
		return nil, invalid("InvalidRequest", "actor must be a valid did or a handle")
	}
	crowd := s.world.Crowd(who.did)
	return profile{who.did, who.handle, &crowd.Followers, &crowd.Following, &crowd.Posts}, nil
}
