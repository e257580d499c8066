package collection

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"crier/connectors"
	"crier/schema"
)

// conversations are a platform whose every post has one comment.
type conversations struct {
	connectors.Connector
	looked []string // native ids
	fail   map[string]error
}

func (c *conversations) Comments(_ context.Context, _ connectors.Reading, post schema.PublishedPost, _ string) (connectors.ReceivedPage, error) {
	if err := c.fail[post.NativeID]; err != nil {
		return connectors.ReceivedPage{}, err
	}
	c.looked = append(c.looked, post.NativeID)
	return connectors.ReceivedPage{Items: []schema.Received{{Post: post.Post, Item: schema.InboxItem{NativeID: "under " + post.NativeID}}}}, nil
}

func TestPostsAreLookedAtByTheirAge(t *testing.T) {
	posted := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		after, want time.Duration
	}{
		"before it is due":      {-time.Minute, 5 * time.Minute},
		"at first":              {0, 5 * time.Minute},
		"within the first hour": {7 * time.Minute, 10 * time.Minute},
		"within the first day":  {61 * time.Minute, 90 * time.Minute},
		"within the week":       {25 * time.Hour, 30 * time.Hour},
		"within the month":      {8 * 24 * time.Hour, 9 * 24 * time.Hour},
	} {
		if got := nextLook(posted, posted.Add(tt.after)).Sub(posted); got != tt.want {
			t.Errorf("%s: the next look is at an age of %v, want %v", name, got, tt.want)
		}
	}
	if next := nextLook(posted, posted.Add(31*24*time.Hour)); !next.IsZero() {
		t.Errorf("a post of last month is looked at on %v", next)
	}
}

// Each look of a post is made once, whatever steps the posts of an account take, and whatever
// fails.
func TestEveryDueLookIsMade(t *testing.T) {
	const posts = 3*callsAtOnce + 1
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	platform := &conversations{fail: map[string]error{
		"7": &schema.Error{Kind: schema.Refused, Message: "comments are off"},
	}}
	step := Step{Connector: platform, Now: now}
	for i := range posts {
		step.Recent = append(step.Recent, schema.Snapshot{PublishedPost: schema.PublishedPost{
			Post: schema.NewPostID(now), NativeID: fmt.Sprint(i), PostedAt: now.Add(-time.Duration(i%3) * time.Minute),
		}})
	}
	first, err := collectComments(t.Context(), step)
	if err != nil || len(platform.looked) != 0 || first.NextAt.Sub(now) != 3*time.Minute {
		t.Fatalf("the first step looked at %v, %v; next in %v", platform.looked, err, first.NextAt.Sub(now))
	}
	step.Now, step.Cursor = now.Add(6*time.Minute), first.Cursor
	failed := false
	platform.fail["20"] = &schema.Error{Kind: schema.Retryable, Message: "later"}
	for steps := 0; ; steps++ {
		r, err := collectComments(t.Context(), step)
		if err != nil {
			failed = true
			delete(platform.fail, "20")
		}
		if step.Cursor = r.Cursor; err == nil && r.NextAt.After(step.Now) {
			break
		}
		if steps > 10 {
			t.Fatal("it never ends")
		}
	}
	seen := map[string]int{}
	for _, id := range platform.looked {
		seen[id]++
	}
	if len(seen) != posts-1 || len(platform.looked) != posts-1 || !failed {
		t.Errorf("%d looks at %d posts, failed %t; want each of %d once", len(platform.looked), len(seen), failed, posts-1)
	}
	var at commentCursor
	if err := json.Unmarshal([]byte(step.Cursor), &at); err != nil || !at.Since.Equal(step.Now) {
		t.Errorf("cursor %s", step.Cursor)
	}
}
