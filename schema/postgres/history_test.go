package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"crier/schema"
)

// ended is a post with one target that was posted, and one that was refused.
func (f *fixture) ended() schema.Post {
	f.Helper()
	p := f.create(f.post(2, 0))
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "native " + p.ID.String()}})
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	return p
}

// later makes time pass for what has ended.
func (f *fixture) later(interval string) {
	f.Helper()
	f.exec(`update ended_posts set ended_at = ended_at - interval '` + interval + `'`)
	f.exec(`update posts set updated_at = updated_at - interval '` + interval + `', created_at = created_at - interval '` + interval + `'`)
}

func (f *fixture) archive() int {
	f.Helper()
	return f.chore(f.delay.Archive)
}

// wantIn fails unless so many posts, targets and first comments are open, and in history.
func (f *fixture) wantIn(open, history [3]int) {
	f.Helper()
	for i, table := range []string{"posts", "targets", "comments"} {
		if n := f.count(`select count(*) from ` + table); n != open[i] {
			f.Errorf("%d %s are open, want %d", n, table, open[i])
		}
		if n := f.count(`select count(*) from ` + table + `_history`); n != history[i] {
			f.Errorf("%d %s are in history, want %d", n, table, history[i])
		}
	}
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestHistoryHasTheColumnsOfWhatIsOpen(t *testing.T) {
	f := newFixture(t)
	for _, table := range []string{"posts", "targets", "comments"} {
		n := f.count(`
			select count(*) from (
				select attname, format_type(atttypid, atttypmod), attnotnull, attgenerated from pg_attribute
				where attrelid = '` + table + `'::regclass and attnum > 0 and not attisdropped and attname <> 'draft'
				except
				select attname, format_type(atttypid, atttypmod), attnotnull, attgenerated from pg_attribute
				where attrelid = '` + table + `_history'::regclass and attnum > 0
			) missing`)
		if n > 0 {
			t.Errorf("%d columns of %s are not in its history", n, table)
		}
		n = f.count(`
			select count(*) from (
				select attname from pg_attribute where attrelid = '` + table + `'::regclass and attnum > 0 and not attisdropped and attname <> 'draft'
				except
				select attname from pg_attribute where attrelid = 'all_` + table + `'::regclass
			) missing`)
		if n > 0 {
			t.Errorf("%d columns of %s are not in the view of all", n, table)
		}
	}
}

func TestWhatHasEndedIsArchivedAndReadAsBefore(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	p := f.post(2, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	p.Content.ExternalID = "of theirs"
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	f.later("20 minutes")
	if n := f.archive(); n != 0 {
		t.Fatalf("%d posts were archived before their last target ended", n)
	}
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if n := f.archive(); n != 0 {
		t.Fatalf("%d posts were archived that have just ended", n)
	}
	f.later("20 minutes")
	if n := f.archive(); n != 0 {
		t.Fatalf("%d posts were archived whose first comment is open", n)
	}
	f.finishComment(f.claimComment(), schema.Outcome{Receipt: schema.Receipt{NativeID: "2"}})

	open := f.create(f.post(1, time.Hour))
	before, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	f.must(err)
	attempts := f.attempts(p)
	if n := f.archive(); n != 1 {
		t.Fatalf("%d posts were archived, want the one that has ended", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{1, 2, 2})
	after, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	f.must(err)
	wantEqual(t, after, before)
	wantEqual(t, f.attempts(p), attempts)
	listed, total, err := f.gateway.Posts(t.Context(), f.workspace, schema.PostFilter{Limit: 10})
	f.must(err)
	if total != 2 || len(listed) != 2 || listed[0].ID != open.ID {
		t.Fatalf("listed %d of %d", len(listed), total)
	}
	wantEqual(t, listed[1], before)
	if n := f.count(`select count(*) from ended_posts`); n != 0 {
		t.Errorf("%d posts are noted still", n)
	}
	if n := f.archive(); n != 0 {
		t.Errorf("%d posts were archived twice", n)
	}
}

func TestACancelledPostIsArchivedBeforeItsTime(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 24*24*time.Hour))
	if _, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	f.later("20 minutes")
	if n := f.archive(); n != 1 { // it makes the months it needs
		t.Fatalf("%d posts were archived, want the cancelled one", n)
	}
	cancelled, err := f.gateway.Delete(t.Context(), f.workspace, p.ID)
	if err != nil || !cancelled {
		t.Errorf("deleting it again: %t, %v", cancelled, err)
	}
	if _, err := f.gateway.Delete(t.Context(), schema.NewWorkspaceID(f.store.Now()), p.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another workspace deletes it: %v", err)
	}
	f.later("20 minutes")
	if n := f.archive(); n != 1 {
		t.Errorf("it was archived %d times after somebody asked for it, want 1", n)
	}
}

func TestAnArchivedPostIsRetried(t *testing.T) {
	f := newFixture(t)
	p := f.ended()
	f.later("20 minutes")
	f.archive()
	f.wantIn([3]int{}, [3]int{1, 2, 0})

	if _, err := f.gateway.Update(t.Context(), f.workspace, p.ID, func(*schema.Post) error { return nil }); schema.KindOf(err) != schema.InvalidState {
		t.Errorf("it was edited: %v", err)
	}
	if _, err := f.gateway.Retry(t.Context(), schema.NewWorkspaceID(f.store.Now()), p.ID, schema.Retry{}); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another workspace retried it: %v", err)
	}
	f.wantIn([3]int{}, [3]int{1, 2, 0}) // refused, it stays where it is

	done, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{})
	f.must(err)
	f.wantIn([3]int{1, 2, 0}, [3]int{})
	f.later("20 minutes")
	if n := f.archive(); n != 0 {
		t.Fatalf("%d posts were archived that are retried", n)
	}
	f.finish(f.claim(done.Post, 1)[0], schema.Outcome{Progress: schema.Progress{Ready: true}})
	f.finish(f.claim(done.Post, 1)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "at last"}})
	f.later("20 minutes")
	if n := f.archive(); n != 1 {
		t.Fatalf("%d posts were archived, want the one that ended again", n)
	}
	got, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	f.must(err)
	if got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID == "" || got.Targets[1].Receipts[0].NativeID != "at last" {
		t.Errorf("it is %+v", got)
	}
}

func TestALateReceiptFindsAnArchivedPost(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	late := f.claim(p, 0)[0]
	f.expire()
	f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.later("20 minutes")
	if n := f.archive(); n != 1 {
		t.Fatalf("%d posts were archived", n)
	}
	f.finish(late, schema.Outcome{Receipt: schema.Receipt{NativeID: "it is there"}})
	got, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	f.must(err)
	if got.Status != schema.Posted || len(got.Targets[0].Receipts) != 1 || got.Targets[0].Receipts[0].NativeID != "it is there" {
		t.Errorf("it is %+v", got)
	}
}

func TestTheLateReceiptOfACommentFindsAnArchivedPost(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	late := f.claimComment()
	f.expire()
	f.finishComment(f.claimComment(), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.later("20 minutes")
	if n := f.archive(); n != 1 {
		t.Fatalf("%d posts were archived", n)
	}
	f.finishComment(late, schema.Outcome{Receipt: schema.Receipt{NativeID: "it is there"}})
	got, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	f.must(err)
	if c := got.Targets[0].Comments[0]; c.State != schema.CommentPosted || c.NativeID != "it is there" {
		t.Errorf("the comment is %+v", c)
	}
}

func TestWhatEndedBeforeThereWasAHistoryIsArchivedByMonth(t *testing.T) {
	f := newFixture(t)
	old, new := f.ended(), f.ended()
	f.create(f.post(1, time.Hour))
	f.exec(`delete from ended_posts`)
	f.later("15 minutes")
	f.exec(`update posts set updated_at = '2025-02-28 23:59Z', created_at = '2025-02-01Z' where id = '` + uuidText(old.ID) + `'`)
	if n := f.chore(f.delay.ArchiveUnnoted); n != 1 {
		t.Fatalf("%d posts were archived, want the one of long ago", n)
	}
	f.later("20 minutes")
	if n := f.chore(f.delay.ArchiveUnnoted); n != 1 {
		t.Fatalf("%d posts were archived, want the other", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{2, 4, 0})
	if n := f.count(`select count(*) from posts_history_202502`); n != 1 {
		t.Errorf("%d posts are in the month of the old one", n)
	}
	for _, p := range []schema.Post{old, new} {
		if _, err := f.gateway.Post(t.Context(), f.workspace, p.ID); err != nil {
			t.Error(err)
		}
	}
}

// TestArchivingRacesRetries has posts be retried while they are archived: each is in one
// place, whole, whatever came first.
func TestArchivingRacesRetries(t *testing.T) {
	f := newFixture(t)
	posts := make(chan schema.Post, 18)
	for range cap(posts) {
		posts <- f.ended()
	}
	close(posts)
	f.later("20 minutes")
	ctx, stop := context.WithCancel(t.Context())
	var retrying, archiving sync.WaitGroup
	for range 3 {
		retrying.Go(func() {
			for p := range posts {
				if rand.IntN(4) == 0 {
					continue
				}
				_, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{Delay: time.Hour})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	archiving.Go(func() {
		for ctx.Err() == nil {
			if _, _, err := f.delay.Archive(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
	retrying.Wait()
	stop()
	archiving.Wait()
	f.archive()
	if n := f.count(`select count(*) from posts where status <> 2`); n != 0 {
		t.Errorf("%d posts have ended and are not in history", n)
	}
	if n := f.count(`select count(*) from (select id from all_posts group by id having count(*) = 1) one`); n != cap(posts) {
		t.Errorf("%d posts are in one place, want %d", n, cap(posts))
	}
	if n := f.count(`
		select count(*) from (select p.id from posts p join targets t on t.post_id = p.id group by p.id having count(*) = 2) whole`) +
		f.count(`select count(*) from (select p.id from posts_history p join targets_history t on t.post_id = p.id group by p.id having count(*) = 2) whole`); n != cap(posts) {
		t.Errorf("%d posts are whole, want %d", n, cap(posts))
	}
	f.wantOneJobEach()
}

func TestPostsGoByTheMonthOnceTheyAreOldEnough(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	upload := f.upload()
	old, kept := f.usingUpload(upload), f.ended()
	draft := f.post(1, time.Hour)
	draft.Status = schema.Draft
	f.create(draft)
	f.exec(`update posts set updated_at = '2020-05-07Z', created_at = '2020-05-01Z' where id in ('` + uuidText(old.ID) + `', '` + uuidText(draft.ID) + `')`)
	f.exec(`update ended_posts set ended_at = '2020-05-07Z'`)
	f.archive()
	f.wantIn([3]int{1, 1, 0}, [3]int{2, 3, 0})

	if n := f.chore(f.delay.ForgetPosts); n != 1+3 {
		t.Errorf("it came to %d rows, want a post's and three tables", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{1, 2, 0})
	if _, err := f.gateway.Post(t.Context(), f.workspace, old.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("the old post: %v", err)
	}
	for _, p := range []schema.Post{kept, draft} {
		if got := f.read(p); len(got.Targets) == 0 {
			t.Errorf("post %s is not whole", p.ID)
		}
	}
	if n := f.count(`select count(*) from media_uses`); n != 0 {
		t.Error("what only the old post used is used still")
	}
	if n := f.chore(f.delay.ForgetPosts); n != 0 {
		t.Errorf("again it came to %d rows", n)
	}
}

// upload is media that nothing uses, and has expired.
func (f *fixture) upload() schema.MediaID {
	f.Helper()
	id := schema.NewMediaID(f.store.Now())
	f.exec(`insert into media (id, workspace_id, state, secret, facts, alt_text, file_name, created_at, expires_at)
		values ('` + uuidText(schema.PostID(id)) + `', '` + uuidText(schema.PostID(f.workspace)) + `', 1, '', '{}', '', '', now(), now())`)
	return id
}

// usingUpload is a post that was published with it.
func (f *fixture) usingUpload(id schema.MediaID) schema.Post {
	f.Helper()
	p := f.post(1, 0)
	p.Content.Entries[0].Media = []schema.Media{{MediaID: id}}
	f.create(p)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	return p
}
