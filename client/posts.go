package client

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"strings"
	"time"

	"crier/client/internal/api"
)

type (
	// Post is a post and what became of it. To create one, leave what the server sets (its id, times and
	// outcomes) empty.
	Post = api.Post
	// PostUpdate changes a post that is not published: what is nil stays as it is, lists and
	// objects replace what was there, empty ones clear it.
	PostUpdate = api.PostUpdate
	// PostUpdateStatus is the status that a change may ask for: UpdateScheduled makes a draft go out.
	PostUpdateStatus = api.PostUpdateStatus
	// PostRetry says what of a post that failed is to be tried again; the zero value: all of it.
	PostRetry = api.PostRetry
	// PostStatus is how far a post is.
	PostStatus = api.PostStatus
	// Target is a post bound for one account, and what became of it there.
	Target = api.PlatformEntry
	// TargetStatus is how far a post is on one platform.
	TargetStatus = api.PlatformEntryStatus
	// FirstComment is a comment that follows an entry of a post.
	FirstComment = api.FirstComment
	// CommentRecord is what became of a first comment.
	CommentRecord = api.CommentRecord
	// Held is why nothing of a target goes out at present.
	Held = api.Held
	// Cause is why something failed.
	Cause = api.Cause
	// Attempt is one line of a post's timeline.
	Attempt = api.Attempt
	// Validation is what a creation would find.
	Validation = api.ValidationResponse_Validation
	// Validity is what a creation would find on one platform.
	Validity = api.Validity
	// Bulk is up to 25 posts to be made by one request.
	Bulk = api.BulkCreate
	// BulkResponse is what became of each post of a bulk, in its order.
	BulkResponse = api.BulkResponse
	// BulkResult is what became of one post of a bulk.
	BulkResult = api.BulkResult
)

// What a change may make of a draft.
const (
	UpdateDraft     = api.PostUpdateStatusDraft
	UpdateScheduled = api.PostUpdateStatusScheduled
)

// How far a post is.
const (
	PostDraft           = api.PostStatusDraft
	PostScheduled       = api.PostStatusScheduled
	PostProcessing      = api.PostStatusProcessing
	PostPosted          = api.PostStatusPosted
	PostPartiallyFailed = api.PostStatusPartiallyFailed
	PostFailed          = api.PostStatusFailed
	PostCancelled       = api.PostStatusCancelled
)

// How far a post is on one platform.
const (
	TargetPending   = api.PlatformEntryStatusPending
	TargetPosted    = api.PlatformEntryStatusPosted
	TargetFailed    = api.PlatformEntryStatusFailed
	TargetCancelled = api.PlatformEntryStatusCancelled
)

// How far a first comment is; before its time there is no record of it.
const (
	CommentPosted  = api.CommentRecordStatusPosted
	CommentFailed  = api.CommentRecordStatusFailed
	CommentSkipped = api.CommentRecordStatusSkipped
)

// To returns targets on platforms of which exactly one account is connected. Any other account
// is named: Target{Platform: Mastodon, AccountID: "acc_…"}.
func To(platforms ...Platform) []Target {
	targets := make([]Target, len(platforms))
	for i, p := range platforms {
		targets[i].Platform = p
	}
	return targets
}

// PostService makes posts and reads what became of them.
type PostService struct{ api *caller }

// Create stores a post for good. Exactly one of PublishNow, Queue, QueueID, ScheduledFor and the
// status PostDraft is needed. What was accepted and may not be what was meant is in the answer's
// Warnings.
func (p *PostService) Create(ctx context.Context, post Post, options ...CallOption) (*Post, error) {
	ctx = keyed(ctx, options)
	return part(postOf)(p.api.post(ctx, creation(post), "posts"))
}

// CreateBulk makes up to 25 posts with one request, which succeed and fail independently: an
// error is one of the whole request.
func (p *PostService) CreateBulk(ctx context.Context, bulk Bulk, options ...CallOption) (*BulkResponse, error) {
	sent := bulk
	sent.Posts = make([]Post, len(bulk.Posts))
	for i, post := range bulk.Posts {
		sent.Posts[i] = creation(post)
	}
	if bulk.DryRun {
		options = append(options, DryRun())
	}
	ctx = keyed(ctx, options)
	return read[BulkResponse](p.api.post(ctx, sent, "posts", "bulk"))
}

// CreateBulkJSON is CreateBulk of a body that is there already, as POST /posts/bulk takes it.
func (p *PostService) CreateBulkJSON(ctx context.Context, body []byte, options ...CallOption) (*BulkResponse, error) {
	ctx = keyed(ctx, options)
	return read[BulkResponse](p.api.post(ctx, body, "posts", "bulk"))
}

// Validate finds the errors and warnings that a creation would; nothing is made.
func (p *PostService) Validate(ctx context.Context, post Post) (*Validation, error) {
	return part(func(r *api.ValidationResponse) *Validation { return &r.Validation })(
		p.api.post(repeatable(ctx), creation(post), "posts", "validate"))
}

// Get reads a post.
func (p *PostService) Get(ctx context.Context, id string) (*Post, error) {
	return part(postOf)(p.api.get(ctx, nil, "posts", id))
}

// PostLookup names posts: 1,000 at most, of both kinds together.
type PostLookup struct {
	IDs         []string
	ExternalIDs []string
}

// Lookup reads posts by their ids, and by ids of your own. What names no post is left out; of posts
// that share an id of your own there are four at most, those not published yet first. One request
// reads 100 posts.
func (p *PostService) Lookup(ctx context.Context, lookup PostLookup) ([]Post, error) {
	var posts []Post
	seen := map[string]bool{} // posts that share an id of your own may be in two answers
	for rest := (api.PostLookup{Ids: lookup.IDs, ExternalIds: lookup.ExternalIDs}); ; {
		response, err := read[api.LookupResponse](p.api.post(repeatable(ctx), rest, "posts", "lookup"))
		if err != nil {
			return nil, err
		}
		for _, post := range response.Posts {
			if !seen[post.ID] {
				posts = append(posts, post)
			}
			seen[post.ID] = true
		}
		if rest = response.Rest; len(rest.Ids)+len(rest.ExternalIds) == 0 {
			return posts, nil
		}
	}
}

// Update changes a draft or a scheduled post. After the answer the old version is never published.
func (p *PostService) Update(ctx context.Context, id string, change PostUpdate) (*Post, error) {
	return part(postOf)(p.api.patch(ctx, change, "posts", id))
}

// UpdateJSON is Update of a body that is there already, as PATCH /posts/{id} takes it.
func (p *PostService) UpdateJSON(ctx context.Context, id string, body []byte) (*Post, error) {
	return part(postOf)(p.api.patch(ctx, body, "posts", id))
}

// Cancel removes a draft, and cancels a scheduled post: it is never published.
func (p *PostService) Cancel(ctx context.Context, id string) error {
	return done(p.api.delete(ctx, "posts", id))
}

// Retry sets the failed platforms of a post going again. Nothing that is published is repeated.
func (p *PostService) Retry(ctx context.Context, id string, retry PostRetry) (*Post, error) {
	return part(func(r *api.RetryResponse) *Post {
		r.Post.Warnings = r.Warnings
		return &r.Post
	})(p.api.post(ctx, retry, "posts", id, "retry"))
}

// PostFilter selects posts; what is zero selects all.
type PostFilter struct {
	Status   PostStatus
	Platform Platform
	BrandID  string
	After    time.Time // scheduled at or after it
	Before   time.Time // scheduled at or before it
	// UpdatedAfter lists what was changed at or after it, the first change first; only Status may
	// stand beside it.
	UpdatedAfter time.Time
	// Search is words that a post's texts and titles have, all of them. The posts come in the order of
	// LatestCreated. One request reads the next 5,000: where few have the words, many follow.
	Search     string
	Sort       PostSort // empty: LatestScheduled
	ExternalID string
	Metadata   map[string]string // all of these
	PageSize   int               // posts read by one request; 100 unless it is less
}

// PostSort is the order of posts.
type PostSort string

// Orders of posts. By their creation they are listed beside ExternalID and Metadata alone.
const (
	LatestScheduled PostSort = "-scheduledFor" // drafts without a time stand before all others
	FirstScheduled  PostSort = "scheduledFor"
	LatestCreated   PostSort = "-createdAt"
	FirstCreated    PostSort = "createdAt"
)

// List iterates over posts. What is made or moved meanwhile shifts nothing: each is read once.
func (p *PostService) List(ctx context.Context, filter PostFilter) iter.Seq2[*Post, error] {
	return pages(p.reader(ctx, filter))
}

// Page reads PageSize posts of List: the first ones without a cursor, else those at it. The filter
// stays the same from page to page.
func (p *PostService) Page(ctx context.Context, filter PostFilter, cursor string) (Page[Post], error) {
	return p.reader(ctx, filter)(cursor)
}

func (p *PostService) reader(ctx context.Context, filter PostFilter) func(cursor string) (Page[Post], error) {
	params := api.ListPostsParams{
		Status: optional(api.ListPostsParamsStatus(filter.Status)), Platform: optional(filter.Platform), BrandID: optional(filter.BrandID),
		After: instant(filter.After), Before: instant(filter.Before), ExternalID: optional(filter.ExternalID), Limit: pageSize(filter.PageSize),
		UpdatedAfter: instant(filter.UpdatedAfter), Q: optional(filter.Search), Sort: optional(api.ListPostsParamsSort(filter.Sort)),
	}
	if len(filter.Metadata) > 0 {
		params.Metadata = &filter.Metadata
	}
	return func(cursor string) (Page[Post], error) {
		params.Cursor = optional(cursor)
		return part(func(r *api.PostsResponse) Page[Post] { return Page[Post]{r.Posts, r.Pagination.NextCursor} })(
			p.api.get(ctx, &params, "posts"))
	}
}

// Attempts iterates over a post's timeline, oldest first.
func (p *PostService) Attempts(ctx context.Context, id string) iter.Seq2[*Attempt, error] {
	params := api.ListPostAttemptsParams{Limit: pageSize(0)}
	return pages(func(cursor string) (Page[Attempt], error) {
		params.Page = pageNumber(cursor)
		return part(func(r *api.AttemptsResponse) Page[Attempt] { return Page[Attempt]{r.Attempts, following(r.Pagination)} })(
			p.api.get(ctx, &params, "posts", id, "attempts"))
	})
}

func postOf(r *api.PostResponse) *Post {
	r.Post.Warnings = r.Warnings
	return &r.Post
}

// creation is a post without what only the server sets. A time in a named zone brings the zone's name.
func creation(post Post) Post {
	post.ID, post.ThreadID, post.IsAPIPost, post.Warnings = "", "", false, nil
	post.CreatedAt, post.UpdatedAt = time.Time{}, time.Time{}
	post.Platforms = bareTargets(post.Platforms)
	post.Timezone = zoneOf(post.Timezone, post.ScheduledFor)
	return post
}

func bareTargets(targets []Target) []Target {
	bare := make([]Target, len(targets))
	for i, t := range targets {
		bare[i] = Target{Platform: t.Platform, AccountID: t.AccountID, Content: cmp.Or(t.Content, t.ContentOverride)}
	}
	return bare
}

func zoneOf(named string, at time.Time) string {
	if zone := at.Location().String(); named == "" && !at.IsZero() && strings.Contains(zone, "/") {
		return zone
	}
	return named
}

// instant is a time as filters take it; nil for none.
func instant(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	text := at.UTC().Format(time.RFC3339Nano)
	return &text
}

func pageSize(limit int) *int {
	const maximum = 100
	if limit <= 0 || limit > maximum {
		limit = maximum
	}
	return &limit
}

// pageNumber is the page of a list that is read by number.
func pageNumber(cursor string) *int {
	if number, err := strconv.Atoi(cursor); err == nil {
		return &number
	}
	return nil
}

func following(p api.Pagination) string {
	if !p.HasMore {
		return ""
	}
	return strconv.Itoa(p.Page + 1)
}
