package client

import (
	"context"
	"iter"

	"crier/client/internal/api"
)

type (
	// InboxItem is a comment or a mention.
	InboxItem = api.InboxItem
	// Author is who wrote it, as far as the platform tells.
	Author = api.InboxItem_Author
	// UnreadCount is how much of an account nobody has read.
	UnreadCount = api.InboxResponse_Unread
	// Reply is an answer to a comment or a mention, and what became of it.
	Reply = api.Reply
	// Transcript is what is spoken in a video.
	Transcript = api.TranscriptResponse_Transcript
)

// How far a reply is.
const (
	ReplyPending = api.ReplyStatusPending
	ReplyPosted  = api.ReplyStatusPosted
	ReplyFailed  = api.ReplyStatusFailed
)

// What an item of the inbox is.
const (
	InboxComment = api.InboxItemKindComment
	InboxMention = api.InboxItemKindMention
)

// EngagementService reads what people write to accounts, and replies to it.
type EngagementService struct{ api *caller }

// CommentFilter selects comments; what is zero selects all.
type CommentFilter struct {
	AccountID string
	PostID    string // only what is under this post
	Unread    bool   // only what nobody has marked as read
	PageSize  int    // comments read by one request; 100 unless it is less
}

// Comments iterates over what people wrote under posts, the newest first, answers to comments
// included. A comment is here at once; its Text, Author and URL follow within seconds.
func (e *EngagementService) Comments(ctx context.Context, filter CommentFilter) iter.Seq2[*InboxItem, error] {
	return pages(e.comments(ctx, filter))
}

// CommentsPage reads PageSize items of Comments: the first ones without a cursor, else those at it.
func (e *EngagementService) CommentsPage(ctx context.Context, filter CommentFilter, cursor string) (Page[InboxItem], error) {
	return e.comments(ctx, filter)(cursor)
}

func (e *EngagementService) comments(ctx context.Context, filter CommentFilter) func(cursor string) (Page[InboxItem], error) {
	params := api.ListCommentsParams{
		AccountID: optional(filter.AccountID), PostID: optional(filter.PostID), Unread: optional(filter.Unread), Limit: pageSize(filter.PageSize),
	}
	return func(cursor string) (Page[InboxItem], error) {
		params.Cursor = optional(cursor)
		return part(inboxPage)(e.api.get(ctx, &params, "engagement", "comments"))
	}
}

// MentionFilter selects mentions; what is zero selects all.
type MentionFilter struct {
	AccountID string
	Unread    bool // only what nobody has marked as read
	PageSize  int  // mentions read by one request; 100 unless it is less
}

// Mentions iterates over what people wrote elsewhere that names an account, the newest first.
func (e *EngagementService) Mentions(ctx context.Context, filter MentionFilter) iter.Seq2[*InboxItem, error] {
	return pages(e.mentions(ctx, filter))
}

// MentionsPage reads PageSize items of Mentions: the first ones without a cursor, else those at it.
func (e *EngagementService) MentionsPage(ctx context.Context, filter MentionFilter, cursor string) (Page[InboxItem], error) {
	return e.mentions(ctx, filter)(cursor)
}

func (e *EngagementService) mentions(ctx context.Context, filter MentionFilter) func(cursor string) (Page[InboxItem], error) {
	params := api.ListMentionsParams{AccountID: optional(filter.AccountID), Unread: optional(filter.Unread), Limit: pageSize(filter.PageSize)}
	return func(cursor string) (Page[InboxItem], error) {
		params.Cursor = optional(cursor)
		return part(inboxPage)(e.api.get(ctx, &params, "engagement", "mentions"))
	}
}

func inboxPage(r *api.InboxResponse) Page[InboxItem] { return Page[InboxItem]{r.Items, r.NextCursor} }

// Unread counts what nobody has read, up to 1,000 of each kind; accounts without any are left out.
func (e *EngagementService) Unread(ctx context.Context) ([]UnreadCount, error) {
	return part(func(r *api.InboxResponse) []UnreadCount { return r.Unread })(
		e.api.get(ctx, &api.ListMentionsParams{Limit: pageSize(1)}, "engagement", "mentions"))
}

// MarkRead marks up to 100 items as read, all or none of them, and says how many were not before.
func (e *EngagementService) MarkRead(ctx context.Context, items ...string) (changed int, err error) {
	return e.mark(ctx, items, true)
}

// MarkUnread marks up to 100 items as unread again, and says how many were not before.
func (e *EngagementService) MarkUnread(ctx context.Context, items ...string) (changed int, err error) {
	return e.mark(ctx, items, false)
}

func (e *EngagementService) mark(ctx context.Context, items []string, seen bool) (changed int, err error) {
	return part(func(r *api.MarkResponse) int { return r.Changed })(
		e.api.post(repeatable(ctx), api.ItemMarks{ItemIds: items, Read: &seen}, "engagement", "read"))
}

// Reply stores an answer to a comment or a mention for good; it goes out within a second, by the
// account that was written to.
func (e *EngagementService) Reply(ctx context.Context, item, text string, options ...CallOption) (*Reply, error) {
	ctx = keyed(ctx, options)
	return part(replyOf)(e.api.post(ctx, api.ReplyCreate{ItemID: item, Text: text}, "engagement", "replies"))
}

// GetReply reads what became of a reply.
func (e *EngagementService) GetReply(ctx context.Context, id string) (*Reply, error) {
	return part(replyOf)(e.api.get(ctx, nil, "engagement", "replies", id))
}

func replyOf(r *api.ReplyResponse) *Reply { return &r.Reply }

// Captions are those of a video of an account on youtube.
type Captions struct {
	AccountID string
	VideoID   string // on youtube
	Language  string // such as en; empty: the first that there is
}

// Transcript reads what is spoken in a video, as its captions have it. Each time costs 250 of the
// 10,000 units that YouTube gives crier's app a day.
func (e *EngagementService) Transcript(ctx context.Context, captions Captions) (*Transcript, error) {
	return part(func(r *api.TranscriptResponse) *Transcript { return &r.Transcript })(e.api.get(ctx, &api.GetTranscriptParams{
		AccountID: captions.AccountID, VideoID: captions.VideoID, Language: optional(captions.Language),
	}, "engagement", "transcript"))
}
