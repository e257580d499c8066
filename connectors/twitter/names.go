package twitter

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"crier/connectors"
	"crier/schema"
)

// X calls what it lists posts in its OpenAPI since August 2026 (2.167, xdk 0.10.6), and tweets in its prose
// and its API Playground. Parameters go by one of the two, answers are read by both.

// postQuery is what a read of posts asks for.
type postQuery struct {
	fields     string // of posts, besides those of references
	references bool   // what a post answers, quotes or reposts
	author     bool   // who wrote it
	notes      bool   // the whole of a longer post
}

// set writes the query by the one or the other name.
func (q postQuery) set(query url.Values, tweets bool) {
	var fields, expansions []string
	fields = append(fields, q.fields)
	if q.author {
		expansions = append(expansions, "author_id")
		query.Set("user.fields", "name,username")
	}
	switch {
	case q.references && tweets:
		fields = append(fields, "in_reply_to_user_id", "referenced_tweets")
	case q.references:
		expansions = append(expansions, "in_reply_to_user_id", "referenced_posts")
	}
	if q.author && tweets {
		fields = append(fields, "author_id")
	}
	switch {
	case q.notes && tweets:
		fields = append(fields, "note_tweet")
	case q.notes:
		fields = append(fields, "note_post")
	}
	query.Del("post.fields")
	query.Del("tweet.fields")
	query.Del("expansions")
	if tweets {
		query.Set("tweet.fields", strings.Join(fields, ","))
	} else {
		query.Set("post.fields", strings.Join(fields, ","))
	}
	if len(expansions) > 0 {
		query.Set("expansions", strings.Join(expansions, ","))
	}
}

// readPosts makes a read of posts. Where X refuses its parameters, or does not answer with what was asked
// for, it is made once more by the other names, which are remembered where they work.
func readPosts[Answer any](ctx context.Context, c *Connector, call connectors.Call, q postQuery, isWhole func(Answer) bool) (Answer, *connectors.Response, error) {
	tweets := c.tweets.Load()
	read := func(tweets bool) (out Answer, response *connectors.Response, err error) {
		q.set(call.Query, tweets)
		response, err = c.client.Do(ctx, call, &out)
		return out, response, err
	}
	first, response, err := read(tweets)
	isRefused := response != nil && response.Status == http.StatusBadRequest
	if !isRefused && (err != nil || isWhole(first)) {
		return first, response, err
	}
	call.Reservation = nil // which the first call used up
	second, again, errAgain := read(!tweets)
	if errAgain != nil || !isWhole(second) {
		if err == nil {
			err = &schema.Error{Kind: schema.Retryable, Message: "X's answer is no list of posts"}
		}
		return first, response, err
	}
	c.tweets.Store(!tweets)
	return second, again, nil
}
