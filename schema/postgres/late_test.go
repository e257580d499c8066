package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestALateReceiptIsKept(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, meanwhile := range map[string]func(*fixture, *schema.Post, schema.Delivery){
		"the outcome is looked for": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.MustClaim(*p, 0)
		},
		"the next look waits": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.NotThere})
		},
		"a second call is in hand": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.NotThere})
			f.EndWaits()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.NotThere})
			f.EndWaits()
			f.MustClaim(*p, 0)
		},
		"it has failed as unknown": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
		},
		"a retry waits": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
			*p = f.Retry(*p, time.Hour)
		},
		"a retry is in hand": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
			*p = f.Retry(*p, 0)
			f.MustClaim(*p, 0)
		},
		"it was found": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.ExpireLeases()
			f.Finish(f.MustClaim(*p, 0), schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("n0").Receipt})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Post(2, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.MustClaim(p, 1), refused)
			d := f.MustClaim(p, 0)
			meanwhile(f, &p, d)
			f.Finish(d, postgrestest.Found("n0"))
			got := f.Read(p)
			target := got.Targets[0]
			if target.State != schema.TargetPosted || len(target.Receipts) != 1 || target.Receipts[0].NativeID != "n0" || target.Error != nil {
				t.Fatalf("the target is %+v, want it posted as n0", target)
			}
			wantStatus := schema.PartiallyFailed
			if got.Targets[1].State == schema.TargetPending {
				wantStatus = got.Status // a retry of the other target goes on
			}
			if got.Status != wantStatus {
				t.Errorf("the post is %v", got.Status)
			}
			if n := f.Count(`select count(*) from comments where state = 0 and n = 0`); n != 1 {
				t.Errorf("%d first comments are to be posted, want one", n)
			}
			if n := f.Count(`select count(*) from posts p where left_n <> (select count(*) from targets t where t.post_id = p.id and state in (0, 1))
				or posted_n <> (select count(*) from targets t where t.post_id = p.id and state = 2)
				or failed_n <> (select count(*) from targets t where t.post_id = p.id and state = 3)`); n != 0 {
				t.Error("the post's counters disagree with its targets")
			}
			if got.Status == schema.PartiallyFailed && f.EventTypes()[schema.PostPublished] != 1 {
				t.Errorf("events = %v, want one post.published", f.EventTypes())
			}
			if d := f.Claim(p, 0); len(d) != 0 {
				t.Error("a posted target was claimed")
			}
		})
	}
}

func TestALateReceiptOfACancelledPostIsShown(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	d := f.MustClaim(p, 0)
	f.ExpireLeases()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Verdict: schema.CannotTell})
	p = f.Retry(p, time.Hour)
	if _, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	f.Finish(d, postgrestest.Found("n0"))
	got := f.Read(p)
	if got.Status != schema.Cancelled || got.Targets[0].State != schema.TargetCancelled || len(got.Targets[0].Receipts) != 1 {
		t.Errorf("the post is %v, its target %+v; want both cancelled, with the receipt", got.Status, got.Targets[0])
	}
}

func TestASecondReceiptIsRecordedBesideTheFirst(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	d := f.MustClaim(p, 0)
	f.ExpireLeases()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Verdict: schema.Found, Receipt: postgrestest.Found("n0").Receipt})
	for range 2 {
		f.Finish(d, postgrestest.Found("n1"))
	}
	if r := f.Read(p).Targets[0].Receipts; len(r) != 1 || r[0].NativeID != "n0" {
		t.Errorf("receipts = %+v, want the first", r)
	}
	if n := f.Count(`select count(*) from duplicates where native_id = 'n1' and post_id = '` + postgrestest.UUIDText(p.ID) + `'`); n != 1 {
		t.Errorf("%d second receipts are recorded, want one", n)
	}
}

func TestALateReceiptFillsTheHoleOfAThread(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{ContinueOnError: true}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	f.Exec(`update targets set next_at = now(), step = 1`)
	late := f.MustClaim(p, 0)
	f.ExpireLeases()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Verdict: schema.CannotTell})
	f.Exec(`update targets set next_at = now(), step = 1`)
	third := f.MustClaim(p, 0)
	f.Finish(late, postgrestest.Found("n1"))
	f.Finish(third, postgrestest.Found("n2"))
	target := f.Read(p).Targets[0]
	if target.State != schema.TargetPosted || len(target.Receipts) != 3 {
		t.Fatalf("the target is %+v, want all three entries posted", target)
	}
	for i, want := range []string{"n0", "n1", "n2"} {
		if target.Receipts[i].Entry != i || target.Receipts[i].NativeID != want {
			t.Errorf("receipt %d = %+v, want %s", i, target.Receipts[i], want)
		}
	}
}

func TestALateReceiptOfAFirstCommentIsKept(t *testing.T) {
	for name, meanwhile := range map[string]schema.Outcome{
		"it has failed as unknown": {Verdict: schema.CannotTell},
		"the next look waits":      {Verdict: schema.NotThere},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Post(1, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
			late := f.ClaimComment()
			f.ExpireLeases()
			f.FinishComment(f.ClaimComment(), meanwhile)
			f.FinishComment(late, postgrestest.Found("c0"))
			comment := f.Read(p).Targets[0].Comments[0]
			if comment.State != schema.CommentPosted || comment.NativeID != "c0" || comment.Error != nil || len(f.Jobs()) != 0 {
				t.Errorf("the comment is %+v, %d jobs; want it posted as c0", comment, len(f.Jobs()))
			}
			f.FinishComment(late, postgrestest.Found("c1"))
			if n := f.Count(`select count(*) from duplicates where native_id = 'c1' and comment_id is not null`); n != 1 {
				t.Errorf("%d second receipts are recorded, want one", n)
			}
		})
	}
}
