package collection

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/retry"
)

// conversations are a platform whose every post has one comment.
type conversations struct {
	connectors.Connector
	looked []string // native ids
	failed int      // calls
	pages  int      // after the first
	fail   map[string]error
}

func (c *conversations) Comments(_ context.Context, _ connectors.Reading, post schema.PublishedPost, cursor string) (connectors.ReceivedPage, error) {
	if err := cmp.Or(c.fail[post.NativeID], c.fail["all"]); err != nil {
		c.failed++
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
	step := Step{Connector: platform, Now: now, Reserve: func(context.Context) (schema.Reservation, time.Duration) { return nil, 0 }}
	for i := range posts {
		step.Recent = append(step.Recent, schema.Snapshot{PublishedPost: schema.PublishedPost{
			Post: schema.NewID[schema.PostID](now.Add(time.Duration(i) * time.Millisecond)), NativeID: fmt.Sprint(i), PostedAt: now.Add(-time.Duration(i%3) * time.Minute),
		}})
	}
	first, err := collectComments(t.Context(), step)
	if err != nil || len(platform.looked) != 0 || first.NextAt.Sub(now) != 3*time.Minute {
		t.Fatalf("the first step looked at %v, %v; next in %v", platform.looked, err, first.NextAt.Sub(now))
	}
	step.Now, step.Cursor = now.Add(6*time.Minute), first.Cursor
	whole := 0
	pass := func() (r schema.CollectionResult) {
		for steps := 0; steps == 0 || !r.NextAt.After(step.Now); steps++ {
			if r, err = collectComments(t.Context(), step); err != nil || steps > 10 {
				t.Fatalf("step %d: %v", steps, err)
			}
			for _, look := range r.Whole {
				if len(look.Seen) != 1 || !look.Nested {
					t.Errorf("a look has seen %v", look.Seen)
				}
				whole++
			}
			step.Cursor = r.Cursor
		}
		return r
	}
	platform.fail["20"] = &schema.Error{Kind: schema.Retryable, Message: "later"}
	step.Now = pass().NextAt
	if whole != posts-2 || step.Now.Sub(now) != 7*time.Minute {
		t.Errorf("%d looks are made without the post that fails, which is tried again after %v", whole, step.Now.Sub(now))
	}
	delete(platform.fail, "20")
	pass()
	if whole != posts-1 {
		t.Errorf("%d looks have read everything, want those of all posts but the one that is refused", whole)
	}
	seen := map[string]int{}
	for _, id := range platform.looked {
		seen[id]++
	}
	if len(seen) != posts-1 || len(platform.looked) != posts-1 {
		t.Errorf("%d looks at %d posts; want each of %d once", len(platform.looked), len(seen), posts-1)
	}
	var at commentCursor
	if err := json.Unmarshal([]byte(step.Cursor), &at); err != nil || !at.Since.Equal(step.Now) {
		t.Errorf("cursor %s", step.Cursor)
	}
}

// collectFor takes steps as the stage does, each when the one before says.
func collectFor(t *testing.T, step *Step, d time.Duration) {
	t.Helper()
	for until := step.Now.Add(d); step.Now.Before(until); {
		r, err := collectComments(t.Context(), *step)
		e, _ := errors.AsType[*schema.Error](err)
		after(&r, e, step.Now)
		if r.NextAt.Before(step.Now) {
			t.Fatalf("the next step is due %v before", step.Now.Sub(r.NextAt))
		}
		step.Cursor, step.Attempts, step.Now = r.Cursor, r.Attempts, r.NextAt
	}
}

func TestAPostThatFailsHoldsUpNoOther(t *testing.T) {
	const posts = 6
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	collect := func(fail map[string]error) (*conversations, *Step) {
		platform := &conversations{fail: fail}
		step := &Step{Connector: platform, Now: now, Reserve: func(context.Context) (schema.Reservation, time.Duration) { return nil, 0 }}
		step.What = schema.CollectComments
		for i := range posts { // the first fails, and comes first
			step.Recent = append(step.Recent, schema.Snapshot{PublishedPost: schema.PublishedPost{
				Post: schema.NewID[schema.PostID](now.Add(time.Duration(i) * time.Millisecond)), NativeID: fmt.Sprint(i), PostedAt: now.Add(-time.Duration(i) * time.Second),
			}})
		}
		collectFor(t, step, 3*time.Hour)
		return platform, step
	}
	count := func(c *conversations, id string) (n int) {
		for _, looked := range c.looked {
			if looked == id {
				n++
			}
		}
		return n
	}
	healthy, _ := collect(nil)
	outage := &schema.Error{Kind: schema.Retryable, Message: "the platform failed"}
	for failing := range posts - 1 { // one of them, then more
		fail := map[string]error{}
		for i := range failing + 1 {
			fail[fmt.Sprint(i)] = outage
		}
		platform, step := collect(fail)
		for i := failing + 1; i < posts; i++ {
			if got, want := count(platform, fmt.Sprint(i)), count(healthy, fmt.Sprint(i)); got < want-2 || want < 10 {
				t.Errorf("%d fail: post %d is looked at %d times, want %d", len(fail), i, got, want)
			}
		}
		if platform.failed > 10*len(fail) {
			t.Errorf("%d fail: %d calls are made in vain", len(fail), platform.failed)
		}
		clear(platform.fail)
		if collectFor(t, step, retry.Collection.Cap); count(platform, "0") == 0 {
			t.Errorf("%d failed: they are not looked at again", len(fail))
		}
	}

	down, step := collect(map[string]error{"all": outage})
	if len(down.looked) != 0 || down.failed > 10*posts {
		t.Errorf("while the platform is down %d calls are made", down.failed)
	}
	clear(down.fail)
	collectFor(t, step, retry.Collection.Cap)
	for i := range posts {
		if count(down, fmt.Sprint(i)) == 0 {
			t.Errorf("post %d is not looked at once the platform is back", i)
		}
	}
}

// Every call has a turn, and a step does not wait for one: the next goes on at the page where it has
// ended.
func TestAStepEndsWhereThereIsNoTurn(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, collect := range map[string]Collector{"comments": collectComments, "mentions": collectMentions} {
		turns, received, steps := 0, map[string]int{}, 0
		platform := &conversations{pages: 5}
		step := Step{Connector: platform, Now: now, Reserve: func(context.Context) (schema.Reservation, time.Duration) {
			if turns++; turns%3 == 0 {
				return nil, 7 * time.Second
			}
			return nil, 0
		}}
		post := schema.PublishedPost{Post: schema.NewID[schema.PostID](now), NativeID: "1", PostedAt: now.Add(-6 * time.Minute)}
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
			for _, item := range r.Received {
				received[item.Item.NativeID]++
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

// Accounts that were connected in the same second are not looked at together for ever.
func TestAccountsThatAreDueTogetherPart(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	const every = 10 * time.Minute
	var minutes [10]int
	var hours [24]int
	for range 1000 {
		account := schema.NewID[schema.AccountID](now)
		hours[nextDay(account, now).Sub(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC))/time.Hour]++
		next := nextTurn(account, now, every)
		if wait := next.Sub(now); wait < every/2 || wait >= every*3/2 {
			t.Fatalf("it is looked at after %v", wait)
		}
		minutes[next.Minute()%10]++
		early := next.Add(-100 * time.Millisecond) // as a job may come
		if again := nextTurn(account, early, every); again.Sub(next) != every {
			t.Fatalf("a look follows after %v, want %v", again.Sub(next), every)
		}
	}
	if maximum := slices.Max(minutes[:]); maximum > 200 {
		t.Errorf("%d of 1000 accounts are looked at in one minute", maximum)
	}
	if maximum := slices.Max(hours[:]); maximum > 100 {
		t.Errorf("the followers of %d of 1000 accounts are read in one hour", maximum)
	}
}
