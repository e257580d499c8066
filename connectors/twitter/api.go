package twitter

import (
	"cmp"
	"regexp"
	"time"
)

var idPattern = regexp.MustCompile(`^[0-9]{1,19}$`)

// Operations of the API, as they are called in metrics and logs.
const (
	opCreatePost  = "POST /2/tweets"
	opListPosts   = "GET /2/users/{id}/tweets"
	opMe          = "GET /2/users/me"
	opPosts       = "GET /2/tweets"
	opInitialize  = "POST /2/media/upload/initialize"
	opAppend      = "POST /2/media/upload/{id}/append"
	opFinalize    = "POST /2/media/upload/{id}/finalize"
	opMediaStatus = "GET /2/media/upload"
	opDescribe    = "POST /2/media/metadata"
	opToken       = "POST /2/oauth2/token"
	opRevoke      = "POST /2/oauth2/revoke"
)

// newPost is the body of POST /2/tweets (CreatePostsRequest). The text is always sent, as
// the description asks for.
type newPost struct {
	Text                  string     `json:"text"`
	Media                 *newMedia  `json:"media,omitempty"`
	Poll                  *newPoll   `json:"poll,omitempty"`
	Reply                 *newParent `json:"reply,omitempty"`
	ReplySettings         string     `json:"reply_settings,omitempty"`
	QuoteTweetID          string     `json:"quote_tweet_id,omitempty"`
	CommunityID           string     `json:"community_id,omitempty"`
	ShareWithFollowers    bool       `json:"share_with_followers,omitempty"`
	ForSuperFollowersOnly bool       `json:"for_super_followers_only,omitempty"`
	MadeWithAI            bool       `json:"made_with_ai,omitempty"`
	PaidPartnership       bool       `json:"paid_partnership,omitempty"`
}

type newMedia struct {
	IDs    []string `json:"media_ids"`
	Tagged []string `json:"tagged_user_ids,omitempty"`
}

type newPoll struct {
	Options         []string `json:"options"`
	DurationMinutes int      `json:"duration_minutes"`
}

type newParent struct {
	ID string `json:"in_reply_to_tweet_id"`
}

// post is what the connector reads of a Post.
type post struct {
	ID          string    `json:"id"`
	Text        string    `json:"text"` // with & < > escaped, and links as X's own
	CreatedAt   time.Time `json:"created_at"`
	ReplyToUser string    `json:"in_reply_to_user_id"`
	Attachments struct {
		MediaKeys []string `json:"media_keys"`
		PollIDs   []string `json:"poll_ids"`
	} `json:"attachments"`
	Entities  entities    `json:"entities"`
	Note      *note       `json:"note_post"` // of a longer post, whose Text is cut off
	TweetNote *note       `json:"note_tweet"`
	Posts     []reference `json:"referenced_posts"`
	Tweets    []reference `json:"referenced_tweets"` // by the older name
}

// note is the whole of a longer post.
type note struct {
	Text     string   `json:"text"`
	Entities entities `json:"entities"`
}

type entities struct {
	URLs []postLink `json:"urls"`
}

// whole returns the text of a post, however long it is, and the links in it.
func (p post) whole() (text string, links []postLink) {
	if long := cmp.Or(p.Note, p.TweetNote); long != nil {
		return long.Text, long.Entities.URLs
	}
	return p.Text, p.Entities.URLs
}

type reference struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// postLink is a link of a post's text, or the one X puts after it for media and a quote.
type postLink struct {
	URL         string `json:"url"` // as it stands in the text
	ExpandedURL string `json:"expanded_url"`
	UnwoundURL  string `json:"unwound_url"` // where the address leads in the end
	MediaKey    string `json:"media_key"`
}

const (
	reposts   = "retweeted"
	quotes    = "quoted"
	repliesTo = "replied_to"
)

// references returns the id of the post that a post refers to in a way; empty if none.
func (p post) references(how string) string {
	for _, referenced := range [][]reference{p.Posts, p.Tweets} {
		for _, r := range referenced {
			if r.Type == how {
				return r.ID
			}
		}
	}
	return ""
}

// isID reports whether a text is of the form that all of X's ids have.
func isID(text string) bool { return idPattern.MatchString(text) }

// isWhole reports whether a post shows what it is known by.
func (p post) isWhole() bool {
	return isID(p.ID) && !p.CreatedAt.IsZero() && (p.ReplyToUser == "" || p.references(repliesTo) != "")
}

// mediaInfo is what X says of an upload.
type mediaInfo struct {
	ID           string      `json:"id"`
	ExpiresAfter int         `json:"expires_after_secs"`
	Processing   *processing `json:"processing_info"` // missing: there is nothing to wait for
}

type processing struct {
	State      string `json:"state"` // pending, in_progress, failed, succeeded
	CheckAfter int    `json:"check_after_secs"`
	Error      struct {
		Message string `json:"message"`
	} `json:"error"` // of one that failed
}

const (
	processed = "succeeded"
	failed    = "failed"
)
