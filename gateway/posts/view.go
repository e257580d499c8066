package posts

import (
	"encoding/json"

	"crier/gateway/answer"
	"crier/schema"
)

// postView is a post as the API shows it. Its ids and times are strings, which
// encoding/json writes several times as fast as values with a MarshalText method.
type postView struct {
	ID               string                              `json:"id"`
	Status           string                              `json:"status"`
	Content          string                              `json:"content"`
	ScheduledFor     string                              `json:"scheduledFor,omitempty"`
	Timezone         string                              `json:"timezone"`
	Platforms        []targetView                        `json:"platforms"`
	MediaItems       []mediaView                         `json:"mediaItems"`
	FirstComments    []schema.FirstComment               `json:"firstComments"`
	PlatformSettings map[schema.Platform]json.RawMessage `json:"platformSettings"`
	BrandID          *schema.BrandID                     `json:"brandId,omitempty"`
	ThreadID         string                              `json:"threadId,omitempty"` // if the post is a thread
	QueueID          string                              `json:"queueId,omitempty"`  // whose slot it has
	ExternalID       string                              `json:"externalId,omitempty"`
	Metadata         map[string]string                   `json:"metadata,omitempty"`
	IsAPIPost        bool                                `json:"isApiPost"`
	CreatedAt        string                              `json:"createdAt"`
	UpdatedAt        string                              `json:"updatedAt"`
}

// targetView is one of a post's platforms.
type targetView struct {
	Platform  string `json:"platform"`
	AccountID string `json:"accountId"`
	// ContentOverride is the text that it has instead of the post's; sent as content.
	ContentOverride string        `json:"contentOverride,omitempty"`
	Status          string        `json:"status"`
	PostID          string        `json:"postId,omitempty"`
	PostURL         string        `json:"postUrl,omitempty"`
	PostedAt        string        `json:"postedAt,omitempty"`
	PreviousError   string        `json:"previousError,omitempty"` // while it is tried again
	Error           *causeView    `json:"error,omitempty"`         // once it has failed, and while its outcome is open
	Held            *holdView     `json:"held,omitempty"`          // while it is not published
	FirstComments   []commentView `json:"firstComments,omitempty"`
}

// holdView is why a target is not published, and since when.
type holdView struct {
	Reason  string `json:"reason"`
	By      string `json:"by,omitempty"` // of a pause
	Message string `json:"message,omitempty"`
	Since   string `json:"since"`
}

type causeView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// commentView is what became of a first comment.
type commentView struct {
	Target    int        `json:"target"`
	Status    string     `json:"status"`
	CommentID string     `json:"commentId,omitempty"`
	URL       string     `json:"url,omitempty"`
	PostedAt  string     `json:"postedAt,omitempty"`
	Error     *causeView `json:"error,omitempty"`
}

type mediaView struct {
	Type    schema.MediaKind `json:"type"`
	URL     string           `json:"url,omitempty"`
	MediaID *schema.MediaID  `json:"mediaId,omitempty"`
	AltText string           `json:"altText,omitempty"`
	Fit     schema.Fit       `json:"fit,omitempty"`

	KeepMetadata bool `json:"keepMetadata,omitempty"`
}

func viewPost(p schema.Post) postView {
	v := postView{
		ID: answer.ID(p.ID), Status: p.Status.String(), ScheduledFor: answer.Time(p.ScheduledFor), Timezone: p.Timezone,
		Platforms:        make([]targetView, len(p.Targets)),
		MediaItems:       []mediaView{},
		FirstComments:    p.Content.FirstComments,
		PlatformSettings: p.Content.Settings,
		BrandID:          answer.IDOrNull(p.Brand),
		QueueID:          answer.ID(p.Content.Queue),
		ExternalID:       p.Content.ExternalID, Metadata: p.Content.Metadata,
		IsAPIPost: p.FromAPI, CreatedAt: answer.Time(p.CreatedAt), UpdatedAt: answer.Time(p.UpdatedAt),
	}
	if p.Content.Thread != nil {
		v.ThreadID = p.ThreadID().String()
	}
	for i := range p.Targets {
		v.Platforms[i] = viewTarget(&p.Targets[i])
	}
	if len(p.Content.Entries) > 0 {
		v.Content = p.Content.Entries[0].Text
		for _, m := range p.Content.Entries[0].Media {
			v.MediaItems = append(v.MediaItems, viewMedia(m))
		}
	}
	if v.FirstComments == nil {
		v.FirstComments = []schema.FirstComment{}
	}
	if v.PlatformSettings == nil {
		v.PlatformSettings = map[schema.Platform]json.RawMessage{}
	}
	return v
}

func viewMedia(m schema.Media) mediaView {
	return mediaView{m.Kind, m.URL, answer.IDOrNull(m.MediaID), m.AltText, m.Fit, m.KeepMetadata}
}

func viewTarget(t *schema.Target) targetView {
	v := targetView{
		Platform: t.Platform.String(), AccountID: answer.ID(t.Account), ContentOverride: t.Content, Status: t.State.String(),
	}
	if len(t.Receipts) > 0 && !t.Receipts[0].Open {
		root := t.Receipts[0]
		v.PostID, v.PostURL, v.PostedAt = root.NativeID, answer.URL(root.URL), answer.Time(root.PostedAt)
	}
	switch {
	case t.Error == nil:
	case t.State == schema.TargetFailed:
		v.Error = viewCause(t.Error)
	case t.State == schema.TargetPending, t.State == schema.TargetClaimed:
		v.PreviousError = t.Error.Message
		if t.Error.Code == schema.CodeOutcomeUnknown {
			v.Error = viewCause(t.Error)
		}
	}
	if h := t.Hold; h != nil {
		v.Held = &holdView{h.Kind.String(), h.Kind.By(), h.Reason, answer.Time(h.Since)}
	}
	for _, c := range t.Comments {
		if c.State >= schema.CommentPosted {
			v.FirstComments = append(v.FirstComments, commentView{
				Target: c.Entry, Status: c.State.String(), CommentID: c.NativeID, URL: answer.URL(c.URL),
				PostedAt: answer.Time(c.PostedAt), Error: viewCause(c.Error),
			})
		}
	}
	return v
}

func viewCause(e *schema.TargetError) *causeView {
	if e == nil {
		return nil
	}
	return &causeView{e.Code, e.Message}
}
