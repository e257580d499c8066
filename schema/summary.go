package schema

import (
	"net/url"
	"slices"
	"time"
)

// PostData is the `data` of the events about a post.
type PostData struct {
	Post PostSummary `json:"post"`
}

// PostSummary is a post as webhooks show it.
type PostSummary struct {
	ID           PostID            `json:"id"`
	Content      string            `json:"content"`
	Status       string            `json:"status"` // reads "published" once any target is posted
	ScheduledFor *time.Time        `json:"scheduledFor,omitempty"`
	ExternalID   string            `json:"externalId,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Platforms    []PlatformSummary `json:"platforms"`
	PublishedAt  *time.Time        `json:"publishedAt,omitempty"`
}

// ThreadData is the `data` of the events about a thread.
type ThreadData struct {
	Thread ThreadSummary `json:"thread"`
}

// ThreadSummary is a thread as webhooks show it: its chain of entries, where the post
// that carries it shows its first.
type ThreadSummary struct {
	ID           ThreadID          `json:"id"`
	PostID       PostID            `json:"postId"` // of the post that carries it, whose own events are sent too
	Title        string            `json:"title,omitempty"`
	Status       string            `json:"status"` // scheduled, published, partially_published or failed
	ScheduledFor *time.Time        `json:"scheduledFor,omitempty"`
	ExternalID   string            `json:"externalId,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Platforms    []PlatformSummary `json:"platforms"`
	Entries      []EntrySummary    `json:"entries"`
	PublishedAt  *time.Time        `json:"publishedAt,omitempty"`
}

// EntrySummary is one entry of a thread as webhooks show it.
type EntrySummary struct {
	Position        int                    `json:"position"` // from 1
	Content         string                 `json:"content"`
	Status          string                 `json:"status"` // pending, posted, partially_failed or failed
	PlatformPostIDs map[Platform]EntryPost `json:"platformPostIds,omitempty"`
}

// EntryPost is what an entry became on a platform.
type EntryPost struct {
	PostID string `json:"postId"`
	URL    string `json:"url,omitempty"`
}

// PlatformSummary is one target of a post as webhooks show it.
type PlatformSummary struct {
	Platform  Platform     `json:"platform"`
	AccountID AccountID    `json:"accountId"`
	Status    string       `json:"status"`
	PostID    string       `json:"postId,omitempty"`
	URL       string       `json:"url,omitempty"`
	PostedAt  *time.Time   `json:"postedAt,omitempty"`
	Error     *TargetError `json:"error,omitempty"`
}

// Summary is the post as webhooks show it.
func (p *Post) Summary() PostSummary {
	s := PostSummary{
		ID: p.ID, Status: p.Status.String(), ExternalID: p.Content.ExternalID, Metadata: p.Content.Metadata,
		Platforms: make([]PlatformSummary, len(p.Targets)),
	}
	if len(p.Content.Entries) > 0 {
		s.Content = p.Content.Entries[0].Text
	}
	if p.Status == Posted || p.Status == PartiallyFailed {
		s.Status = "published"
	}
	if !p.ScheduledFor.IsZero() {
		s.ScheduledFor = &p.ScheduledFor
	}
	var last time.Time
	for i := range p.Targets {
		s.Platforms[i] = p.Targets[i].summary()
		if at := p.Targets[i].PostedAt; at.After(last) {
			last = at
		}
	}
	if !last.IsZero() {
		s.PublishedAt = &last
	}
	return s
}

// ThreadID is the id of the thread that the post carries: the post's own, under another
// prefix.
func (p *Post) ThreadID() ThreadID { return ThreadID(p.ID) }

// ThreadSummary is the thread that the post carries, as webhooks show it. Its status goes
// by entries, the post's by targets: of a thread that broke off, the post has failed on
// that target and the thread is partially published.
func (p *Post) ThreadSummary() ThreadSummary {
	post := p.Summary()
	t := ThreadSummary{
		ID: p.ThreadID(), PostID: p.ID, Title: p.Content.Thread.Title, Status: post.Status, ScheduledFor: post.ScheduledFor,
		ExternalID: post.ExternalID, Metadata: post.Metadata, Platforms: post.Platforms, PublishedAt: post.PublishedAt,
		Entries: make([]EntrySummary, len(p.Content.Entries)),
	}
	for i := range p.Content.Entries {
		t.Entries[i] = p.entrySummary(i)
	}
	if p.done() {
		t.Status = threadStatus(t.Entries)
	}
	return t
}

// done reports whether every target came to its own end.
func (p *Post) done() bool { return p.Status.Terminal() && p.Status != Cancelled }

// threadStatus is the status of a thread that is done.
func threadStatus(entries []EntrySummary) string {
	posted, any := true, false
	for _, e := range entries {
		posted = posted && e.Status == Posted.String()
		any = any || len(e.PlatformPostIDs) > 0
	}
	switch {
	case posted:
		return "published"
	case any:
		return "partially_published"
	default:
		return "failed"
	}
}

// entrySummary is what became of one entry on all targets. Where several accounts of one
// platform have it, the first is shown.
func (p *Post) entrySummary(entry int) EntrySummary {
	s := EntrySummary{Position: entry + 1, Content: p.Content.Entries[entry].Text, Status: TargetPending.String()}
	posted := 0
	for i := range p.Targets {
		t := &p.Targets[i]
		n := slices.IndexFunc(t.Receipts, func(r Receipt) bool { return r.Entry == entry && !r.Open })
		if n < 0 {
			continue
		}
		posted++
		if s.PlatformPostIDs == nil {
			s.PlatformPostIDs = map[Platform]EntryPost{}
		}
		if _, known := s.PlatformPostIDs[t.Platform]; !known {
			s.PlatformPostIDs[t.Platform] = EntryPost{t.Receipts[n].NativeID, t.Receipts[n].URL}
		}
	}
	if p.done() {
		s.Status = StatusOf(posted, len(p.Targets)-posted).String()
	}
	return s
}

func (t *Target) summary() PlatformSummary {
	s := PlatformSummary{Platform: t.Platform, AccountID: t.Account, Status: t.State.String()}
	if t.State == TargetFailed {
		s.Error = t.Error
	}
	if len(t.Receipts) > 0 {
		s.PostID, s.URL = t.Receipts[0].NativeID, t.Receipts[0].URL
	}
	if !t.PostedAt.IsZero() {
		s.PostedAt = &t.PostedAt
	}
	return s
}

// AccountData is the `data` of the events about an account.
type AccountData struct {
	Account   AccountSummary  `json:"account"`
	Error     *AccountProblem `json:"error,omitempty"`     // of account.error
	ExpiresAt *time.Time      `json:"expiresAt,omitempty"` // of account.token_expiring
}

// AccountSummary is an account as webhooks show it.
type AccountSummary struct {
	ID             AccountID `json:"id"`
	Platform       Platform  `json:"platform"`
	Name           string    `json:"name"`
	NativeID       string    `json:"nativeId"`
	Server         string    `json:"server,omitempty"`
	BrandID        BrandID   `json:"brandId,omitzero"`
	IsConnected    bool      `json:"isConnected"`
	NeedsReconnect bool      `json:"needsReconnect"`
}

// Summary is the account as webhooks show it.
func (a Account) Summary() AccountSummary {
	return AccountSummary{
		ID: a.ID, Platform: a.Platform, Name: a.Name, NativeID: a.NativeID, Server: a.Server, BrandID: a.Brand,
		IsConnected: a.Problem() == nil && !a.Disconnected, NeedsReconnect: a.NeedsReconnect,
	}
}

// WebhookData is the `data` of webhook.disabled.
type WebhookData struct {
	Webhook WebhookSummary `json:"webhook"`
}

// WebhookSummary is a webhook as others of its workspace show it. Addresses of receivers often
// carry a secret, so that it says the host alone.
type WebhookSummary struct {
	ID                  WebhookID   `json:"id"`
	Host                string      `json:"host"`
	Events              []EventType `json:"events"`
	IsActive            bool        `json:"isActive"`
	ConsecutiveFailures int         `json:"consecutiveFailures"`
	DisabledAt          time.Time   `json:"disabledAt"`
	DisabledReason      string      `json:"disabledReason"`
}

// Summary is the webhook, once it is disabled, as other webhooks show it.
func (w *Webhook) Summary() WebhookSummary {
	s := WebhookSummary{
		ID: w.ID, Events: w.Events, IsActive: w.Active, ConsecutiveFailures: w.ConsecutiveFailures,
		DisabledAt: w.DisabledAt.UTC().Truncate(time.Millisecond), DisabledReason: w.DisabledReason,
	}
	if u, err := url.Parse(w.URL); err == nil {
		s.Host = u.Host
	}
	return s
}

// InboxData is the `data` of comment.received and mention.received.
type InboxData struct {
	Item ItemSummary `json:"item"`
}

// ItemSummary is an item of the inbox as webhooks show it.
type ItemSummary struct {
	ID        ItemID    `json:"id"`
	Kind      string    `json:"kind"`
	Platform  Platform  `json:"platform"`
	AccountID AccountID `json:"accountId"`
	PostID    PostID    `json:"postId,omitzero"`
	NativeID  string    `json:"nativeId"`
	Author    *Author   `json:"author,omitempty"`
	Text      string    `json:"text,omitempty"`
	URL       string    `json:"url,omitempty"`
	WrittenAt time.Time `json:"writtenAt"`
}

// Summary is the item as webhooks show it. Of LinkedIn's members it shows nothing, since what
// they write may be kept for 48 hours, and deliveries are kept for longer.
func (r Received) Summary(account Account) ItemSummary {
	s := ItemSummary{
		ID: ItemIDOf(account.ID, r.Item.NativeID), Kind: r.Item.Kind, Platform: account.Platform, AccountID: account.ID, PostID: r.Post,
		NativeID: r.Item.NativeID, URL: r.Item.URL, WrittenAt: r.Item.WrittenAt.UTC(),
	}
	if account.Platform != LinkedIn {
		s.Author, s.Text = &r.Item.Author, r.Item.Text
	}
	return s
}
