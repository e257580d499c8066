package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"crier/client"
	"crier/schema"
)

func (t *tools) addOutcomes() {
	add(t, about{
		name: "list_posts", title: "List posts", effect: reads,
		says: "Lists posts, those of the latest times first, with the beginning of their texts. get_post shows one whole.",
	}, (*call).listPosts)
	add(t, about{
		name: "get_post", title: "Show a post and its story", effect: reads,
		says: "Shows a post: what became of it on each account, and its story: every attempt and wait with its reason, in words.",
	}, (*call).getPost)
	add(t, about{
		name: "retry_post", title: "Retry a post", effect: repeats,
		says: "Sets the failed platforms of a post going again; what is published is never repeated. Without confirm it says what would happen and does nothing. " +
			"A post whose outcome is unknown where nobody can look is left to a person (crier posts retry --accept-duplicate).",
	}, (*call).retry)
	add(t, about{
		name: "cancel_post", title: "Cancel a post", effect: removes,
		says: "Cancels a scheduled post, so that it is never published, or removes a draft. What is published stays.",
	}, (*call).cancel)
}

type postsInput struct {
	Status   client.PostStatus `json:"status,omitempty"`
	Platform client.Platform   `json:"platform,omitempty"`
	BrandID  string            `json:"brandId,omitempty"`
	Search   string            `json:"search,omitempty" jsonschema:"words that a post's texts have, all of them"`
	After    string            `json:"after,omitempty" jsonschema:"scheduled at or after this time, RFC 3339"`
	Before   string            `json:"before,omitempty" jsonschema:"scheduled at or before this time, RFC 3339"`
	Limit    int               `json:"limit,omitempty" jsonschema:"how many, up to 25; 10 by default"`
	Cursor   string            `json:"cursor,omitempty" jsonschema:"nextCursor of the page before; the other fields stay the same"`
}

type postsOutput struct {
	Posts      []postLine `json:"posts"`
	NextCursor string     `json:"nextCursor,omitempty" jsonschema:"cursor of the next page; absent on the last one"`
}

type postLine struct {
	ID           string    `json:"id"`
	Status       string    `json:"status"`
	ScheduledFor time.Time `json:"scheduledFor,omitzero"`
	Platforms    []string  `json:"platforms"`
	Text         string    `json:"text"`
}

func (c *call) listPosts(ctx context.Context, in postsInput) (out postsOutput, err error) {
	filter := client.PostFilter{Status: in.Status, Platform: in.Platform, BrandID: in.BrandID, Search: in.Search, PageSize: limited(in.Limit)}
	if filter.After, err = readTime("after", in.After, ""); err != nil {
		return out, err
	}
	if filter.Before, err = readTime("before", in.Before, ""); err != nil {
		return out, err
	}
	page, err := c.Posts.Page(ctx, filter, in.Cursor)
	if err != nil {
		return out, err
	}
	out = postsOutput{Posts: []postLine{}, NextCursor: page.Next}
	for _, post := range page.Items {
		line := postLine{ID: post.ID, Status: string(post.Status), ScheduledFor: post.ScheduledFor, Text: visible(post.Content, briefly)}
		for _, target := range post.Platforms {
			line.Platforms = append(line.Platforms, string(target.Platform))
		}
		out.Posts = append(out.Posts, line)
	}
	return out, nil
}

// limited is how many lines a page has.
func limited(limit int) int {
	const usual, maximum = 10, 25
	if limit <= 0 {
		return usual
	}
	return min(limit, maximum)
}

type postID struct {
	PostID string `json:"postId" jsonschema:"id of the post"`
}

type postOutput struct {
	ID           string       `json:"id"`
	Status       string       `json:"status"`
	ScheduledFor time.Time    `json:"scheduledFor,omitzero"`
	Timezone     string       `json:"timezone,omitempty"`
	Text         string       `json:"text"`
	MediaItems   int          `json:"mediaItems,omitempty" jsonschema:"how many there are"`
	FirstComment string       `json:"firstComment,omitempty"`
	Targets      []targetView `json:"targets"`
	Story        []string     `json:"story" jsonschema:"what happened, oldest first"`
	StoryCut     int          `json:"storyCut,omitempty" jsonschema:"how many older lines are left out"`
}

type targetView struct {
	Account string `json:"account"`
	Status  string `json:"status"`
	URL     string `json:"url,omitempty"`
	Text    string `json:"text,omitempty" jsonschema:"where it is not the common one"`
	Problem string `json:"problem,omitempty"`
}

func (c *call) getPost(ctx context.Context, in postID) (out postOutput, err error) {
	post, err := c.read(ctx, in.PostID)
	if err != nil {
		return out, err
	}
	accounts, err := c.accountsOf(ctx, post.Platforms)
	if err != nil {
		return out, err
	}
	out = postOutput{
		ID: post.ID, Status: string(post.Status), ScheduledFor: post.ScheduledFor, Timezone: post.Timezone, Text: visible(post.Content, fully),
		MediaItems: len(post.MediaItems), FirstComment: visible(strings.Join(firstCommentsOf(post), "\n"), fully),
	}
	for _, target := range post.Platforms {
		out.Targets = append(out.Targets, targetView{
			Account: name(target, accounts), Status: string(target.Status), URL: target.PostURL, Text: visible(target.ContentOverride, fully), Problem: problemOf(target),
		})
	}
	out.Story, out.StoryCut, err = c.story(ctx, post.ID)
	return out, err
}

// problemOf is why a target is not published.
func problemOf(target client.Target) string {
	switch {
	case target.Error != nil:
		return visible(target.Error.Message, briefly) + " (" + target.Error.Code + ")"
	case target.Held != nil:
		return visible("held: "+cmp.Or(target.Held.Message, string(target.Held.Reason)), briefly)
	case target.PreviousError != "":
		return "tried again after: " + visible(target.PreviousError, briefly)
	default:
		return ""
	}
}

type retryInput struct {
	postID
	Platforms []client.Platform `json:"platforms,omitempty" jsonschema:"only these of the platforms that failed; all of them when left out"`
	confirmation
}

func (c *call) retry(ctx context.Context, in retryInput) (out outcome, err error) {
	post, err := c.read(ctx, in.PostID)
	if err != nil {
		return out, err
	}
	out = outcome{PostID: post.ID, Status: string(post.Status)}
	failed := failedOf(post, in.Platforms)
	if len(failed) == 0 {
		out.Message = fmt.Sprintf("There is nothing to retry: %s is %s. A retry is of a post that is failed or partially_failed, on platforms where it has failed.", post.ID, post.Status)
		if in.Confirm != "" {
			return out, errors.New(out.Message)
		}
		return out, nil
	}
	out.Message, err = c.planRetry(ctx, post, failed)
	if err != nil {
		return out, err
	}
	plan, isAgreed, err := c.agreed(in.Confirm, out.Message)
	if err != nil {
		return out, err
	}
	if !isAgreed {
		out.Plan = plan
		return out, nil
	}
	retried, err := c.Posts.Retry(ctx, in.PostID, client.PostRetry{Platforms: in.Platforms})
	if err != nil {
		return out, err
	}
	return c.stored(ctx, retried)
}

// planRetry says what a retry would do, by the post as it is: the API has no dry run of one.
func (c *call) planRetry(ctx context.Context, post client.Post, failed []client.Target) (string, error) {
	accounts, err := c.accountsOf(ctx, failed)
	if err != nil {
		return "", err
	}
	lines := []string{fmt.Sprintf("Nothing is done yet. With confirm, %s is tried again at once on:", post.ID)}
	for _, target := range failed {
		lines = append(lines, "- "+name(target, accounts)+", which failed: "+problemOf(target)+". "+goesOn(post, target))
	}
	return strings.Join(lines, "\n"), nil
}

// failedOf are the targets that a retry sets going, of the platforms that are asked for: none while a
// post is on its way, though one of them may have failed already.
func failedOf(post client.Post, platforms []client.Platform) (failed []client.Target) {
	if post.Status != client.PostFailed && post.Status != client.PostPartiallyFailed {
		return nil
	}
	for _, target := range post.Platforms {
		if target.Status == client.TargetFailed && (len(platforms) == 0 || slices.Contains(platforms, target.Platform)) {
			failed = append(failed, target)
		}
	}
	return failed
}

// goesOn is what a retry does on a target.
func goesOn(post client.Post, target client.Target) string {
	text := "Its text: "
	if post.ThreadID != "" {
		text = "It is a thread, and goes on after its last published entry; it begins with: "
	}
	text += quoted(cmp.Or(target.ContentOverride, post.Content))
	if target.Error != nil && target.Error.Code == schema.CodeOutcomeUnknown {
		text += " It may be there already, and is looked for first; where nobody can look, the retry leaves it out."
	}
	return text
}

func (c *call) cancel(ctx context.Context, in postID) (out outcome, err error) {
	post, err := c.read(ctx, in.PostID)
	if err != nil {
		return out, err
	}
	if err := c.Posts.Cancel(ctx, in.PostID); err != nil {
		return out, err
	}
	out = outcome{Done: true, PostID: post.ID, Status: string(client.PostCancelled), Message: post.ID + " is cancelled and never published. Its text was: " + quoted(post.Content)}
	if post.Status == client.PostDraft {
		out.Message = "The draft " + post.ID + " is removed. Its text was: " + quoted(post.Content)
	}
	return out, nil
}
