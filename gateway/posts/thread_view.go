package posts

import (
	"encoding/json"

	"crier/gateway/answer"
	"crier/schema"
)

// threadView is a thread as the API shows it: its post, entry by entry.
type threadView struct {
	ID               string                              `json:"id"`
	Title            *string                             `json:"title"`
	Platforms        []string                            `json:"platforms"`
	Status           string                              `json:"status"`
	ScheduledFor     string                              `json:"scheduledFor,omitempty"`
	Timezone         string                              `json:"timezone"`
	PostID           string                              `json:"postId"`
	EntryCount       int                                 `json:"entryCount"`
	Posts            []threadEntryView                   `json:"posts"`
	Targets          []targetView                        `json:"targets"`
	Config           threadConfigView                    `json:"config"`
	FirstComments    []schema.FirstComment               `json:"firstComments"`
	PlatformSettings map[schema.Platform]json.RawMessage `json:"platformSettings"`
	BrandID          *schema.BrandID                     `json:"brandId,omitempty"`
	QueueID          string                              `json:"queueId,omitempty"`
	ExternalID       string                              `json:"externalId,omitempty"`
	Metadata         map[string]string                   `json:"metadata,omitempty"`
	IsAPIPost        bool                                `json:"isApiPost"`
	CreatedAt        string                              `json:"createdAt"`
	UpdatedAt        string                              `json:"updatedAt"`
}

type threadConfigView struct {
	PostDelay       float64 `json:"postDelay"`
	ContinueOnError bool    `json:"continueOnError"`
	MaxRetries      int     `json:"maxRetries"`
}

// threadEntryView is one entry of a thread, on all its platforms.
type threadEntryView struct {
	PostID          string                     `json:"postId"`
	Position        int                        `json:"position"` // from 1
	Status          string                     `json:"status"`
	Content         string                     `json:"content"`
	PlatformContent map[schema.Platform]string `json:"platformContent,omitempty"`
	MediaItems      []mediaView                `json:"mediaItems"`
	// PlatformPostIDs has one account for each platform; Platforms has all.
	PlatformPostIDs map[string]nativePostView `json:"platformPostIds,omitempty"`
	Platforms       []entryTargetView         `json:"platforms"`
}

type nativePostView struct {
	PostID string `json:"postId"`
	URL    string `json:"url,omitempty"`
}

// entryTargetView is what became of an entry at one account.
type entryTargetView struct {
	Platform  string `json:"platform"`
	AccountID string `json:"accountId"`
	Status    string `json:"status"`
	PostID    string `json:"postId,omitempty"`
	PostURL   string `json:"postUrl,omitempty"`
	PostedAt  string `json:"postedAt,omitempty"`
}

// Statuses of entries that targets do not have.
const (
	entrySkipped = "skipped" // the thread ended before it
	entryPartly  = "partially_failed"
)

func viewThread(p schema.Post) threadView {
	post := viewPost(p)
	v := threadView{
		ID: post.ThreadID, Platforms: []string{}, Status: post.Status, ScheduledFor: post.ScheduledFor, Timezone: post.Timezone,
		PostID: post.ID, EntryCount: len(p.Content.Entries), Posts: make([]threadEntryView, len(p.Content.Entries)),
		Targets: post.Platforms, FirstComments: post.FirstComments, PlatformSettings: post.PlatformSettings,
		BrandID: post.BrandID, QueueID: post.QueueID, ExternalID: post.ExternalID, Metadata: post.Metadata,
		IsAPIPost: post.IsAPIPost, CreatedAt: post.CreatedAt, UpdatedAt: post.UpdatedAt,
	}
	config := p.Content.Thread
	v.Config = threadConfigView{config.PostDelay, config.ContinueOnError, config.MaxRetries}
	if config.Title != "" {
		v.Title = &config.Title
	}
	seen := map[schema.Platform]bool{}
	for _, t := range p.Targets {
		if !seen[t.Platform] {
			seen[t.Platform] = true
			v.Platforms = append(v.Platforms, t.Platform.String())
		}
	}
	for i := range v.Posts {
		v.Posts[i] = viewThreadEntry(p, post.ID, i)
	}
	return v
}

func viewThreadEntry(p schema.Post, postID string, i int) threadEntryView {
	entry := p.Content.Entries[i]
	v := threadEntryView{
		PostID: postID, Position: i + 1, Content: entry.Text, PlatformContent: entry.Platform,
		MediaItems: make([]mediaView, len(entry.Media)), PlatformPostIDs: map[string]nativePostView{},
		Platforms: make([]entryTargetView, len(p.Targets)),
	}
	for n, m := range entry.Media {
		v.MediaItems[n] = viewMedia(m)
	}
	for n := range p.Targets {
		at := viewEntryTarget(&p.Targets[n], i)
		v.Platforms[n] = at
		if _, there := v.PlatformPostIDs[at.Platform]; !there && at.PostID != "" {
			v.PlatformPostIDs[at.Platform] = nativePostView{at.PostID, at.PostURL}
		}
	}
	v.Status = statusOfEntry(v.Platforms)
	return v
}

func viewEntryTarget(t *schema.Target, entry int) entryTargetView {
	v := entryTargetView{Platform: t.Platform.String(), AccountID: answer.ID(t.Account), Status: t.State.String()}
	last := -1
	for _, r := range t.Receipts {
		if r.Open {
			continue
		}
		last = max(last, r.Entry)
		if r.Entry == entry {
			v.Status = schema.TargetPosted.String()
			v.PostID, v.PostURL, v.PostedAt = r.NativeID, answer.URL(r.URL), answer.Time(r.PostedAt)
			return v
		}
	}
	switch {
	case entry < last: // the thread went on without it
		v.Status = schema.TargetFailed.String()
	case t.State == schema.TargetFailed && entry > last+1:
		v.Status = entrySkipped
	}
	return v
}

// statusOfEntry is the status of an entry over all its accounts.
func statusOfEntry(at []entryTargetView) string {
	counts := map[string]int{}
	for _, v := range at {
		counts[v.Status]++
	}
	pending, posted := schema.TargetPending.String(), schema.TargetPosted.String()
	switch {
	case counts[pending] > 0 || len(at) == 0:
		return pending
	case counts[posted] == len(at):
		return posted
	case counts[posted] > 0:
		return entryPartly
	case counts[schema.TargetFailed.String()] > 0:
		return schema.TargetFailed.String()
	default:
		return at[0].Status // skipped or cancelled everywhere
	}
}
