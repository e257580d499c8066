package postgres_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/schema"
)

// TestEveryFilterFindsWhatItSelects compares lists with what a look at each post selects, over
// posts in every state, open and in history.
func TestEveryFilterFindsWhatItSelects(t *testing.T) {
	f := newFixture(t)
	all := f.postsInEveryState()
	for _, status := range []schema.PostStatus{
		0, schema.Draft, schema.Scheduled, schema.Processing, schema.Posted, schema.PartiallyFailed, schema.Failed, schema.Cancelled,
	} {
		for _, filter := range []schema.PostFilter{
			{}, {Platform: schema.Bluesky}, {Platform: schema.YouTube}, {Brand: all[0].Brand}, {Brand: all[0].Brand, Platform: schema.Bluesky},
			{After: f.store.Now()}, {Before: f.store.Now(), Platform: schema.Mastodon}, {ExternalID: "x1"},
			{Metadata: map[string]string{"of": "2"}}, {Metadata: map[string]string{"of": "2"}, Platform: schema.Telegram},
		} {
			filter.Status = status
			t.Run(fmt.Sprintf("%+v", filter), func(t *testing.T) { f.wantListed(t, all, filter) })
		}
	}
}

// wantListed fails unless pages of a filter are what it selects of all posts, in their order.
func (f *fixture) wantListed(t *testing.T, all []schema.Post, filter schema.PostFilter) {
	var want, got []schema.PostID
	for _, p := range all {
		if selects(&filter, &p) {
			want = append(want, p.ID)
		}
	}
	for filter.Limit = 7; ; filter.Offset += filter.Limit {
		page, total, err := f.gateway.Posts(t.Context(), f.workspace, filter)
		if err != nil || total != len(want) {
			t.Fatalf("a total of %d, %v; want %d", total, err, len(want))
		}
		for _, p := range page {
			got = append(got, p.ID)
			if len(p.Targets) == 0 {
				t.Errorf("post %s has no targets", p.ID)
			}
		}
		if len(page) < filter.Limit {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v\nwant %v", got, want)
	}
}

func selects(f *schema.PostFilter, p *schema.Post) bool {
	on := func(t schema.Target) bool { return t.Platform == f.Platform }
	return (f.Status == 0 || p.Status == f.Status) && (f.Platform == 0 || slices.ContainsFunc(p.Targets, on)) &&
		(f.Brand.IsZero() || p.Brand == f.Brand) && (f.ExternalID == "" || p.Content.ExternalID == f.ExternalID) &&
		(f.After.IsZero() || !p.ScheduledFor.IsZero() && !p.ScheduledFor.Before(f.After)) &&
		(f.Before.IsZero() || !p.ScheduledFor.IsZero() && !p.ScheduledFor.After(f.Before)) &&
		(f.Metadata == nil || p.Content.Metadata["of"] == f.Metadata["of"])
}

// postsInEveryState are posts in the order of lists. Of those that have ended half are in
// history.
func (f *fixture) postsInEveryState() []schema.Post {
	f.Helper()
	var all []schema.Post
	brand := schema.NewBrandID(f.store.Now())
	sets := [][]schema.Platform{{schema.Mastodon}, {schema.Mastodon, schema.Bluesky}, {schema.Telegram}}
	for i := range 84 {
		status := schema.PostStatus(i%7 + 1)
		due := time.Duration(i-42) * time.Hour
		if status != schema.Scheduled && status != schema.Draft && status != schema.Cancelled {
			due = -due.Abs()
		}
		p := f.post(1, due)
		p.Targets = nil
		for n, platform := range sets[i%len(sets)] {
			p.Targets = append(p.Targets, schema.Target{N: int16(n), Account: schema.NewAccountID(f.store.Now()), Platform: platform, FirstStep: schema.StepPublish})
		}
		if i%2 == 0 {
			p.Brand = brand
		}
		p.Content.ExternalID, p.Content.Metadata = fmt.Sprint("x", i%5), map[string]string{"of": fmt.Sprint(i % 4)}
		p.Status = schema.Scheduled
		if status == schema.Draft {
			p.Status = status
			if i%14 == 0 {
				p.ScheduledFor = time.Time{}
			}
		}
		f.create(p)
		if p.Status = status; status.Terminal() {
			f.exec(fmt.Sprintf(`update targets set state = 3 where post_id = '%s'; delete from jobs where id = '%[1]s'`, uuidText(p.ID)))
			f.exec(fmt.Sprintf(`update posts set left_n = 0, status = %d, updated_at = now() - interval '1 day' where id = '%s'`, status, uuidText(p.ID)))
		} else if status == schema.Processing {
			f.exec(fmt.Sprintf(`update posts set status = %d where id = '%s'`, status, uuidText(p.ID)))
		}
		if status.Terminal() && i%3 == 0 {
			f.exec(fmt.Sprintf(`insert into ended_posts select id, workspace_id, status, scheduled_for, now() from posts where id = '%s'`, uuidText(p.ID)))
		}
		all = append(all, p)
	}
	f.chore(f.delay.ArchiveUnnoted)
	if open, history := f.count(`select count(*) from ended_posts`), f.count(`select count(*) from posts_history`); open == 0 || history == 0 {
		f.Fatalf("of the posts that have ended %d are open and %d in history", open, history)
	}
	slices.SortFunc(all, func(a, b schema.Post) int {
		if a.ScheduledFor.IsZero() != b.ScheduledFor.IsZero() {
			return cmp.Compare(btoi(b.ScheduledFor.IsZero()), btoi(a.ScheduledFor.IsZero()))
		}
		return cmp.Or(b.ScheduledFor.Compare(a.ScheduledFor), cmp.Compare(b.ID.String(), a.ID.String()))
	})
	return all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
