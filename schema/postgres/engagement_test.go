package postgres_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
)

// received stores something that somebody has written to the first account.
func (f *fixture) received(nativeID, kind string) schema.ItemID {
	f.Helper()
	account := schema.Account{ID: f.accounts[0], Workspace: f.workspace, Platform: schema.Mastodon}
	_, err := f.gateway.Receive(f.Context(), account, []schema.Received{{
		Item:  schema.InboxItem{Kind: kind, NativeID: nativeID, Text: "hello?", PostNativeID: "p", WrittenAt: f.store.Now()},
		State: `{"visibility":"unlisted"}`,
	}})
	f.must(err)
	return schema.ItemIDOf(account.ID, nativeID)
}

// replied makes a reply.
func (f *fixture) replied() schema.CommentID {
	f.Helper()
	id := schema.NewCommentID(f.store.Now())
	_, err := f.gateway.CreateReply(f.Context(), schema.ReplyCreation{
		Workspace: f.workspace, Reply: id, Item: f.received("c1", schema.InboxComment), Text: "here",
	})
	f.must(err)
	return id
}

// claimReply claims a reply, which may be claimed.
func (f *fixture) claimReply(id schema.CommentID) schema.Delivery {
	f.Helper()
	f.exec(`update comments set next_at = null`)
	claimed, err := f.comment.Claim(f.Context(), []schema.CommentID{id})
	f.must(err)
	if len(claimed) != 1 || claimed[0].Unreadable != nil {
		f.Fatalf("claimed %+v", claimed)
	}
	return claimed[0]
}

func (f *fixture) reply(id schema.CommentID) schema.Reply {
	f.Helper()
	r, err := f.gateway.Reply(f.Context(), f.workspace, id)
	f.must(err)
	return r
}

func TestAReplyIsClaimedWithWhatItAnswers(t *testing.T) {
	f := newFixture(t)
	id := f.replied()
	d := f.claimReply(id)
	to := d.Comment.ReplyTo
	if !d.IsReply() || to.NativeID != "c1" || to.Post != "p" || to.Kind != schema.InboxComment || to.State == "" || d.Text != "here" ||
		d.Step != schema.StepPublish || d.Receipts[0].NativeID != "c1" || d.Account.ID != f.accounts[0] || d.Key == "" || !d.DueAt.Equal(id.Time()) {
		t.Errorf("claimed %+v of %+v", d, to)
	}
	if again, err := f.comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(again) != 0 {
		t.Errorf("it was claimed again while it is in hand: %+v, %v", again, err)
	}
	f.finishComment(d, found("r1"))
	if r := f.reply(id); r.State != schema.CommentPosted || r.NativeID != "r1" || r.PostedAt.IsZero() || len(f.jobs()) != 0 {
		t.Errorf("the reply is %+v, %d jobs", r, len(f.jobs()))
	}
	if n := f.count(`select count(*) from receipts where native_id = 'r1'`) + f.count(`select count(*) from attempts`); n != 1 {
		t.Errorf("%d receipts and attempts, want the receipt", n)
	}
}

// What becomes of a reply whose process died, or whose answer was lost, follows the rules of
// posts.
func TestAReplyIsLookedForAfterAnOpenClaim(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(f *fixture, id schema.CommentID, d schema.Delivery)
		want    schema.Step
	}{
		"its process died under the claim": {func(f *fixture, _ schema.CommentID, _ schema.Delivery) { f.expire() }, schema.StepFind},
		"its answer was lost": {func(f *fixture, _ schema.CommentID, d schema.Delivery) {
			f.finishComment(d, schema.Outcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
		}, schema.StepFind},
		"a fault of crier's own": {func(f *fixture, id schema.CommentID, d schema.Delivery) {
			_, err := f.store.Fault(f.Context(), schema.Fault{
				Stage: schema.TopicComment, Subject: schema.Subject{ID: id}, Claim: schema.OpenClaim{Claim: d.Claim, Called: true}, Tries: 1, Reason: "x",
			})
			f.must(err)
		}, schema.StepFind},
		"it was given back before the call": {func(f *fixture, _ schema.CommentID, d schema.Delivery) {
			f.must(f.comment.Finish(f.Context(), d.GiveBack(nil, f.store.Now()).OfComment(d)))
		}, schema.StepPublish},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			id := f.replied()
			tt.happens(f, id, f.claimReply(id))
			if n := len(f.jobs()); n != 1 {
				t.Fatalf("%d jobs, want its own", n)
			}
			if d := f.claimReply(id); d.Step != tt.want || d.Comment.ReplyTo == nil {
				t.Errorf("claimed %+v, want step %d", d, tt.want)
			}
		})
	}
}

func TestALateReceiptOfAReplyIsKept(t *testing.T) {
	f := newFixture(t)
	id := f.replied()
	late := f.claimReply(id)
	f.expire()
	f.finishComment(f.claimReply(id), schema.Outcome{Verdict: schema.CannotTell})
	f.finishComment(late, found("r1"))
	if r := f.reply(id); r.State != schema.CommentPosted || r.NativeID != "r1" {
		t.Errorf("the reply is %+v", r)
	}
	late.Claim = 0
	f.finishComment(late, found("r2"))
	if n := f.count(`select count(*) from duplicates where native_id = 'r2'`); n != 1 {
		t.Errorf("%d second receipts are noted, want one", n)
	}
}

func TestAReplyIsHeldByAPause(t *testing.T) {
	f := newFixture(t)
	id := f.replied()
	admin := postgres.NewAdmin(f.store)
	f.must(admin.Pause(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0], Reason: "no"}))
	if claimed, err := f.comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 {
		t.Fatalf("claimed %+v, %v under a pause", claimed, err)
	}
	if n := f.count(`select count(*) from jobs where held and due_at > now() + interval '1 hour'`); n != 1 {
		t.Errorf("%d jobs are parked", n)
	}
	f.must(admin.Resume(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: f.accounts[0]}))
	if n := f.count(`select count(*) from jobs where not held and due_at <= now() + interval '1 second'`); n != 1 {
		t.Errorf("%d jobs are due again", n)
	}
	f.claimReply(id)
}

func TestTheSweepGivesAReplyItsJob(t *testing.T) {
	f := newFixture(t)
	id := f.replied()
	f.exec(`delete from jobs`)
	f.sweep()
	f.forgetCollections()
	jobs := f.jobs()
	if len(jobs) != 1 || jobs[0].ID != schema.JobID(id) || jobs[0].Kind != schema.JobComment || !strings.Contains(string(jobs[0].Payload), f.accounts[0].String()) {
		t.Errorf("jobs = %+v", jobs)
	}
}

func TestARestoreEndsOpenReplies(t *testing.T) {
	f := newFixture(t)
	id := f.replied()
	held, err := f.store.HoldOverdue(t.Context())
	if r := f.reply(id); err != nil || held != 0 || r.State != schema.CommentFailed || r.Error.Code != schema.CodeOutcomeUnknown {
		t.Errorf("held %d, %v; the reply is %+v", held, err, r)
	}
	if claimed, err := f.comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 || len(f.jobs()) != 0 {
		t.Errorf("claimed %+v, %v", claimed, err)
	}
}

func TestRepliesAndTheInboxAreForgotten(t *testing.T) {
	f := newFixture(t)
	ended, open := f.replied(), schema.NewCommentID(f.store.Now())
	f.finishComment(f.claimReply(ended), found("r1"))
	_, err := f.gateway.CreateReply(t.Context(), schema.ReplyCreation{Workspace: f.workspace, Reply: open, Item: f.received("c1", schema.InboxComment), Text: "again"})
	f.must(err)
	f.exec(`update comments set id = overlay(id::text placing '0100' from 1 for 4)::uuid; update inbox set seen_at = seen_at - interval '366 days'`)
	if n := f.chore(f.delay.ForgetReplies); n != 1 || f.count(`select count(*) from comments`) != 1 {
		t.Errorf("%d replies were forgotten, want the one that has ended", n)
	}
	if n := f.chore(f.delay.ForgetInbox); n != 1 {
		t.Errorf("%d items were forgotten", n)
	}
}

func TestCreateReplyRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(f *fixture, c *schema.ReplyCreation)
		want   schema.ErrorKind
	}{
		"what is not in the inbox":  {func(_ *fixture, c *schema.ReplyCreation) { c.Item = schema.ItemID{1} }, schema.NotFound},
		"what is another's":         {func(_ *fixture, c *schema.ReplyCreation) { c.Workspace = schema.WorkspaceID{1} }, schema.NotFound},
		"what was deleted":          {func(f *fixture, _ *schema.ReplyCreation) { f.exec(`update inbox set deleted = true`) }, schema.InvalidState},
		"of a disconnected account": {func(f *fixture, _ *schema.ReplyCreation) { f.exec(`update accounts set disconnected_at = now()`) }, schema.InvalidState},
		"a key of another request": {func(f *fixture, c *schema.ReplyCreation) {
			first := *c
			first.Idempotency = &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{9}}
			_, err := f.gateway.CreateReply(f.Context(), first)
			f.must(err)
			c.Reply, c.Idempotency = schema.NewCommentID(f.store.Now()), &schema.Idempotency{Lineage: f.key, Key: "k", Fingerprint: [32]byte{8}}
		}, schema.IdempotencyConflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c := schema.ReplyCreation{
				Workspace: f.workspace, Reply: schema.NewCommentID(f.store.Now()), Item: f.received("c1", schema.InboxComment), Text: "here",
				Response: []byte(`{}`),
			}
			tt.change(f, &c)
			before := f.count(`select count(*) from comments`)
			if _, err := f.gateway.CreateReply(t.Context(), c); schema.KindOf(err) != tt.want {
				t.Errorf("CreateReply = %v, want kind %d", err, tt.want)
			}
			if n := f.count(`select count(*) from comments`); n != before {
				t.Errorf("%d replies, were %d", n, before)
			}
		})
	}
}

func TestAReplyIsMadeOnceByItsKey(t *testing.T) {
	f := newFixture(t)
	item := f.received("c1", schema.InboxComment)
	for i, want := range []bool{false, true} {
		created, err := f.gateway.CreateReply(t.Context(), schema.ReplyCreation{
			Workspace: f.workspace, Reply: schema.NewCommentID(f.store.Now()), Item: item, Text: "here", Response: fmt.Appendf(nil, `"%d"`, i),
			Idempotency: &schema.Idempotency{Lineage: f.key, Key: "once", Fingerprint: [32]byte{1}},
		})
		if err != nil || created.Replayed != want || string(created.Response) != `"0"` {
			t.Errorf("time %d: %+v, %v", i, created, err)
		}
	}
	if n := f.count(`select count(*) from comments`); n != 1 {
		t.Errorf("%d replies", n)
	}
}

func TestWhatIsReceivedIsToldOnce(t *testing.T) {
	f := newFixture(t)
	account := schema.Account{ID: f.accounts[0], Workspace: f.workspace, Platform: schema.Mastodon}
	now := f.store.Now()
	item := func(nativeID, text string, at time.Time) schema.Received {
		return schema.Received{Item: schema.InboxItem{Kind: schema.InboxComment, NativeID: nativeID, Text: text, WrittenAt: at}}
	}
	mention := item("m", "you", now)
	mention.Item.Kind = schema.InboxMention
	for i, tt := range []struct {
		page                  []schema.Received
		changed               int
		facts, told, mentions int
	}{
		{[]schema.Received{item("a", "one", now), item("a", "one", now), item("old", "of long ago", now.Add(-48*time.Hour)), mention}, 3, 3, 1, 1},
		{[]schema.Received{item("a", "one", now), mention}, 0, 0, 0, 0},
		{[]schema.Received{item("a", "edited", now)}, 1, 1, 0, 0},
	} {
		f.announced = nil
		changed, err := f.gateway.Receive(t.Context(), account, tt.page)
		f.must(err)
		counts := map[schema.EventType]int{}
		for _, batch := range f.events() {
			for _, e := range batch.Events {
				counts[e.Type]++
			}
		}
		if changed != tt.changed || counts[schema.FactInboxItem] != tt.facts || counts[schema.CommentReceived] != tt.told || counts[schema.MentionReceived] != tt.mentions {
			t.Errorf("page %d: %d changed, events %v", i, changed, counts)
		}
	}
	if n := f.count(`select count(*) from outbox where owed <> 2 and convert_from(payload, 'UTF8') like '%fact.%'`); n != 0 {
		t.Errorf("%d batches of facts are owed to others than analytics", n)
	}
	if n := f.count(`select revision from inbox where native_id = 'a'`); n != 2 {
		t.Errorf("revision %d, want 2", n)
	}
	account.Workspace = schema.WorkspaceID{1}
	if changed, err := f.gateway.Receive(t.Context(), account, []schema.Received{item("b", "x", now)}); err != nil || changed != 0 {
		t.Errorf("%d of an account of another workspace, %v", changed, err)
	}
}

func TestTheInboxIsListedByPages(t *testing.T) {
	f := newFixture(t)
	now, post := f.store.Now().Truncate(time.Millisecond), schema.NewPostID(f.store.Now())
	for i, id := range f.accounts[:2] {
		account := schema.Account{ID: id, Workspace: f.workspace, Platform: schema.Mastodon}
		var page []schema.Received
		for n := range 5 {
			r := schema.Received{Item: schema.InboxItem{Kind: schema.InboxComment, NativeID: fmt.Sprint(n), WrittenAt: now.Add(-time.Duration(n) * time.Minute)}}
			if n == 3 {
				r.Post = post
			}
			page = append(page, r)
		}
		page = append(page, schema.Received{Item: schema.InboxItem{Kind: schema.InboxMention, NativeID: "m", WrittenAt: now.Add(time.Duration(i) * time.Second)}})
		_, err := f.gateway.Receive(t.Context(), account, page)
		f.must(err)
	}
	list := func(filter schema.InboxFilter) (all []schema.InboxEntry) {
		filter.Limit = 3
		for {
			page, err := f.gateway.Inbox(t.Context(), f.workspace, filter)
			f.must(err)
			if all = append(all, page...); len(page) < filter.Limit {
				return all
			}
			filter.After = page[len(page)-1].Place()
		}
	}
	if marked, err := f.gateway.Mark(t.Context(), f.workspace, []schema.ItemID{schema.ItemIDOf(f.accounts[0], "2"), schema.ItemIDOf(f.accounts[0], "2")}, true); err != nil || marked != 1 {
		t.Errorf("marked %d, %v", marked, err)
	}
	for name, tt := range map[string]struct {
		filter schema.InboxFilter
		want   int
	}{
		"all comments":         {schema.InboxFilter{}, 10},
		"of an account":        {schema.InboxFilter{Account: f.accounts[1]}, 5},
		"of a post":            {schema.InboxFilter{Post: post}, 2},
		"unread":               {schema.InboxFilter{Unread: true}, 9},
		"unread of an account": {schema.InboxFilter{Unread: true, Account: f.accounts[0]}, 4},
		"mentions":             {schema.InboxFilter{Mentions: true}, 2},
		"of nobody's account":  {schema.InboxFilter{Account: schema.AccountID{1}}, 0},
	} {
		got, seen := list(tt.filter), map[schema.ItemID]bool{}
		for i, e := range got {
			seen[e.ID] = true
			if i > 0 && e.WrittenAt.After(got[i-1].WrittenAt) {
				t.Errorf("%s: not the newest first", name)
			}
		}
		if len(got) != tt.want || len(seen) != tt.want {
			t.Errorf("%s: %d entries, %d of them different, want %d", name, len(got), len(seen), tt.want)
		}
	}
	counts, err := f.gateway.Unread(t.Context(), f.workspace)
	if err != nil || len(counts) != 2 || counts[0] != (schema.UnreadCount{Account: f.accounts[0], Comments: 4, Mentions: 1}) {
		t.Errorf("unread = %+v, %v", counts, err)
	}
	if _, err := f.gateway.Mark(t.Context(), schema.WorkspaceID{1}, []schema.ItemID{schema.ItemIDOf(f.accounts[0], "2")}, false); schema.KindOf(err) != schema.NotFound {
		t.Errorf("another's item was marked: %v", err)
	}
	if others, err := f.gateway.Inbox(t.Context(), schema.WorkspaceID{1}, schema.InboxFilter{Limit: 10, Account: f.accounts[0]}); err != nil || len(others) != 0 {
		t.Errorf("another workspace sees %+v, %v", others, err)
	}
}
