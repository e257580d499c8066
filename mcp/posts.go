package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"crier/client"
)

func (t *tools) addPosts() {
	add(t, about{
		name: "validate_post", title: "Check a post", effect: reads,
		says: "Checks a post, or a draft by draftId, against the limits of its platforms and accounts. Nothing is made.",
	}, (*call).validate)
	add(t, about{
		name: "draft_post", title: "Draft a post", effect: stores,
		says: "Stores a draft, which is not published until schedule_post gives it a time.",
	}, (*call).draft)
	add(t, about{
		name: "schedule_post", title: "Schedule a post", effect: posts,
		says: "Schedules a draft by draftId, or a new post, at scheduledFor (at least 5 minutes ahead) or in the next free slot of a queue. " +
			"Without confirm it says what would happen and does nothing.",
	}, (*call).schedule)
	add(t, about{
		name: "publish_post", title: "Publish a post now", effect: posts,
		says: "Publishes a new post at once. Without confirm it says what would happen and does nothing. What is published cannot be taken back here.",
	}, (*call).publish)
}

// content is what a post consists of.
type content struct {
	Content          string         `json:"content,omitempty" jsonschema:"the text; may be left out where media is enough"`
	Platforms        []destination  `json:"platforms,omitempty" jsonschema:"accounts that it goes to"`
	MediaItems       []mediaItem    `json:"mediaItems,omitempty" jsonschema:"pictures, a video or a PDF, in order"`
	FirstComment     string         `json:"firstComment,omitempty" jsonschema:"a comment that follows under the post"`
	PlatformSettings map[string]any `json:"platformSettings,omitempty" jsonschema:"settings by platform, as the API has them, such as {\"youtube\": {\"title\": \"Harbour\"}, \"mastodon\": {\"visibility\": \"unlisted\"}}"`
}

type destination struct {
	Platform  client.Platform `json:"platform"`
	AccountID string          `json:"accountId,omitempty" jsonschema:"id from list_accounts; may be left out where the platform has one account"`
	Content   string          `json:"content,omitempty" jsonschema:"a text for this account alone, in place of the common one"`
}

type mediaItem struct {
	MediaID string           `json:"mediaId,omitempty" jsonschema:"id from media_from_url"`
	URL     string           `json:"url,omitempty" jsonschema:"public address, in place of mediaId; type is needed then"`
	Type    client.MediaType `json:"type,omitempty"`
	AltText string           `json:"altText,omitempty" jsonschema:"what it shows, for those who do not see it"`
	Fit     client.MediaFit  `json:"fit,omitempty" jsonschema:"makes a picture fit a platform that refuses its shape: cover crops, contain adds bars"`
}

// post is the content as the API takes it.
func (in content) post() (client.Post, error) {
	post := client.Post{Content: in.Content, FirstComment: in.FirstComment}
	if len(in.Platforms) == 0 {
		return post, errors.New("platforms: at least one account is needed; list_accounts has them")
	}
	for _, t := range in.Platforms {
		post.Platforms = append(post.Platforms, client.Target{Platform: t.Platform, AccountID: t.AccountID, Content: t.Content})
	}
	for _, m := range in.MediaItems {
		post.MediaItems = append(post.MediaItems, client.MediaItem{MediaID: m.MediaID, URL: m.URL, Type: m.Type, AltText: m.AltText, Fit: m.Fit})
	}
	if len(in.PlatformSettings) == 0 {
		return post, nil
	}
	encoded, err := json.Marshal(in.PlatformSettings)
	if err != nil {
		return post, fmt.Errorf("platformSettings: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&post.PlatformSettings); err != nil {
		return post, fmt.Errorf("platformSettings: there is no such setting, or it takes another value: %w", err)
	}
	return post, nil
}

type validateInput struct {
	content
	DraftID string `json:"draftId,omitempty" jsonschema:"a draft to check, in place of content"`
}

type validateOutput struct {
	Valid     bool           `json:"valid"`
	Errors    []string       `json:"errors,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"`
	Platforms map[string]fit `json:"platforms,omitempty"`
}

type fit struct {
	Valid     bool `json:"valid"`
	Length    int  `json:"length" jsonschema:"of the text, as the platform counts"`
	MaxLength int  `json:"maxLength"`
}

func (c *call) validate(ctx context.Context, in validateInput) (out validateOutput, err error) {
	var post client.Post
	if in.DraftID == "" {
		post, err = in.post()
	} else {
		post, err = c.read(ctx, in.DraftID)
	}
	if err != nil {
		return out, err
	}
	found, err := c.Posts.Validate(ctx, post)
	if err != nil {
		return out, err
	}
	out = validateOutput{Valid: found.IsValid, Errors: details(found.Errors), Warnings: details(found.Warnings), Platforms: map[string]fit{}}
	for platform, v := range found.Platforms {
		out.Platforms[platform] = fit{Valid: v.Valid, Length: v.ContentLength, MaxLength: v.MaxLength}
	}
	return out, nil
}

func (c *call) read(ctx context.Context, id string) (client.Post, error) {
	post, err := c.Posts.Get(ctx, id)
	if err != nil {
		return client.Post{}, err
	}
	return *post, nil
}

type draftInput struct {
	content
	RequestID string `json:"requestId,omitempty" jsonschema:"any text; another one makes another draft of the same content"`
}

func (c *call) draft(ctx context.Context, in draftInput) (out outcome, err error) {
	post, err := in.post()
	if err != nil {
		return out, err
	}
	post.Status = client.PostDraft
	return c.create(ctx, post, in)
}

// create makes a post that is named by the input that asks for it.
func (c *call) create(ctx context.Context, post client.Post, input any) (out outcome, err error) {
	once, err := c.once(input)
	if err != nil {
		return out, err
	}
	created, err := c.Posts.Create(ctx, post, once)
	if err != nil {
		return out, err
	}
	return c.stored(ctx, created)
}

type scheduleInput struct {
	content
	DraftID      string `json:"draftId,omitempty" jsonschema:"a draft to schedule, in place of content; edit it by making another draft"`
	ScheduledFor string `json:"scheduledFor,omitempty" jsonschema:"when, such as 2026-12-24T18:00:00+01:00, or 2026-12-24T18:00 in timezone"`
	Timezone     string `json:"timezone,omitempty" jsonschema:"IANA name such as Europe/Berlin; needed where scheduledFor has no offset, else UTC"`
	Queue        bool   `json:"queue,omitempty" jsonschema:"the next free slot of the default queue, in place of scheduledFor"`
	QueueID      string `json:"queueId,omitempty" jsonschema:"the next free slot of this queue, in place of scheduledFor"`
	confirmation
	RequestID string `json:"requestId,omitempty" jsonschema:"any text; another one makes another post of the same input"`
}

func (c *call) schedule(ctx context.Context, in scheduleInput) (out outcome, err error) {
	at, err := readTime("scheduledFor", in.ScheduledFor, in.Timezone)
	if err != nil {
		return out, err
	}
	if in.DraftID != "" {
		return c.scheduleDraft(ctx, in, at)
	}
	post, err := in.post()
	if err != nil {
		return out, err
	}
	post.ScheduledFor, post.Timezone, post.Queue, post.QueueID = at, in.Timezone, in.Queue, in.QueueID
	return c.createPlanned(ctx, post, in.Confirm, in.withoutConfirm())
}

// withoutConfirm is what the plan, and the key, of a call are made of.
func (in scheduleInput) withoutConfirm() scheduleInput {
	in.Confirm = ""
	return in
}

// scheduleDraft gives a draft its time, or a slot of a queue. A repetition finds it at that time already.
func (c *call) scheduleDraft(ctx context.Context, in scheduleInput, at time.Time) (out outcome, err error) {
	if inQueue := in.Queue || in.QueueID != ""; at.IsZero() != inQueue {
		return out, errors.New("scheduledFor: a draft is scheduled at a time or in a queue, one of both")
	}
	draft, err := c.read(ctx, in.DraftID)
	if err != nil {
		return out, err
	}
	if draft.ThreadID != "" {
		return out, errors.New("draftId: this is a thread, whose entries are not shown here: a person schedules it, by PATCH /threads/{id}")
	}
	change := client.PostUpdate{Status: new(client.UpdateScheduled), Queue: in.Queue, QueueID: in.QueueID, DryRun: true}
	if !at.IsZero() {
		change.ScheduledFor = &at
	}
	if in.Timezone != "" {
		change.Timezone = &in.Timezone
	}
	judged, err := c.Posts.Update(ctx, in.DraftID, change)
	if err != nil {
		return out, err
	}
	// The slot is what was agreed to: others may have taken it, or have freed an earlier one.
	plan, isAgreed, err := c.agreed(in.Confirm, in.withoutConfirm(), saying(draft), judged.ScheduledFor.UTC().Format(time.RFC3339))
	if err != nil {
		return out, err
	}
	if !isAgreed {
		return c.planned(ctx, *judged, plan)
	}
	change.DryRun = false
	post, err := c.Posts.Update(ctx, in.DraftID, change)
	if err != nil {
		return out, err
	}
	return c.stored(ctx, post)
}

type publishInput struct {
	content
	confirmation
	RequestID string `json:"requestId,omitempty" jsonschema:"any text; another one publishes the same content once more"`
}

func (c *call) publish(ctx context.Context, in publishInput) (out outcome, err error) {
	post, err := in.post()
	if err != nil {
		return out, err
	}
	post.PublishNow = true
	confirm := in.Confirm
	in.Confirm = "" // the plan, and the key, are those of the rest
	return c.createPlanned(ctx, post, confirm, in)
}

// createPlanned creates a post if what is confirmed is the plan of what was asked for, and plans it otherwise.
func (c *call) createPlanned(ctx context.Context, post client.Post, confirm string, input any) (out outcome, err error) {
	plan, isAgreed, err := c.agreed(confirm, input)
	if err != nil {
		return out, err
	}
	if !isAgreed {
		return c.plan(ctx, post, plan)
	}
	return c.create(ctx, post, input)
}
