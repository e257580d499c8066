package maintenance_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/migrations"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

// wantIn fails unless so many posts, targets and first comments are open, and in history.
func (f *fixture) wantIn(open, history [3]int) {
	f.Helper()
	for i, table := range []string{"posts", "targets", "comments"} {
		if n := f.Count(`select count(*) from ` + table); n != open[i] {
			f.Errorf("%d %s are open, want %d", n, table, open[i])
		}
		if n := f.Count(`select count(*) from ` + table + `_history`); n != history[i] {
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
		n := f.Count(`
			select count(*) from (
				select attname, format_type(atttypid, atttypmod), attnotnull, attgenerated from pg_attribute
				where attrelid = '` + table + `'::regclass and attnum > 0 and not attisdropped and attname not in ('draft', 'edited_at')
				except
				select attname, format_type(atttypid, atttypmod), attnotnull, attgenerated from pg_attribute
				where attrelid = '` + table + `_history'::regclass and attnum > 0
			) missing`)
		if n > 0 {
			t.Errorf("%d columns of %s are not in its history", n, table)
		}
		n = f.Count(`
			select count(*) from (
				select attname from pg_attribute where attrelid = '` + table + `'::regclass and attnum > 0 and not attisdropped and attname not in ('draft', 'edited_at')
				except
				select attname from pg_attribute where attrelid = 'all_` + table + `'::regclass
			) missing`)
		if n > 0 {
			t.Errorf("%d columns of %s are not in the view of all", n, table)
		}
	}
}

// A column that a row's list lacks would be lost where posts are archived.
func TestRowsAreArchivedWithAllTheirColumns(t *testing.T) {
	f := newFixture(t)
	for table, row := range map[string]string{"posts": sql.Text("{post_row}"), "targets": sql.Text("{target_row}"), "comments": sql.Text("{comment_row}")} {
		columns := f.Texts(`
			select attname from pg_attribute h where attrelid = '` + table + `_history'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
				and attname <> 'reply_to' -- of replies, which have no post
				and exists (select from pg_attribute o where o.attrelid = '` + table + `'::regclass and o.attname = h.attname)`)
		slices.Sort(columns)
		listed := strings.FieldsFunc(row, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if slices.Sort(listed); !slices.Equal(listed, columns) {
			t.Errorf("of %s are moved\n%v, want\n%v", table, listed, columns)
		}
	}
}

func TestWhatHasEndedIsArchivedAndReadAsBefore(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	p := f.Post(2, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	p.Content.ExternalID = "of theirs"
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 0 {
		t.Fatalf("%d posts were archived before their last target ended", n)
	}
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if n := f.Archive(); n != 0 {
		t.Fatalf("%d posts were archived that have just ended", n)
	}
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 0 {
		t.Fatalf("%d posts were archived whose first comment is open", n)
	}
	f.FinishComment(f.ClaimComment(), schema.Outcome{Receipt: schema.Receipt{NativeID: "2"}})

	open := f.Create(f.Post(1, time.Hour))
	before, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	f.Must(err)
	attempts := f.Attempts(p)
	if n := f.Archive(); n != 1 {
		t.Fatalf("%d posts were archived, want the one that has ended", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{1, 2, 2})
	after, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	f.Must(err)
	wantEqual(t, after, before)
	wantEqual(t, f.Attempts(p), attempts)
	listed, err := f.Gateway.Posts(t.Context(), f.Workspace, schema.PostFilter{Limit: 10})
	f.Must(err)
	if listed.Total != 2 || len(listed.Posts) != 2 || listed.Posts[0].ID != open.ID {
		t.Fatalf("listed %d of %d", len(listed.Posts), listed.Total)
	}
	wantEqual(t, listed.Posts[1], before)
	if n := f.Count(`select count(*) from ended_posts`); n != 0 {
		t.Errorf("%d posts are noted still", n)
	}
	if n := f.Archive(); n != 0 {
		t.Errorf("%d posts were archived twice", n)
	}
}

func TestACancelledPostIsArchivedBeforeItsTime(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 24*24*time.Hour))
	if _, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 1 { // it makes the months it needs
		t.Fatalf("%d posts were archived, want the cancelled one", n)
	}
	cancelled, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID)
	if err != nil || !cancelled {
		t.Errorf("deleting it again: %t, %v", cancelled, err)
	}
	if _, err := f.Gateway.Delete(t.Context(), schema.NewID[schema.WorkspaceID](f.Store.Now()), p.ID); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another workspace deletes it: %v", err)
	}
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 1 {
		t.Errorf("it was archived %d times after somebody asked for it, want 1", n)
	}
}

func TestAnArchivedPostIsRetried(t *testing.T) {
	f := newFixture(t)
	p := f.EndedPost()
	f.AgeEnded("20 minutes")
	f.Archive()
	f.wantIn([3]int{}, [3]int{1, 2, 0})

	if _, err := f.Gateway.Update(t.Context(), f.Workspace, p.ID, func(*schema.Post, schema.QueueReader) error { return nil }); schema.KindOf(err) != schema.InvalidState {
		t.Errorf("it was edited: %v", err)
	}
	if _, err := f.Gateway.Retry(t.Context(), schema.NewID[schema.WorkspaceID](f.Store.Now()), p.ID, schema.Retry{}); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another workspace retried it: %v", err)
	}
	f.wantIn([3]int{}, [3]int{1, 2, 0}) // refused, it stays where it is

	done, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{})
	f.Must(err)
	f.wantIn([3]int{1, 2, 0}, [3]int{})
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 0 {
		t.Fatalf("%d posts were archived that are retried", n)
	}
	f.Finish(f.Claim(done.Post, 1)[0], schema.Outcome{Progress: schema.Progress{Ready: true}})
	f.Finish(f.Claim(done.Post, 1)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "at last"}})
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 1 {
		t.Fatalf("%d posts were archived, want the one that ended again", n)
	}
	got, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	f.Must(err)
	if got.Status != schema.Posted || got.Targets[0].Receipts[0].NativeID == "" || got.Targets[1].Receipts[0].NativeID != "at last" {
		t.Errorf("it is %+v", got)
	}
}

func TestALateReceiptFindsAnArchivedPost(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	late := f.Claim(p, 0)[0]
	f.ExpireLeases()
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 1 {
		t.Fatalf("%d posts were archived", n)
	}
	f.Finish(late, schema.Outcome{Receipt: schema.Receipt{NativeID: "it is there"}})
	got, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	f.Must(err)
	if got.Status != schema.Posted || len(got.Targets[0].Receipts) != 1 || got.Targets[0].Receipts[0].NativeID != "it is there" {
		t.Errorf("it is %+v", got)
	}
}

func TestTheLateReceiptOfACommentFindsAnArchivedPost(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Text: "first"}}
	f.Create(p)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "1"}})
	late := f.ClaimComment()
	f.ExpireLeases()
	f.FinishComment(f.ClaimComment(), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.AgeEnded("20 minutes")
	if n := f.Archive(); n != 1 {
		t.Fatalf("%d posts were archived", n)
	}
	f.FinishComment(late, schema.Outcome{Receipt: schema.Receipt{NativeID: "it is there"}})
	got, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	f.Must(err)
	if c := got.Targets[0].Comments[0]; c.State != schema.CommentPosted || c.NativeID != "it is there" {
		t.Errorf("the comment is %+v", c)
	}
}

func TestWhatEndedBeforeThereWasAHistoryIsArchivedByMonth(t *testing.T) {
	f := newFixture(t)
	old, new := f.EndedPost(), f.EndedPost()
	f.Create(f.Post(1, time.Hour))
	f.Exec(`delete from ended_posts`)
	f.AgeEnded("15 minutes")
	f.Exec(`update posts set updated_at = '2025-02-28 23:59Z', created_at = '2025-02-01Z' where id = '` + postgrestest.UUIDText(old.ID) + `'`)
	if n := f.RunChore(f.Delay.ArchiveUnnoted); n != 1 {
		t.Fatalf("%d posts were archived, want the one of long ago", n)
	}
	f.AgeEnded("20 minutes")
	if n := f.RunChore(f.Delay.ArchiveUnnoted); n != 1 {
		t.Fatalf("%d posts were archived, want the other", n)
	}
	f.wantIn([3]int{1, 1, 0}, [3]int{2, 4, 0})
	if n := f.Count(`select count(*) from posts_history_202502`); n != 1 {
		t.Errorf("%d posts are in the month of the old one", n)
	}
	for _, p := range []schema.Post{old, new} {
		if _, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID); err != nil {
			t.Error(err)
		}
	}
}

// A month that is being dropped, which a backup may keep from ending, holds up no other.
func TestAPostOfAMonthThatIsBeingDroppedHoldsUpNoOther(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	old, new := f.EndedPost(), f.EndedPost()
	f.Exec(`create table posts_history_202502 (like posts_history)`)
	f.Exec(`update posts set updated_at = '2025-02-07Z', created_at = '2025-02-01Z' where id = '` + postgrestest.UUIDText(old.ID) + `'`)
	f.Exec(`update ended_posts set ended_at = '2025-02-07Z' where post_id = '` + postgrestest.UUIDText(old.ID) + `'`)
	f.AgeEnded("20 minutes")
	f.Archive()
	if n := f.Count(`select count(*) from posts_history where id = '` + postgrestest.UUIDText(new.ID) + `'`); n != 1 {
		t.Errorf("%d posts were archived, want the one whose month stays", n)
	}
	f.Exec(`drop table posts_history_202502`)
	if n := f.Archive(); n != 1 {
		t.Errorf("%d posts were archived once the month had gone, want the other", n)
	}
}

// TestArchivingRacesRetries has posts be retried while they are archived: each is in one
// place, whole, whatever came first.
func TestArchivingRacesRetries(t *testing.T) {
	f := newFixture(t)
	posts := make(chan schema.Post, 18)
	for range cap(posts) {
		posts <- f.EndedPost()
	}
	close(posts)
	f.AgeEnded("20 minutes")
	ctx, stop := context.WithCancel(t.Context())
	var retrying, archiving sync.WaitGroup
	for range 3 {
		retrying.Go(func() {
			for p := range posts {
				if rand.IntN(4) == 0 {
					continue
				}
				_, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{Delay: time.Hour})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	archiving.Go(func() {
		for ctx.Err() == nil {
			if _, _, err := f.Delay.Archive(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
	retrying.Wait()
	stop()
	archiving.Wait()
	f.Archive()
	if n := f.Count(`select count(*) from posts where status <> 2`); n != 0 {
		t.Errorf("%d posts have ended and are not in history", n)
	}
	if n := f.Count(`select count(*) from (select id from all_posts group by id having count(*) = 1) one`); n != cap(posts) {
		t.Errorf("%d posts are in one place, want %d", n, cap(posts))
	}
	if n := f.Count(`
		select count(*) from (select p.id from posts p join targets t on t.post_id = p.id group by p.id having count(*) = 2) whole`) +
		f.Count(`select count(*) from (select p.id from posts_history p join targets_history t on t.post_id = p.id group by p.id having count(*) = 2) whole`); n != cap(posts) {
		t.Errorf("%d posts are whole, want %d", n, cap(posts))
	}
	f.wantOneJobEach()
}

// TestAnUpgradeKeepsWhatHadEnded migrates tables of before there was a history: what had ended is
// listed and archived, and what was used of plans and days is known.
func TestAnUpgradeKeepsWhatHadEnded(t *testing.T) {
	url := embeddedtest.Postgres(t)
	if err := migrations.To(t.Context(), url, 30); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const states = 7
	_, err = conn.Exec(t.Context(), `
		insert into workspaces (id, name, plan) values ('10000000-0000-0000-0000-000000000000', 'acme', 'operator');
		insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
			select lpad(n::text, 32, '0')::uuid, '10000000-0000-0000-0000-000000000000', n, '2026-01-01Z', 'UTC', true, 1, '{}', (n < 4)::int, '2026-01-01Z', '2026-01-01Z'
			from generate_series(1, 7) n;
		insert into targets (post_id, n, version, account_id, platform, state, step)
			select id, 0, 1, id, 1, case when status < 4 then 0 when status = 4 then 2 else 3 end, 1 from posts`)
	if err == nil {
		err = migrations.To(t.Context(), url, 60)
	}
	if err == nil { // months from before there were lists by creation and of changes, and a post that was edited
		_, err = conn.Exec(t.Context(), `
			create table posts_history_202601 partition of posts_history for values from ('2026-01-01Z') to ('2026-02-01Z');
			create table posts_history_202602 partition of posts_history for values from ('2026-02-01Z') to ('2026-03-01Z');
			update posts set updated_at = '2026-01-02Z' where status = 2;
			insert into counters values ('10000000-0000-0000-0000-000000000000', date_trunc('month', now() at time zone 'UTC'), 7, 100),
				('00000000-0000-0000-0000-000000000001', '2099-01-01', 2, 20)`)
	}
	if err == nil {
		err = postgres.Migrate(t.Context(), url)
	}
	if err != nil {
		t.Fatal(err)
	}
	var indexed, edited int
	err = conn.QueryRow(t.Context(), `
		select (select count(*) from pg_index where indrelid = 'posts_history'::regclass and indisvalid
				and indexrelid in ('posts_history_created'::regclass, 'posts_history_changed'::regclass)) indexed,
			(select count(*) from posts where edited_at = '2026-01-02Z') edited`).Scan(&indexed, &edited)
	if err != nil || indexed != 2 || edited != 1 {
		t.Errorf("%d of 2 indexes hold for every month, %d posts are known as edited; %v", indexed, edited, err)
	}
	store, err := postgres.Open(t.Context(), postgres.Config{URL: url, MaxConns: 3, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	gateway, delay := postgres.NewGateway(store, securetest.PlainText{}, postgrestest.Constraints), postgres.NewDelay(store)
	listed := func() {
		t.Helper()
		for status := schema.Draft; status <= states; status++ {
			page, err := gateway.Posts(t.Context(), schema.WorkspaceID{0x10}, schema.PostFilter{Status: status, Limit: 10})
			if err != nil || page.Total != 1 || len(page.Posts) != 1 || page.Posts[0].Status != status || len(page.Posts[0].Targets) != 1 {
				t.Errorf("of posts that are %v: %v, %v", status, page, err)
			}
		}
	}
	listed()
	usage, err := gateway.Usage(t.Context(), schema.WorkspaceID{0x10})
	if err != nil || usage.Posts != 7 {
		t.Errorf("usage = %+v, %v, want 7 posts", usage, err)
	}
	var used int
	err = conn.QueryRow(t.Context(), `select used from counters where subject = $1 and period = '2099-01-01'`, schema.AccountID{15: 1}.Bytes()).Scan(&used)
	if err != nil || used != 2 {
		t.Errorf("%d are used of the account's day, %v, want 2", used, err)
	}
	archived := 0
	for more := true; more; {
		var n int
		if n, more, err = delay.Archive(t.Context()); err != nil {
			t.Fatal(err)
		}
		archived += n
	}
	if archived != 4 {
		t.Errorf("%d posts were archived, want those that had ended", archived)
	}
	listed()
}
