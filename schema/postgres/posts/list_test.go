package posts_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
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
			{After: f.Store.Now()}, {Before: f.Store.Now(), Platform: schema.Mastodon}, {ExternalID: "x1"},
			{Metadata: map[string]string{"of": "2"}}, {Metadata: map[string]string{"of": "2"}, Platform: schema.Telegram},
		} {
			filter.Status = status
			for _, filter.All = range []bool{false, true} {
				t.Run(fmt.Sprintf("%+v", filter), func(t *testing.T) { f.wantListed(t, all, filter) })
			}
		}
	}
}

// wantListed fails unless pages of a filter are what it selects of all posts, in each order, by
// offsets and by positions.
func (f *fixture) wantListed(t *testing.T, all []schema.Post, filter schema.PostFilter) {
	var want []schema.Post
	for _, p := range all {
		if selects(&filter, &p) {
			want = append(want, p)
		}
	}
	byID := func(a, b schema.Post) int { return cmp.Compare(a.ID.String(), b.ID.String()) }
	for _, order := range []schema.PostOrder{schema.LastScheduled, schema.FirstScheduled, schema.LastCreated, schema.FirstCreated} {
		filter.Order = order
		want := slices.Clone(want)
		switch order {
		case schema.FirstCreated, schema.LastCreated:
			if filter.Status != 0 {
				continue // they are in no index by their status, but listed the same way
			}
			slices.SortFunc(want, byID)
		}
		if order == schema.FirstScheduled || order == schema.LastCreated {
			slices.Reverse(want)
		}
		for _, jumps := range []bool{false, true} {
			if got := f.listed(t, filter, len(want), jumps); !slices.Equal(got, idsOf(want)) {
				t.Errorf("in order %d, by positions: %t: listed %v\nwant %v", order, jumps, got, idsOf(want))
			}
		}
	}
}

func idsOf(posts []schema.Post) (ids []schema.PostID) {
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// listed are the posts of all pages, each of which has to tell the total.
func (f *fixture) listed(t *testing.T, filter schema.PostFilter, total int, jumps bool) (ids []schema.PostID) {
	t.Helper()
	for filter.Limit = cmp.Or(filter.Limit, 7); ; {
		page, err := f.Gateway.Posts(t.Context(), f.Workspace, filter)
		if err != nil || page.Total != total {
			t.Fatalf("%+v: a total of %d, %v; want %d", filter, page.Total, err, total)
		}
		ids = append(ids, idsOf(page.Posts)...)
		for _, p := range page.Posts {
			if len(p.Targets) == 0 {
				t.Errorf("post %s has no targets", p.ID)
			}
		}
		if page.Last == nil || len(page.Posts) == 0 {
			return ids
		}
		if filter.Offset += filter.Limit; jumps {
			filter.Offset, filter.From = 0, page.Last
		}
	}
}

// TestChangesAreListedInTheirOrder compares lists of what changed with the posts, after each
// kind of change. A list goes through open posts, what has just ended and history.
func TestChangesAreListedInTheirOrder(t *testing.T) {
	f := newFixture(t)
	all := []schema.Post{f.EndedPost(), f.EndedPost(), f.EndedPost()}
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != len(all) {
		t.Fatalf("%d posts are in history", n)
	}
	before := f.Create(f.Post(1, time.Hour))
	add := func(p schema.Post, change func(p schema.Post)) {
		p.FromAPI = len(all)%2 > 0
		p = f.Create(p)
		all = append(all, p)
		if change != nil {
			change(p)
		}
	}
	edit := func(p schema.Post) {
		_, err := f.Update(p, func(p *schema.Post) { p.Timezone = "Europe/Berlin" })
		f.Must(err)
	}
	draft := func() schema.Post {
		p := f.Post(1, time.Hour)
		p.Status = schema.Draft
		return p
	}
	add(f.Post(1, 3*time.Hour), nil)
	add(f.Post(1, 2*time.Hour), edit)
	add(draft(), nil)
	add(draft(), edit)
	add(f.Post(2, 0), func(p schema.Post) { f.Claim(p, 0) })
	add(f.Post(2, 0), func(p schema.Post) {
		f.Finish(f.MustClaim(p, 1), schema.Outcome{Receipt: schema.Receipt{NativeID: "half"}})
	})
	add(f.Post(1, time.Hour), func(p schema.Post) {
		_, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID)
		f.Must(err)
	})
	all = append(all, f.EndedPost())
	f.Retry(all[1], time.Hour)
	all = append(all, before)
	for i := range all {
		all[i] = f.Read(all[i])
	}
	slices.SortFunc(all, func(a, b schema.Post) int {
		return cmp.Or(changedAt(a).Compare(changedAt(b)), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	for _, since := range []time.Time{f.Store.Now().Add(-time.Hour), changedAt(all[3]), changedAt(all[8])} {
		for _, status := range []schema.PostStatus{0, schema.Draft, schema.Scheduled, schema.Processing, schema.PartiallyFailed, schema.Cancelled} {
			var want []schema.PostID
			for _, p := range all {
				if !changedAt(p).Before(since) && (status == 0 || p.Status == status) {
					want = append(want, p.ID)
				}
			}
			for _, jumps := range []bool{false, true} {
				got := f.listed(t, schema.PostFilter{UpdatedAfter: since, Status: status, All: true, Limit: 2}, len(want), jumps)
				if !slices.Equal(got, want) {
					t.Errorf("since %v, status %v, by positions: %t: listed %v\nwant %v", since, status, jumps, got, want)
				}
			}
		}
	}
}

// changedAt is when a post changed; one that never did was made to the millisecond of its id.
func changedAt(p schema.Post) time.Time {
	if p.UpdatedAt.Equal(p.CreatedAt) {
		return p.ID.Time()
	}
	return p.UpdatedAt
}

func selects(f *schema.PostFilter, p *schema.Post) bool {
	on := func(t schema.Target) bool { return t.Platform == f.Platform }
	return (f.All || p.FromAPI) && (f.Status == 0 || p.Status == f.Status) && (f.Platform == 0 || slices.ContainsFunc(p.Targets, on)) &&
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
	brand := schema.NewID[schema.BrandID](f.Store.Now())
	sets := [][]schema.Platform{{schema.Mastodon}, {schema.Mastodon, schema.Bluesky}, {schema.Telegram}}
	for i := range 84 {
		status := schema.PostStatus(i%7 + 1)
		due := time.Duration(i-42) * time.Hour
		if status != schema.Scheduled && status != schema.Draft && status != schema.Cancelled {
			due = -due.Abs()
		}
		p := f.Post(1, due)
		p.Targets = nil
		for n, platform := range sets[i%len(sets)] {
			p.Targets = append(p.Targets, schema.Target{N: int16(n), Account: schema.NewID[schema.AccountID](f.Store.Now()), Platform: platform, FirstStep: schema.StepPublish})
		}
		p.FromAPI = i/7%3 > 0
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
		f.Create(p)
		if p.Status = status; status.Terminal() {
			f.Exec(fmt.Sprintf(`update targets set state = 3 where post_id = '%s'; delete from jobs where id = '%[1]s'`, postgrestest.UUIDText(p.ID)))
			f.Exec(fmt.Sprintf(`update posts set left_n = 0, status = %d, updated_at = now() - interval '1 day' where id = '%s'`, status, postgrestest.UUIDText(p.ID)))
		} else if status == schema.Processing {
			f.Exec(fmt.Sprintf(`update posts set status = %d where id = '%s'`, status, postgrestest.UUIDText(p.ID)))
		}
		if status.Terminal() && i%3 == 0 {
			f.Exec(fmt.Sprintf(`insert into ended_posts select id, workspace_id, status, scheduled_for, now() from posts where id = '%s'`, postgrestest.UUIDText(p.ID)))
		}
		all = append(all, p)
	}
	f.RunChore(f.Delay.ArchiveUnnoted)
	if open, history := f.Count(`select count(*) from ended_posts`), f.Count(`select count(*) from posts_history`); open == 0 || history == 0 {
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

func TestListsAreNewestScheduledFirst(t *testing.T) {
	f := newFixture(t)
	later, sooner := f.Create(f.Post(1, 2*time.Hour)), f.Create(f.Post(1, time.Hour))
	page, err := f.Gateway.Posts(t.Context(), f.Workspace, schema.PostFilter{Limit: 10, Platform: schema.Mastodon, Status: schema.Scheduled})
	if err != nil || page.Total != 2 || len(page.Posts) != 2 || page.Posts[0].ID != later.ID || page.Posts[1].ID != sooner.ID {
		t.Fatalf("page %v, %v", page, err)
	}
	if page, _ = f.Gateway.Posts(t.Context(), f.Workspace, schema.PostFilter{Limit: 10, Platform: schema.Bluesky}); page.Total != 0 {
		t.Errorf("%d posts on bluesky", page.Total)
	}
	_, err = f.Gateway.Post(t.Context(), schema.NewID[schema.WorkspaceID](f.Store.Now()), later.ID)
	postgrestest.WantKind(t, err, schema.NotFound)
}
