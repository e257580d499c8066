package engagement_test

import (
	"fmt"
	"strings"
	"testing"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

// claimReply claims a reply, which may be claimed.
func (f *fixture) claimReply(id schema.CommentID) schema.Delivery {
	f.Helper()
	f.Exec(`update comments set next_at = null`)
	claimed, err := f.Comment.Claim(f.Context(), []schema.CommentID{id})
	f.Must(err)
	if len(claimed) != 1 || claimed[0].Unreadable != nil {
		f.Fatalf("claimed %+v", claimed)
	}
	return claimed[0]
}

func (f *fixture) reply(id schema.CommentID) schema.Reply {
	f.Helper()
	r, err := f.Gateway.Reply(f.Context(), f.Workspace, id)
	f.Must(err)
	return r
}

func TestAReplyIsClaimedWithWhatItAnswers(t *testing.T) {
	f := newFixture(t)
	id := f.NewReply()
	d := f.claimReply(id)
	to := d.Comment.ReplyTo
	if !d.IsReply() || to.NativeID != "c1" || to.Post != "p" || to.Kind != schema.InboxComment || to.State == "" || d.Text != "here" ||
		d.Step != schema.StepPublish || d.Receipts[0].NativeID != "c1" || d.Account.ID != f.Accounts[0] || d.Key == "" || !d.DueAt.Equal(id.Time()) {
		t.Errorf("claimed %+v of %+v", d, to)
	}
	if again, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(again) != 0 {
		t.Errorf("it was claimed again while it is in hand: %+v, %v", again, err)
	}
	f.FinishComment(d, postgrestest.Found("r1"))
	if r := f.reply(id); r.State != schema.CommentPosted || r.NativeID != "r1" || r.PostedAt.IsZero() || len(f.Jobs()) != 0 {
		t.Errorf("the reply is %+v, %d jobs", r, len(f.Jobs()))
	}
	if n := f.Count(`select count(*) from receipts where native_id = 'r1'`) + f.Count(`select count(*) from attempts`); n != 1 {
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
		"its process died under the claim": {func(f *fixture, _ schema.CommentID, _ schema.Delivery) { f.ExpireLeases() }, schema.StepFind},
		"its answer was lost": {func(f *fixture, _ schema.CommentID, d schema.Delivery) {
			f.FinishComment(d, schema.Outcome{Err: &schema.Error{Kind: schema.Unknown, Message: "lost"}})
		}, schema.StepFind},
		"a fault of crier's own": {func(f *fixture, id schema.CommentID, d schema.Delivery) {
			_, err := f.Store.Fault(f.Context(), schema.Fault{
				Stage: schema.TopicComment, Subject: schema.Subject{ID: id}, Claim: schema.OpenClaim{Claim: d.Claim, Called: true}, Tries: 1, Reason: "x",
			})
			f.Must(err)
		}, schema.StepFind},
		"it was given back before the call": {func(f *fixture, _ schema.CommentID, d schema.Delivery) {
			f.Must(f.Comment.Finish(f.Context(), d.GiveBack(nil, f.Store.Now()).OfComment(d)))
		}, schema.StepPublish},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			id := f.NewReply()
			tt.happens(f, id, f.claimReply(id))
			if n := len(f.Jobs()); n != 1 {
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
	id := f.NewReply()
	late := f.claimReply(id)
	f.ExpireLeases()
	f.FinishComment(f.claimReply(id), schema.Outcome{Verdict: schema.CannotTell})
	f.FinishComment(late, postgrestest.Found("r1"))
	if r := f.reply(id); r.State != schema.CommentPosted || r.NativeID != "r1" {
		t.Errorf("the reply is %+v", r)
	}
	late.Claim = 0
	f.FinishComment(late, postgrestest.Found("r2"))
	if n := f.Count(`select count(*) from duplicates where native_id = 'r2'`); n != 1 {
		t.Errorf("%d second receipts are noted, want one", n)
	}
}

func TestAReplyIsHeldByAPause(t *testing.T) {
	f := newFixture(t)
	id := f.NewReply()
	admin := postgres.NewAdmin(f.Store)
	f.Must(admin.Pause(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0], Reason: "no"}))
	if claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 {
		t.Fatalf("claimed %+v, %v under a pause", claimed, err)
	}
	if n := f.Count(`select count(*) from jobs where held and due_at > now() + interval '1 hour'`); n != 1 {
		t.Errorf("%d jobs are parked", n)
	}
	f.Must(admin.Resume(t.Context(), schema.Hold{Kind: schema.AccountPaused, Account: f.Accounts[0]}))
	if n := f.Count(`select count(*) from jobs where not held and due_at <= now() + interval '1 second'`); n != 1 {
		t.Errorf("%d jobs are due again", n)
	}
	f.claimReply(id)
}

func TestTheSweepGivesAReplyItsJob(t *testing.T) {
	f := newFixture(t)
	id := f.NewReply()
	f.Exec(`delete from jobs`)
	f.Sweep()
	f.DeleteCollections()
	jobs := f.Jobs()
	if len(jobs) != 1 || jobs[0].ID != schema.JobID(id) || jobs[0].Kind != schema.JobComment || !strings.Contains(string(jobs[0].Payload), f.Accounts[0].String()) {
		t.Errorf("jobs = %+v", jobs)
	}
}

func TestARestoreEndsOpenReplies(t *testing.T) {
	f := newFixture(t)
	id := f.NewReply()
	held, err := f.Store.HoldOverdue(t.Context())
	if r := f.reply(id); err != nil || held != 0 || r.State != schema.CommentFailed || r.Error.Code != schema.CodeOutcomeUnknown {
		t.Errorf("held %d, %v; the reply is %+v", held, err, r)
	}
	if claimed, err := f.Comment.Claim(t.Context(), []schema.CommentID{id}); err != nil || len(claimed) != 0 || len(f.Jobs()) != 0 {
		t.Errorf("claimed %+v, %v", claimed, err)
	}
}

func TestRepliesAndTheInboxAreForgotten(t *testing.T) {
	f := newFixture(t)
	ended, open := f.NewReply(), schema.NewID[schema.CommentID](f.Store.Now())
	f.FinishComment(f.claimReply(ended), postgrestest.Found("r1"))
	_, err := f.Gateway.CreateReply(t.Context(), schema.ReplyCreation{Workspace: f.Workspace, Reply: open, Item: f.ReceiveItem("c1", schema.InboxComment), Text: "again"})
	f.Must(err)
	f.Exec(`update comments set id = overlay(id::text placing '0100' from 1 for 4)::uuid; update inbox set seen_at = seen_at - interval '366 days'`)
	if n := f.RunChore(f.Delay.ForgetReplies); n != 1 || f.Count(`select count(*) from comments`) != 1 {
		t.Errorf("%d replies were forgotten, want the one that has ended", n)
	}
	if n := f.RunChore(f.Delay.ForgetInbox); n != 1 {
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
		"what was deleted":          {func(f *fixture, _ *schema.ReplyCreation) { f.Exec(`update inbox set deleted = true`) }, schema.InvalidState},
		"of a disconnected account": {func(f *fixture, _ *schema.ReplyCreation) { f.Exec(`update accounts set disconnected_at = now()`) }, schema.InvalidState},
		"a key of another request": {func(f *fixture, c *schema.ReplyCreation) {
			first := *c
			first.Idempotency = &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{9}}
			_, err := f.Gateway.CreateReply(f.Context(), first)
			f.Must(err)
			c.Reply, c.Idempotency = schema.NewID[schema.CommentID](f.Store.Now()), &schema.Idempotency{Lineage: f.Key, Key: "k", Fingerprint: [32]byte{8}}
		}, schema.IdempotencyConflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c := schema.ReplyCreation{
				Workspace: f.Workspace, Reply: schema.NewID[schema.CommentID](f.Store.Now()), Item: f.ReceiveItem("c1", schema.InboxComment), Text: "here",
				Response: []byte(`{}`),
			}
			tt.change(f, &c)
			before := f.Count(`select count(*) from comments`)
			if _, err := f.Gateway.CreateReply(t.Context(), c); schema.KindOf(err) != tt.want {
				t.Errorf("CreateReply = %v, want kind %d", err, tt.want)
			}
			if n := f.Count(`select count(*) from comments`); n != before {
				t.Errorf("%d replies, were %d", n, before)
			}
		})
	}
}

func TestAReplyIsMadeOnceByItsKey(t *testing.T) {
	f := newFixture(t)
	item := f.ReceiveItem("c1", schema.InboxComment)
	for i, want := range []bool{false, true} {
		created, err := f.Gateway.CreateReply(t.Context(), schema.ReplyCreation{
			Workspace: f.Workspace, Reply: schema.NewID[schema.CommentID](f.Store.Now()), Item: item, Text: "here", Response: fmt.Appendf(nil, `"%d"`, i),
			Idempotency: &schema.Idempotency{Lineage: f.Key, Key: "once", Fingerprint: [32]byte{1}},
		})
		if err != nil || created.Replayed != want || string(created.Response) != `"0"` {
			t.Errorf("time %d: %+v, %v", i, created, err)
		}
	}
	if n := f.Count(`select count(*) from comments`); n != 1 {
		t.Errorf("%d replies", n)
	}
}
