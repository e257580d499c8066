package twitter

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const (
	// maxBody bounds the body of a call in JSON.
	maxBody = 1 << 20
	// repeatWindow is how long X refuses a text again. Its documents do not say.
	repeatWindow = 24 * time.Hour
	maxMedia     = 4
	maxTagged    = 10
	// uninvited in the text of a reply has it refused as one that nobody asked for.
	uninvited = "[crier:uninvited]"
)

// The bounds of a poll (CreatePostsPoll).
const (
	maxPollOptions = 4
	maxPollOption  = 25
	minPollMinutes = 5
	maxPollMinutes = 10080
)

// newPost is the body of POST /2/tweets (CreatePostsRequest), as far as the simulator goes.
type newPost struct {
	Text  string `json:"text"`
	Media *struct {
		IDs    []string `json:"media_ids"`
		Tagged []string `json:"tagged_user_ids"`
	} `json:"media"`
	Poll *struct {
		Options         []string `json:"options"`
		DurationMinutes int      `json:"duration_minutes"`
	} `json:"poll"`
	Reply *struct {
		ID string `json:"in_reply_to_tweet_id"`
	} `json:"reply"`
	ReplySettings         string `json:"reply_settings"`
	QuoteTweetID          string `json:"quote_tweet_id"`
	CommunityID           string `json:"community_id"`
	ShareWithFollowers    bool   `json:"share_with_followers"`
	ForSuperFollowersOnly bool   `json:"for_super_followers_only"`
	MadeWithAI            bool   `json:"made_with_ai"`
	PaidPartnership       bool   `json:"paid_partnership"`
}

// postFields is what a post has beside what every post has.
type postFields struct {
	Poll            *pollFields `json:"poll,omitempty"`
	Quotes          string      `json:"quotes,omitempty"`
	ReplySettings   string      `json:"replySettings,omitempty"`
	Community       string      `json:"community,omitempty"`
	Tagged          []string    `json:"tagged,omitempty"`
	MadeWithAI      bool        `json:"madeWithAi,omitempty"`
	PaidPartnership bool        `json:"paidPartnership,omitempty"`
	Exclusive       bool        `json:"exclusive,omitempty"` // for_super_followers_only
	Shared          bool        `json:"shared,omitempty"`    // share_with_followers
}

type pollFields struct {
	ID      string    `json:"id"`
	Options []string  `json:"options"`
	EndsAt  time.Time `json:"endsAt"`
}

func fieldsOf(p simulation.Post) (f postFields) {
	if json.Unmarshal(p.Fields, &f) != nil {
		return postFields{}
	}
	return f
}

func (s *simulator) createPost(v visit) {
	var input newPost
	if err := decode(v, &input); err != nil {
		v.fail(err)
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.account.ID, Text: input.Text}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.create(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		text, _ := rendered(post.Text, shortener(post.ID), s.appended(v.account, post))
		answer(rw, http.StatusCreated, object{"data": object{"id": post.ID, "text": text, "edit_history_post_ids": []string{post.ID}}})
	})
}

// decode reads a body in JSON, of which X takes no field that it does not know.
func decode(v visit, into any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return invalidRequest(err.Error())
	}
	return nil
}

func (s *simulator) create(v visit, input newPost) (simulation.Post, error) {
	v.profile.acting.Lock()
	defer v.profile.acting.Unlock()
	post := simulation.Post{Account: v.account.ID, Text: strings.TrimSpace(input.Text), Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r)}
	if err := input.check(v.profile.maxText()); err != nil {
		return post, err
	}
	if strings.Contains(input.Text, markTweets) {
		v.profile.tweets.Store(true)
	}
	if input.Reply != nil {
		post.ReplyTo = input.Reply.ID
		if err := s.mayReply(v.account.ID, input); err != nil {
			return post, err
		}
	}
	var uploads []simulation.Upload
	if input.Media != nil {
		var err error
		if uploads, err = s.uploads(v.account.ID, input.Media.IDs); err != nil {
			return post, err
		}
	}
	for _, u := range uploads {
		post.Media = append(post.Media, u.Media())
	}
	if s.isRepeated(post) {
		return post, forbidden("You are not allowed to create a Tweet with duplicate content.")
	}
	fields, err := json.Marshal(s.fields(input))
	if err != nil {
		return post, err
	}
	post.Fields = fields
	added, _, err := s.world.Add(post)
	if err != nil {
		return post, err
	}
	return added, s.use(uploads)
}

func (s *simulator) fields(input newPost) postFields {
	f := postFields{
		Quotes: input.QuoteTweetID, ReplySettings: input.ReplySettings, Community: input.CommunityID,
		MadeWithAI: input.MadeWithAI, PaidPartnership: input.PaidPartnership,
		Exclusive: input.ForSuperFollowersOnly, Shared: input.ShareWithFollowers,
	}
	if input.Media != nil {
		f.Tagged = input.Media.Tagged
	}
	if p := input.Poll; p != nil {
		f.Poll = &pollFields{
			ID: newID(s.world), Options: p.Options, EndsAt: s.world.Now().Add(time.Duration(p.DurationMinutes) * time.Minute),
		}
	}
	return f
}

// What no text may hold (twitter-text, invalid_chars), and how many tags of stocks one may
// (docs.x.com/x-api/posts/manage-tweets/integrate).
const (
	invalidSigns = "\ufffe\ufeff\uffff"
	maxCashtags  = 1
)

var cashtag = regexp.MustCompile(`(?:^|\s)\$[a-zA-Z]{1,6}\b`)

var idPattern = regexp.MustCompile(`^[0-9]{1,19}$`)

// check refuses what X takes of nobody, and a text that is longer than the account's may be.
func (n newPost) check(maximum int) error {
	isNoID := func(id string) bool { return id != "" && !idPattern.MatchString(id) }
	switch {
	case strings.TrimSpace(n.Text) == "" && n.Media == nil:
		return invalidRequest("Request body must contain text, media, poll or quote_tweet_id")
	case weight(n.Text) > maximum:
		return forbidden("Your Tweet text is too long.")
	case strings.ContainsAny(n.Text, invalidSigns):
		return invalidRequest("Your Tweet text contains invalid characters.")
	case len(cashtag.FindAllString(n.Text, -1)) > maxCashtags:
		return forbidden("You can only have one cashtag in a Post.")
	case n.ReplySettings != "" && !slices.Contains([]string{"following", "mentionedUsers", "subscribers", "verified"}, n.ReplySettings):
		return invalidRequest("The `reply_settings` is not one of its values")
	case isNoID(n.QuoteTweetID) || isNoID(n.CommunityID) || n.Reply != nil && !idPattern.MatchString(n.Reply.ID):
		return invalidRequest("An id must match ^[0-9]{1,19}$")
	case n.Media != nil && (len(n.Media.IDs) < 1 || len(n.Media.IDs) > maxMedia || len(n.Media.Tagged) > maxTagged):
		return invalidRequest("`media` has too many or too few values")
	case n.Media != nil && slices.ContainsFunc(slices.Concat(n.Media.IDs, n.Media.Tagged), isNoID):
		return invalidRequest("An id must match ^[0-9]{1,19}$")
	case n.Poll != nil && (n.Media != nil || n.QuoteTweetID != ""), n.QuoteTweetID != "" && n.Media != nil:
		return invalidRequest("`media`, `poll` and `quote_tweet_id` are mutually exclusive")
	}
	return n.checkPoll()
}

func (n newPost) checkPoll() error {
	if n.Poll == nil {
		return nil
	}
	isWrong := func(option string) bool { return option == "" || utf8.RuneCountInString(option) > maxPollOption }
	switch p := n.Poll; {
	case len(p.Options) < 2 || len(p.Options) > maxPollOptions || slices.ContainsFunc(p.Options, isWrong):
		return invalidRequest("`poll.options` must be 2 to 4 texts of 1 to 25 characters")
	case p.DurationMinutes < minPollMinutes || p.DurationMinutes > maxPollMinutes:
		return invalidRequest("`poll.duration_minutes` must be between 5 and 10080")
	}
	return nil
}

// mayReply refuses a reply to who did not ask for it: since 23 February 2026 an app may
// reply only where the author mentioned or quoted the account. The account's own posts are
// the only ones that the simulator knows of.
func (s *simulator) mayReply(account string, input newPost) error {
	_, isOwn := s.world.Post(account, input.Reply.ID)
	if _, heard := s.world.Remark(account, input.Reply.ID); heard && !strings.Contains(input.Text, uninvited) {
		return nil // who wrote it has named the account
	}
	switch {
	case !isOwn && !s.exists(input.Reply.ID):
		return forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.")
	case !isOwn || s.inviteOnly || strings.Contains(input.Text, uninvited):
		return forbidden("Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged " +
			"by the author of the post you are replying to.")
	}
	return nil
}

func (s *simulator) exists(id string) bool {
	for post := range s.world.All() {
		if post.ID == id {
			return true
		}
	}
	return false
}

// isRepeated reports whether the account has said the same lately, in the same place.
func (s *simulator) isRepeated(post simulation.Post) bool {
	if len(post.Media) > 0 {
		return false
	}
	since := s.world.Now().Add(-repeatWindow)
	for earlier := range s.world.Newest(post.Account) {
		if earlier.CreatedAt.Before(since) {
			return false
		}
		if earlier.Text == post.Text && earlier.ReplyTo == post.ReplyTo && len(earlier.Media) == 0 {
			return true
		}
	}
	return false
}
