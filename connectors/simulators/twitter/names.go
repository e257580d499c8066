package twitter

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Field faults that X alone has.
const (
	// markTweets has X list posts for the account under the names of tweets from then on, as its prose and
	// its API Playground do (docs.x.com/x-api/fundamentals, November 2026).
	markTweets = "[crier:tweet-names]"
	// markSparse has X leave out what its description does not require of a post that is listed: where its
	// links lead, and what is attached.
	markSparse = "[crier:sparse-post]"
)

// unknownFields stands in a query for parameters under a name that is not taken.
const unknownFields = "post.fields under another name"

// inPosts returns a query in the names of posts. Where X goes by those of tweets it takes these alone.
func (v visit) inPosts(query url.Values) url.Values {
	taken, refused := "post.fields", "tweet.fields"
	if v.profile.tweets.Load() {
		taken, refused = refused, taken
	}
	in := url.Values{}
	for name, values := range query {
		switch name {
		case taken:
			in["post.fields"] = values
		case refused:
			in[unknownFields] = values
		default:
			in[name] = values
		}
	}
	if taken == "tweet.fields" && in.Has("post.fields") {
		in.Set("post.fields", strings.ReplaceAll(in.Get("post.fields"), "note_tweet", "note_post"))
	}
	if taken == "tweet.fields" && strings.Contains(in.Get("post.fields"), "referenced_tweets") {
		in.Set("expansions", strings.Trim(in.Get("expansions")+",in_reply_to_user_id,referenced_posts", ","))
	}
	return in
}

func unknownParameter(name string) error {
	return invalidRequest(fmt.Sprintf("The query parameter [%s] is not one of the allowed ones", name))
}

// named returns an answer by the names that the account is told.
func (v visit) named(out object) any {
	if !v.profile.tweets.Load() {
		return out
	}
	encoded, err := json.Marshal(out)
	if err != nil {
		return out
	}
	return json.RawMessage(strings.NewReplacer(
		`"referenced_posts":`, `"referenced_tweets":`, `"edit_history_post_ids":`, `"edit_history_tweet_ids":`,
		`"note_post":`, `"note_tweet":`, `"repost_count":`, `"retweet_count":`, `"post_count":`, `"tweet_count":`,
	).Replace(string(encoded)))
}

// withoutAddresses are links that do not say where they lead.
func withoutAddresses(links []link) []link {
	bare := make([]link, len(links))
	for i, l := range links {
		bare[i] = link{Start: l.Start, End: l.End, URL: l.URL}
	}
	return bare
}
