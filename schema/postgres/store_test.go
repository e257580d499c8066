package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
)

// maxLateness is how long paused work is held in these tests.
const maxLateness = 24 * time.Hour

// patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// plain seals nothing: these tests are about rows.
type plain struct{}

func (plain) SealText(_, text string) ([]byte, error)     { return []byte(text), nil }
func (plain) OpenText(_ string, b []byte) (string, error) { return string(b), nil }

func constraints(p schema.Platform) schema.Constraints {
	return schema.Constraints{Platform: p, DailyCap: dailyCap, FirstComment: schema.CommentLimit{Supported: true}, Thread: schema.ThreadLimit{Supported: true, Pause: time.Second}}
}

// fixture is a fresh database with a workspace and some accounts.
type fixture struct {
	registry *prometheus.Registry
	*testing.T
	url       string
	store     *postgres.Store
	gateway   *postgres.Gateway
	publish   *postgres.Publish
	comment   *postgres.Comment
	delay     *postgres.Delay
	notify    *postgres.Notify
	analytics *postgres.Analytics
	workspace schema.WorkspaceID
	accounts  []schema.AccountID
	key       schema.KeyID
	began     time.Time

	mu        sync.Mutex
	announced []schema.Announcement
}

// newFixture lets the test run beside others, which are on databases of their own, unless
// it is to measure.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	if !full() {
		t.Parallel()
	}
	ctx := t.Context()
	url := embeddedtest.PostgresWith(t, postgres.Migrate)
	f := &fixture{T: t, url: url, registry: prometheus.NewRegistry()}
	store, err := postgres.Open(ctx, postgres.Config{
		URL: url, MaxConns: 10, MaxLateness: maxLateness, Logger: slog.New(slog.DiscardHandler), Registerer: f.registry, Announce: f.hear,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	f.store, f.began = store, store.Now()
	f.gateway, f.publish = postgres.NewGateway(store, plain{}, constraints), postgres.NewPublish(store, constraints)
	f.comment, f.delay = postgres.NewComment(store, constraints), postgres.NewDelay(store)
	f.notify, f.analytics = postgres.NewNotify(store, plain{}), postgres.NewAnalytics(store)
	admin := postgres.NewAdmin(store)
	w, err := admin.MakeWorkspace(ctx, "acme", "operator", false)
	if err != nil {
		t.Fatal(err)
	}
	f.workspace, f.key = w.ID, schema.NewKeyID(store.Now())
	for i := range 3 {
		a := schema.Account{
			Workspace: w.ID, Platform: schema.Mastodon, NativeID: fmt.Sprint(i), Name: fmt.Sprint("a", i), Sealed: []byte("x"),
		}
		if a.ID, err = admin.AccountID(ctx, a); err != nil {
			t.Fatal(err)
		}
		if err := admin.PutAccount(ctx, a); err != nil {
			t.Fatal(err)
		}
		f.accounts = append(f.accounts, a.ID)
	}
	return f
}

// hear keeps what commits announce.
func (f *fixture) hear(a schema.Announcement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.announced = append(f.announced, a)
}

// chore does chunks while more of it waits, and returns the number of rows.
func (f *fixture) chore(do func(context.Context) (rows int, more bool, err error)) (rows int) {
	f.Helper()
	for more := true; more; {
		n, next, err := do(f.Context())
		if err != nil {
			f.Error(err) // not Fatal, which is for the test's own goroutine alone
			return rows
		}
		rows, more = rows+n, next
	}
	return rows
}

// post is a scheduled post to n accounts, due in some time from now.
func (f *fixture) post(n int, in time.Duration) schema.Post {
	now := f.store.Now()
	p := schema.Post{
		ID: schema.NewPostID(now), Workspace: f.workspace, Version: 1, Status: schema.Scheduled,
		ScheduledFor: now.Add(in), Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{Entries: []schema.Entry{{Text: "hello"}}},
	}
	for i := range n {
		p.Targets = append(p.Targets, schema.Target{
			N: int16(i), Account: f.accounts[i], Platform: schema.Mastodon, FirstStep: schema.StepPublish,
		})
	}
	return p
}

func (f *fixture) create(p schema.Post) schema.Post {
	f.Helper()
	if _, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}}); err != nil {
		f.Fatal(err)
	}
	return p
}

func (f *fixture) claim(p schema.Post, n int16) []schema.Delivery {
	f.Helper()
	d, err := f.publish.Claim(f.Context(), []schema.TargetRef{{Post: p.ID, N: n, Version: p.Version}})
	if err != nil {
		f.Fatal(err)
	}
	return d
}

func (f *fixture) finish(d schema.Delivery, o schema.Outcome) {
	f.Helper()
	if err := f.publish.Finish(f.Context(), d.After(o, f.store.Now(), 0)); err != nil {
		f.Fatal(err)
	}
}

// wantDue fails the test unless a time is a while, from least to most, after one from asked until
// now, which are of the store's clock; a second is for what that is off.
func (f *fixture) wantDue(at, asked time.Time, least, most time.Duration) {
	f.Helper()
	now := f.store.Now()
	if at.Before(asked.Add(least-time.Second)) || at.After(now.Add(most+time.Second)) {
		f.Errorf("due at %v, want %v to %v after a time from %v to %v", at, least, most, asked, now)
	}
}

func (f *fixture) status(p schema.Post) schema.PostStatus {
	f.Helper()
	got, err := f.gateway.Post(f.Context(), f.workspace, p.ID)
	if err != nil {
		f.Fatal(err)
	}
	return got.Status
}

func (f *fixture) jobs() []schema.Job {
	f.Helper()
	var shards []int16
	for i := range schema.Shards {
		shards = append(shards, int16(i))
	}
	jobs, err := f.delay.Due(f.Context(), shards, time.Time{}, f.store.Now().Add(48*time.Hour), 1000)
	if err != nil {
		f.Fatal(err)
	}
	return jobs
}

func (f *fixture) events() []schema.EventBatch {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []schema.EventBatch
	for _, a := range f.announced {
		for _, e := range a.Events {
			var batch schema.EventBatch
			if err := json.Unmarshal(e.Payload, &batch); err != nil {
				f.Fatal(err)
			}
			all = append(all, batch)
		}
	}
	return all
}

func TestAPostEndsWithItsLastTarget(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	if jobs := f.jobs(); len(jobs) != 1 || jobs[0].ID != schema.JobID(p.ID) {
		t.Fatalf("jobs = %v, want the post's", jobs)
	}
	first := f.claim(p, 0)
	if len(first) != 1 || f.status(p) != schema.Processing {
		t.Fatalf("claimed %d, status %v", len(first), f.status(p))
	}
	if again := f.claim(p, 0); len(again) != 0 {
		t.Fatal("a leased target was claimed again")
	}
	f.finish(first[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0", URL: "https://x/0"}})
	if got := f.status(p); got != schema.Processing || len(f.jobs()) != 1 {
		t.Fatalf("status %v, %d jobs: the second target is open", got, len(f.jobs()))
	}
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if got := f.status(p); got != schema.PartiallyFailed {
		t.Fatalf("status = %v, want partially_failed", got)
	}
	if jobs := f.jobs(); len(jobs) != 0 {
		t.Fatalf("%d jobs are left of a post that is done", len(jobs))
	}
	var types []schema.EventType
	for _, b := range f.events() {
		for _, e := range b.Events {
			types = append(types, e.Type)
		}
	}
	want := []schema.EventType{schema.PostScheduled, schema.TargetWasPosted, schema.TargetHasFailed, schema.PostPublished}
	if fmt.Sprint(types) != fmt.Sprint(want) {
		t.Errorf("events = %v, want %v", types, want)
	}
}

func TestACancelHolds(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, time.Hour))
	cancelled, err := f.gateway.Delete(t.Context(), f.workspace, p.ID)
	if err != nil || !cancelled {
		t.Fatalf("Delete = %t, %v", cancelled, err)
	}
	if d := f.claim(p, 0); len(d) != 0 || f.status(p) != schema.Cancelled || len(f.jobs()) != 0 {
		t.Fatalf("claimed %d, status %v, %d jobs", len(d), f.status(p), len(f.jobs()))
	}
	told := f.eventTypes()
	if cancelled, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil || !cancelled {
		t.Errorf("once more, Delete = %t, %v", cancelled, err)
	}
	if again := f.eventTypes(); !maps.Equal(again, told) || told[schema.PostCancelled] != 1 {
		t.Errorf("events are %v, were %v; want one cancel", again, told)
	}
}

func TestAnEditLeavesTheOldVersionBehind(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	edited, err := f.gateway.Update(t.Context(), f.workspace, p.ID, func(p *schema.Post) error {
		p.Content.Entries[0].Text = "new"
		p.Targets = p.Targets[:1]
		return nil
	})
	if err != nil || edited.Version != 2 {
		t.Fatalf("version %d, %v", edited.Version, err)
	}
	if d := f.claim(p, 0); len(d) != 0 {
		t.Fatal("the old version was claimed")
	}
	d := f.claim(edited, 0)
	if len(d) != 1 || d[0].Text != "new" {
		t.Fatalf("claimed %+v", d)
	}
	_, err = f.gateway.Update(t.Context(), f.workspace, p.ID, func(*schema.Post) error { return nil })
	wantKind(t, err, schema.InvalidState)
}

func TestAKeyIsUsedOnce(t *testing.T) {
	f := newFixture(t)
	const n = 50
	type answer struct {
		response string
		err      error
	}
	answers := make(chan answer, n)
	for i := range n {
		go func() {
			c := schema.Creation{
				Idempotency: &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{1}},
				Posts:       []schema.Post{f.post(1, time.Hour)}, Response: []byte(fmt.Sprint("answer ", i)),
			}
			created, err := f.gateway.Create(context.WithoutCancel(t.Context()), c)
			answers <- answer{string(created.Response), err}
		}()
	}
	seen := map[string]int{}
	for range n {
		a := <-answers
		if a.err != nil {
			t.Fatal(a.err)
		}
		seen[a.response]++
	}
	if len(seen) != 1 || len(f.jobs()) != 1 {
		t.Fatalf("answers %v, %d posts; want one of each", seen, len(f.jobs()))
	}
	_, err := f.gateway.Create(t.Context(), schema.Creation{
		Idempotency: &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{2}}, Response: []byte("x"),
		Posts: []schema.Post{f.post(1, time.Hour)},
	})
	wantKind(t, err, schema.IdempotencyConflict)
}

func TestNothingIsMadeOnceTheTimeOfARequestIsOver(t *testing.T) {
	f := newFixture(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.gateway.Create(over, schema.Creation{Posts: []schema.Post{f.post(1, time.Hour)}})
	wantKind(t, err, schema.Unavailable)
	_, err = f.gateway.Create(t.Context(), schema.Creation{Posts: []schema.Post{f.post(1, time.Hour)}}) // behind it, if it was queued
	f.must(err)
	if n := len(f.jobs()); n != 1 {
		t.Errorf("%d posts, want the second", n)
	}
}

func TestAFarJobIsPromotedUnlessItsPostMovedOn(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	kept, edited, cancelled := f.post(1, 25*time.Hour), f.post(1, 25*time.Hour), f.post(1, 25*time.Hour)
	for _, p := range []schema.Post{kept, edited, cancelled} {
		f.create(p)
	}
	if jobs := f.jobs(); len(jobs) != 0 {
		t.Fatalf("%d far jobs stand in the near table", len(jobs))
	}
	if _, err := f.gateway.Update(t.Context(), f.workspace, edited.ID, func(p *schema.Post) error {
		p.ScheduledFor = p.ScheduledFor.Add(-2 * time.Hour)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.gateway.Delete(t.Context(), f.workspace, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	f.exec(`update jobs_far set due_at = due_at - interval '2 hours' where id in ('` + uuidText(kept.ID) + `','` + uuidText(edited.ID) + `','` + uuidText(cancelled.ID) + `')`)
	if n := f.chore(f.delay.Promote); n != 1 || len(f.jobs()) != 2 {
		t.Fatalf("promoted %d; %d near jobs, want the kept one and the edited one", n, len(f.jobs()))
	}
}

func TestAnOpenClaimIsLookedFor(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	f.claim(p, 0)
	f.exec(`update targets set lease_until = now() - interval '6 seconds'`)
	d := f.claim(p, 0)
	if len(d) != 1 || d[0].Step != schema.StepFind || d[0].Since.IsZero() {
		t.Fatalf("claimed %+v, want a look for the open call", d)
	}
	late := d[0]
	late.Claim = 1
	if err := f.publish.Finish(t.Context(), late.After(schema.Outcome{Err: &schema.Error{Kind: schema.Refused}}, f.store.Now(), 0)); err != nil {
		t.Fatal(err)
	}
	if f.status(p) != schema.Processing {
		t.Error("the result of an older claim was taken")
	}
}

func TestAWaitingTargetIsNotClaimedBeforeItsTime(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	d := f.claim(p, 0)[0]
	const wait = 10 * time.Minute
	asked := f.store.Now()
	f.finish(d, schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: wait}})
	if d := f.claim(p, 0); len(d) != 0 {
		t.Fatal("claimed before its time")
	}
	f.wantDue(f.jobs()[0].DueAt, asked, wait, wait)
	f.exec(`update targets set next_at = now()`)
	if d := f.claim(p, 0); len(d) != 1 || d[0].Attempts != 0 {
		t.Fatalf("claimed %+v, want it at no cost of a try", d)
	}
}

func TestFirstCommentsFollowTheirTarget(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.create(p)
	asked := f.store.Now()
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
	jobs := f.jobs()
	if len(jobs) != 1 || jobs[0].Kind != schema.JobComment {
		t.Fatalf("jobs = %+v, want the comment's", jobs)
	}
	f.wantDue(jobs[0].DueAt, asked, schema.FirstCommentDelay, schema.FirstCommentDelay)
	id := schema.CommentID(jobs[0].ID)
	claimed, err := f.comment.Claim(t.Context(), []schema.CommentID{id})
	if err != nil || len(claimed) != 1 || claimed[0].Comment.Text != "first" || claimed[0].Receipt(0) == nil {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	r := claimed[0].After(schema.Outcome{Receipt: schema.Receipt{NativeID: "c0", URL: "https://x/c"}}, f.store.Now(), 0).OfComment(claimed[0])
	if err := f.comment.Finish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	if err != nil || len(got.Targets[0].Comments) != 1 || got.Targets[0].Comments[0].NativeID != "c0" || len(f.jobs()) != 0 {
		t.Fatalf("post %+v, %v, %d jobs", got, err, len(f.jobs()))
	}
}

func TestEventsBecomeDeliveriesOnce(t *testing.T) {
	f := newFixture(t)
	hook := schema.Webhook{
		ID: schema.NewWebhookID(f.store.Now()), Workspace: f.workspace, URL: "https://x", Secret: "s", Active: true,
		Events: []schema.EventType{schema.PostScheduled}, CreatedAt: f.store.Now(),
	}
	if err := f.gateway.CreateWebhook(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	f.create(f.post(1, time.Hour))
	var messages []schema.NotifyMessage
	for range 2 {
		more, err := f.notify.Expand(t.Context(), f.events())
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, more...)
	}
	if len(messages) != 1 {
		t.Fatalf("%d deliveries of one event", len(messages))
	}
	claimed, err := f.notify.Claim(t.Context(), []schema.DeliveryID{messages[0].Delivery})
	if err != nil || len(claimed) != 1 || claimed[0].Secrets[0] != "s" {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	result := schema.NotifyResult{ID: claimed[0].ID, Webhook: hook.ID, Claim: claimed[0].Claim, State: schema.DeliveryDelivered, ResponseCode: 200}
	if err := f.notify.Finish(t.Context(), result); err != nil {
		t.Fatal(err)
	}
	_, records, err := f.gateway.Deliveries(t.Context(), f.workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
	if err != nil || len(records) != 1 || records[0].State != schema.DeliveryDelivered {
		t.Fatalf("records %+v, %v", records, err)
	}
	if err := f.analytics.Stored(t.Context(), f.events()[:1]); err != nil {
		t.Fatal(err)
	}
	if n := f.count(`select count(*) from outbox`); n != 0 {
		t.Errorf("%d batches are still owed", n)
	}
}

func TestListsAreNewestScheduledFirst(t *testing.T) {
	f := newFixture(t)
	later, sooner := f.create(f.post(1, 2*time.Hour)), f.create(f.post(1, time.Hour))
	page, err := f.gateway.Posts(t.Context(), f.workspace, schema.PostFilter{Limit: 10, Platform: schema.Mastodon, Status: schema.Scheduled})
	if err != nil || page.Total != 2 || len(page.Posts) != 2 || page.Posts[0].ID != later.ID || page.Posts[1].ID != sooner.ID {
		t.Fatalf("page %v, %v", page, err)
	}
	if page, _ = f.gateway.Posts(t.Context(), f.workspace, schema.PostFilter{Limit: 10, Platform: schema.Bluesky}); page.Total != 0 {
		t.Errorf("%d posts on bluesky", page.Total)
	}
	_, err = f.gateway.Post(t.Context(), schema.NewWorkspaceID(f.store.Now()), later.ID)
	wantKind(t, err, schema.NotFound)
}

func TestFiredJobsFireAgain(t *testing.T) {
	f := newFixture(t)
	f.create(f.post(1, time.Second))
	jobs := f.jobs()
	asked := f.store.Now()
	if _, err := f.delay.Fired(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	moved := f.jobs()
	f.wantDue(moved[0].DueAt, asked, schema.VisibilityTimeout, schema.VisibilityTimeout)
	if _, err := f.delay.Fired(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	if again := f.jobs(); !again[0].DueAt.Equal(moved[0].DueAt) {
		t.Error("a job that was moved meanwhile was moved again")
	}
}

// A call may end before its job is moved on. What another target of the post waits for is not put off by that.
func TestAResultBeforeItsJobIsMovedOnPutsNothingOff(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, RetryAfter: 10 * time.Second}})
	f.exec(`update jobs set due_at = now()`) // of the first target
	firing, asked := f.jobs(), f.store.Now()
	f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused}})
	if _, err := f.delay.Fired(t.Context(), firing); err != nil {
		t.Fatal(err)
	}
	f.wantDue(f.jobs()[0].DueAt, asked, 0, 15*time.Second)
}

// What fires waits for nobody who holds jobs: they may want those that it holds.
func TestFiringWaitsForNobody(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		f.create(f.post(1, time.Second))
	}
	jobs := f.jobs()
	slices.SortFunc(jobs, func(a, b schema.Job) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	conn, err := pgx.Connect(t.Context(), f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs { // the later one first
		if i == 1 {
			fired, err := f.delay.Fired(t.Context(), jobs) // one that waits fails once lock_timeout is over
			if err != nil || len(fired) != 1 || fired[0].ID != jobs[0].ID {
				t.Errorf("fired = %v, %v; want the first alone", fired, err)
			}
		}
		if _, err := tx.Exec(t.Context(), `update jobs set due_at = now() where id = $1`, jobs[1-i].ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestADeliveryThatWaitsFiresLessOften(t *testing.T) {
	f := newFixture(t)
	f.create(f.post(1, time.Second))
	f.exec(fmt.Sprintf(`update jobs set kind = %d, fires = 9`, schema.JobNotify))
	asked := f.store.Now()
	if _, err := f.delay.Fired(t.Context(), f.jobs()); err != nil {
		t.Fatal(err)
	}
	f.wantDue(f.jobs()[0].DueAt, asked, 4*time.Minute, 6*time.Minute)
}

func wantKind(t *testing.T, err error, kind schema.ErrorKind) {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != kind {
		t.Errorf("err = %v, want kind %d", err, kind)
	}
}

func (f *fixture) exec(sql string) {
	f.Helper()
	if err := f.store.Exec(f.Context(), sql); err != nil {
		f.Fatal(err)
	}
}

func uuidText(id schema.PostID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func TestAWebhookIsDisabledAfterTenFailedDeliveries(t *testing.T) {
	f := newFixture(t)
	hook := schema.Webhook{
		ID: schema.NewWebhookID(f.store.Now()), Workspace: f.workspace, URL: "https://x", Secret: "s", Active: true,
		Events: []schema.EventType{schema.PostScheduled}, CreatedAt: f.store.Now(),
	}
	if err := f.gateway.CreateWebhook(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		f.create(f.post(1, time.Hour))
	}
	messages, err := f.notify.Expand(t.Context(), f.events())
	if err != nil || len(messages) != 12 {
		t.Fatalf("%d deliveries, %v", len(messages), err)
	}
	for i, m := range messages[:10] {
		if got, err := f.gateway.Webhook(t.Context(), f.workspace, hook.ID); err != nil || !got.Active || got.ConsecutiveFailures != i {
			t.Fatalf("after %d failures: %+v, %v", i, got, err)
		}
		f.deliver(m, schema.DeliveryFailed)
	}
	got, err := f.gateway.Webhook(t.Context(), f.workspace, hook.ID)
	if err != nil || got.Active || got.DisabledAt.IsZero() || got.DisabledReason != "10 deliveries in a row failed" {
		t.Fatalf("after ten failures: %+v, %v", got, err)
	}
	if n := f.counted("crier_webhooks_disabled_total"); n != 1 {
		t.Errorf("%v webhooks are counted as disabled, want one", n)
	}
	f.create(f.post(1, time.Hour))
	if more, err := f.notify.Expand(t.Context(), f.events()); err != nil || len(more) != 0 {
		t.Errorf("%d deliveries to a disabled webhook, %v", len(more), err)
	}
}

// deliver claims a delivery and finishes it.
func (f *fixture) deliver(m schema.NotifyMessage, state schema.DeliveryState) {
	f.Helper()
	claimed, err := f.notify.Claim(f.Context(), []schema.DeliveryID{m.Delivery})
	if err != nil || len(claimed) != 1 {
		f.Fatalf("claimed %d, %v", len(claimed), err)
	}
	result := schema.NotifyResult{ID: m.Delivery, Webhook: m.Webhook, Claim: claimed[0].Claim, State: state}
	if err := f.notify.Finish(f.Context(), result); err != nil {
		f.Fatal(err)
	}
}

func TestARetryGoesOnAfterTheLastReceipt(t *testing.T) {
	f := newFixture(t)
	p := f.post(2, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{}
	f.create(p)
	first := f.claim(p, 0)[0]
	f.finish(first, schema.Outcome{Receipt: schema.Receipt{NativeID: "n1"}})
	f.exec(`update targets set next_at = now(), step = 1`)
	f.finish(f.claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if got := f.status(p); got != schema.Failed {
		t.Fatalf("status = %v", got)
	}
	done, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{})
	retried := done.Post
	if err != nil || len(done.Platforms) != 1 || retried.Version != 2 || f.status(p) != schema.Scheduled {
		t.Fatalf("Retry = %+v, %v", done, err)
	}
	_, err = f.gateway.Update(t.Context(), f.workspace, p.ID, func(*schema.Post) error { return nil })
	wantKind(t, err, schema.InvalidState)
	if d := f.claim(p, 0); len(d) != 0 {
		t.Fatal("a message of the time before the retry was taken")
	}
	again := f.claim(retried, 0)
	if len(again) != 1 || again[0].Entry != 1 || len(again[0].Receipts) != 1 || again[0].Attempts != 0 || again[0].Claim <= first.Claim {
		t.Fatalf("claimed %+v, want the second entry on its first", again)
	}
	_, err = f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{})
	wantKind(t, err, schema.InvalidState)
}

// A retry knows an entry that may be there by what was prepared for it, and no other entry.
func TestARetryKeepsWhatItLooksBy(t *testing.T) {
	f := newFixture(t)
	for name, tt := range map[string]struct {
		ended schema.Outcome
		step  schema.Step
		keeps bool
	}{
		"unknown": {schema.Outcome{Verdict: schema.CannotTell}, schema.StepFind, true},
		"refused": {schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}, Verdict: schema.NotThere}, schema.StepPrepare, false},
	} {
		p := f.post(1, 0)
		f.create(p)
		f.exec(`update targets set step = 1, progress = '{"id":"7"}'`)
		f.claimOne(p, 0)
		f.expire()
		f.finish(f.claimOne(p, 0), tt.ended)
		f.wake()
		d := f.claimOne(f.retry(p, 0), 0)
		if d.Step != tt.step || (string(d.Progress) == `{"id":"7"}`) != tt.keeps {
			t.Errorf("%s: the retry is claimed at step %d with %s", name, d.Step, d.Progress)
		}
	}
}

// TestARetryLooksForWhatMayBeThere has two entries of a thread end as unknown, and retries
// it twice.
func TestARetryLooksForWhatMayBeThere(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{ContinueOnError: true}
	f.create(p)
	there := func(id string) schema.Outcome {
		return schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: id}}
	}
	ends := func(o schema.Outcome) (claimed schema.Delivery) {
		f.exec(`update targets set next_at = now(), step = 1`)
		claimed = f.claimOne(p, 0)
		f.expire()
		f.finish(f.claimOne(p, 0), o)
		return claimed
	}
	since := ends(schema.Outcome{Verdict: schema.CannotTell}).Since
	ends(schema.Outcome{Verdict: schema.CannotTell})
	f.wake()
	f.finish(f.claimOne(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})

	done, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{AcceptDuplicate: true})
	if err != nil {
		t.Fatal(err)
	}
	p = done.Post
	d := f.claimOne(p, 0)
	if d.Entry != 0 || d.Step != schema.StepFind || !d.Since.Equal(since) || d.Unsettled != 0b11 || !d.AcceptDuplicate {
		t.Fatalf("the retry is claimed as %+v, want the first entry looked for since %v", d, since)
	}
	f.finish(d, there("n0"))
	d = f.claimOne(p, 0)
	if d.Entry != 1 || d.Step != schema.StepFind || !d.Since.Equal(since) || d.Unsettled != 0b10 {
		t.Fatalf("then %+v, want the second entry looked for", d)
	}
	f.finish(d, schema.Outcome{Err: &schema.Error{Kind: schema.TokenDead}})
	f.wake()
	f.finish(f.claimOne(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})

	p = f.retry(p, 0)
	f.wake()
	if d = f.claimOne(p, 0); d.Entry != 1 || d.Step != schema.StepFind || d.AcceptDuplicate {
		t.Errorf("a retry without acceptDuplicate is claimed as %+v", d)
	}
	f.finish(d, there("n1"))
	f.wake()
	if d = f.claimOne(p, 0); d.Entry != 2 || d.Step != schema.StepPrepare || !d.Since.IsZero() || d.Unsettled != 0 {
		t.Errorf("once all is settled the third entry is claimed as %+v", d)
	}
}

func TestACancelledRetryKeepsWhatWasPosted(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(2, 0))
	f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
	f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	done, err := f.gateway.Retry(t.Context(), f.workspace, p.ID, schema.Retry{Platforms: []schema.Platform{schema.Mastodon}, Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	got, err := f.gateway.Post(t.Context(), f.workspace, p.ID)
	if err != nil || got.Targets[0].State != schema.TargetPosted || got.Targets[1].State != schema.TargetCancelled {
		t.Errorf("targets %v and %v, %v; want posted and cancelled", got.Targets[0].State, got.Targets[1].State, err)
	}
	if d := f.claim(done.Post, 1); len(d) != 0 {
		t.Error("a cancelled target was claimed")
	}
}

func TestACancelSkipsFirstComments(t *testing.T) {
	for name, isInHand := range map[string]bool{"that wait": false, "in hand": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.post(2, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.create(p)
			f.finish(f.claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
			f.finish(f.claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
			id := schema.CommentID(f.jobs()[0].ID)
			var late schema.Delivery
			if isInHand {
				late = f.claimComment()
			}
			f.retry(p, time.Hour)
			if _, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil {
				t.Fatal(err)
			}
			if comment := f.read(p).Targets[0].Comments[0]; comment.State != schema.CommentSkipped || len(f.jobs()) != 0 {
				t.Errorf("the comment is %v, %d jobs; want it skipped", comment.State, len(f.jobs()))
			}
			f.expire()
			if claimed, err := f.comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 {
				t.Errorf("claimed %+v, %v", claimed, err)
			}
			if !isInHand {
				return
			}
			f.finishComment(late, found("c0"))
			if comment := f.read(p).Targets[0].Comments[0]; comment.State != schema.CommentPosted || comment.NativeID != "c0" {
				t.Errorf("the comment is %+v; want what came of its call", comment)
			}
		})
	}
}

func TestOldDeliveriesAreForgotten(t *testing.T) {
	f := newFixture(t)
	hook := schema.Webhook{
		ID: schema.NewWebhookID(f.store.Now()), Workspace: f.workspace, URL: "https://x", Secret: "s", Active: true,
		Events: []schema.EventType{schema.PostScheduled}, CreatedAt: f.store.Now(),
	}
	if err := f.gateway.CreateWebhook(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.create(f.post(1, time.Hour))
	}
	messages, err := f.notify.Expand(t.Context(), f.events())
	if err != nil || len(messages) != 3 {
		t.Fatalf("%d deliveries, %v", len(messages), err)
	}
	f.deliver(messages[0], schema.DeliveryDelivered)
	f.deliver(messages[1], schema.DeliveryFailed)
	f.deliver(messages[2], schema.DeliveryDelivered)
	old := schema.NewDeliveryID(f.store.Now().Add(-schema.DeliveryRetention - time.Minute))
	older := schema.NewDeliveryID(f.store.Now().Add(-2 * schema.DeliveryRetention))
	f.exec(fmt.Sprintf(`update deliveries set id = '%x' where id = '%x'`, old[:], messages[0].Delivery[:]))
	f.exec(fmt.Sprintf(`update deliveries set id = '%x' where id = '%x'`, older[:], messages[1].Delivery[:]))
	f.chore(f.delay.ForgetDeliveries)
	_, kept, err := f.gateway.Deliveries(t.Context(), f.workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
	if err != nil || len(kept) != 1 || kept[0].ID != messages[2].Delivery {
		t.Errorf("kept %v, %v; want the young one", kept, err)
	}
}
