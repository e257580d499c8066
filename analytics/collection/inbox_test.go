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
	pages  int      // after the first
	fail   map[string]error
}

func (c *conversations) Comments(_ context.Context, _ connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	if err := c.fail[post.NativeID]; err != nil {
		return connectors.ReceivedPage{}, err
	}
	page := connectors.ReceivedPage{Items: []schema.Received{{Post: post.Post, Item: schema.InboxItem{NativeID: "under " + post.NativeID + cursor, WrittenAt: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}}}}
	if len(cursor) < c.pages {
		page.Next = cursor + "+"
		return page, nil
	}
	c.looked, page.Extent = append(c.looked, post.NativeID), connectors.AllComments
	return page, nil
}

func (c *conversations) Mentions(ctx context.Context, r connectors.Reading, cursor string) (connectors.ReceivedPage, error) {
	return c.Comments(ctx, r, schema.PublishedPost{NativeID: "mentions"}, cursor)
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
	step := Step{Connector: platform, Now: now, Reserve: func(context.Context) (schema.Turn, time.Duration) { return nil, 0 }}
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
	failed, whole := false, 0
	platform.fail["20"] = &schema.Error{Kind: schema.Retryable, Message: "later"}
	for steps := 0; ; steps++ {
		r, err := collectComments(t.Context(), step)
		if err != nil {
			failed = true
			delete(platform.fail, "20")
		}
		for _, look := range r.Whole {
			if len(look.Seen) != 1 || !look.Nested {
				t.Errorf("a look has seen %v", look.Seen)
			}
			whole++
		}
		if step.Cursor = r.Cursor; err == nil && r.NextAt.After(step.Now) {
			break
		}
		if steps > 10 {
			t.Fatal("it never ends")
		}
	}
	if whole != posts-1 {
		t.Errorf("%d looks have read everything, want those of all posts but the one that is refused", whole)
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

// Every call has a turn, and a step does not wait for one: the next goes on at the page where it has
// ended.
func TestAStepEndsWhereThereIsNoTurn(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, collect := range map[string]Collector{"comments": collectComments, "mentions": collectMentions} {
		turns, received, steps := 0, map[string]int{}, 0
		platform := &conversations{pages: 5}
		step := Step{Connector: platform, Now: now, Reserve: func(context.Context) (schema.Turn, time.Duration) {
			if turns++; turns%3 == 0 {
				return nil, 7 * time.Second
			}
			return nil, 0
		}}
		post := schema.PublishedPost{Post: schema.NewPostID(now), NativeID: "1", PostedAt: now.Add(-6 * time.Minute)}
		step.Recent = []schema.Snapshot{{PublishedPost: post}}
		step.Cursor = encodeCursor(commentCursor{Since: now.Add(-6 * time.Minute)})
		if name == "mentions" {
			step.Cursor = now.Add(-time.Hour).Format(time.RFC3339) // as older versions wrote it
		}
		for len(platform.looked) == 0 && steps < 10 {
			r, err := collect(t.Context(), step)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range r.Received {
				received[one.Item.NativeID]++
			}
			if len(r.Whole) != 0 {
				t.Errorf("%s: a step that has read some of the pages tells what is missing", name)
			}
			if wait := r.NextAt.Sub(now); len(platform.looked) == 0 && wait != 7*time.Second {
				t.Fatalf("%s: without a turn the next step is in %v", name, wait)
			}
			step.Cursor = r.Cursor
			steps++
		}
		if len(received) != 6 || received["under "+platform.looked[0]+"+++++"] != 1 || steps != 2 || turns != 5 {
			t.Errorf("%s: received %v in %d steps, with %d turns", name, received, steps, turns)
		}
	}
}
