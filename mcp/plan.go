package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"crier/client"
)

// outcome is what a tool did, or what it would do.
type outcome struct {
	Done     bool     `json:"done" jsonschema:"false: nothing was done; plan as confirm does what message says"`
	Message  string   `json:"message" jsonschema:"what was done, or what would happen"`
	Plan     string   `json:"plan,omitempty" jsonschema:"names what would happen: give it as confirm"`
	PostID   string   `json:"postId,omitempty"`
	Status   string   `json:"status,omitempty"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"what is accepted and may not be what is meant"`
}

// confirmation is in the input of each tool that makes something public.
type confirmation struct {
	Confirm string `json:"confirm,omitempty" jsonschema:"the plan that the call without it answered: do it. Only after a person has agreed to what that answer said"`
}

// planID names what a call would do by its tool, what it was asked, and what it found.
func (c *call) planID(parts ...any) (string, error) {
	encoded, err := json.Marshal(append([]any{c.tool}, parts...))
	if err != nil {
		return "", fmt.Errorf("naming a plan: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return "plan_" + hex.EncodeToString(sum[:8]), nil
}

// agreed reports whether a call is confirmed: by no plan but that of what it was asked and found, which is
// returned for an answer that shows it.
func (c *call) agreed(confirm string, parts ...any) (plan string, isAgreed bool, err error) {
	plan, err = c.planID(parts...)
	if err == nil && confirm != "" && confirm != plan {
		err = errors.New("confirm: this is not the plan of this call. What would happen is not what was shown: the input is another, the post was changed since, or its slot is another by now. " +
			"Nothing was done. Call once more without confirm, show the person what the answer says, and confirm with its plan")
	}
	return plan, confirm != "", err
}

// saying is what a post says and where, and nothing of what becomes of it.
func saying(post client.Post) client.Post {
	content := client.Post{
		Content: post.Content, MediaItems: post.MediaItems, PlatformSettings: post.PlatformSettings, FirstComment: post.FirstComment, FirstComments: post.FirstComments,
	}
	for _, t := range post.Platforms {
		content.Platforms = append(content.Platforms, client.Target{Platform: t.Platform, AccountID: t.AccountID, Content: cmp.Or(t.Content, t.ContentOverride)})
	}
	return content
}

// plan says what a creation would do, after the API has judged it as it would judge the creation.
func (c *call) plan(ctx context.Context, post client.Post, plan string) (outcome, error) {
	judged, err := c.Posts.CreateBulk(ctx, client.Bulk{DryRun: true, Posts: []client.Post{post}})
	if err != nil {
		return outcome{}, err
	}
	result := judged.Results[0]
	if result.Error != nil {
		return outcome{}, &client.Error{Status: 400, Code: result.Error.Code, Message: result.Error.Message, Details: result.Error.Details}
	}
	post.Warnings = result.Warnings
	return c.planned(ctx, post, plan)
}

// planned says what would happen, by a plan, to a post that the API would take.
func (c *call) planned(ctx context.Context, post client.Post, plan string) (outcome, error) {
	accounts, err := c.accountsOf(ctx, post.Platforms)
	if err != nil {
		return outcome{}, err
	}
	lines := []string{fmt.Sprintf("Nothing is done yet. With confirm, this is published %s:", moment(post))}
	for _, target := range post.Platforms {
		text := cmp.Or(target.Content, target.ContentOverride, post.Content)
		lines = append(lines, "- "+name(resolved(target, accounts), accounts)+": "+quoted(text))
	}
	for _, item := range post.MediaItems {
		lines = append(lines, "With "+mediaOf(item))
	}
	if settings, err := json.Marshal(post.PlatformSettings); err == nil && string(settings) != "{}" {
		lines = append(lines, "Set: "+visible(string(settings), fully))
	}
	for _, comment := range firstCommentsOf(post) {
		lines = append(lines, "Followed by the first comment "+quoted(comment))
	}
	return outcome{Message: strings.Join(lines, "\n"), Plan: plan, Warnings: details(post.Warnings), PostID: post.ID}, nil
}

// mediaOf is which media an item is, and what it shows.
func mediaOf(item client.MediaItem) string {
	text := cmp.Or(item.MediaID, item.URL)
	if item.KeepMetadata {
		text += ", with what it says of where and when it was made"
	}
	if item.AltText != "" {
		text += ", which shows " + quoted(item.AltText)
	}
	return text
}

// moment is when a post is published.
func moment(post client.Post) string {
	switch {
	case post.PublishNow:
		return "at once"
	case !post.ScheduledFor.IsZero():
		return "on " + when(post.ScheduledFor, post.Timezone)
	case post.QueueID != "":
		return "in the next free slot of the queue " + post.QueueID
	default:
		return "in the next free slot of the default queue"
	}
}

// firstCommentsOf are the comments that follow under a post, of which there may be several.
func firstCommentsOf(post client.Post) (texts []string) {
	if post.FirstComment != "" {
		return []string{post.FirstComment}
	}
	for _, comment := range post.FirstComments {
		texts = append(texts, comment.Text)
	}
	return texts
}

// stored says what became of a post that was made or changed. Where nobody says how its accounts are
// called, they are named by their ids: the post is made.
func (c *call) stored(ctx context.Context, post *client.Post) (outcome, error) {
	accounts, err := c.accountsOf(ctx, post.Platforms)
	if err != nil {
		accounts = nil
	}
	var names []string
	for _, target := range post.Platforms {
		names = append(names, name(target, accounts))
	}
	message := post.ID + " is on its way to "
	switch {
	case post.Status == client.PostDraft:
		message = post.ID + " is stored as a draft for "
	case post.Status == client.PostScheduled && post.ScheduledFor.After(post.CreatedAt):
		message = post.ID + " is scheduled for " + when(post.ScheduledFor, post.Timezone) + " to "
	}
	return outcome{
		Done: true, Message: c.done(message + strings.Join(names, ", ") + "."), PostID: post.ID, Status: string(post.Status), Warnings: details(post.Warnings),
	}, nil
}

// quoted is a text as a person is to read it before they agree to it: whole, but for what no platform takes.
func quoted(text string) string {
	if text == "" {
		return "(no text)"
	}
	return "“" + visible(text, 65_536) + "”"
}
