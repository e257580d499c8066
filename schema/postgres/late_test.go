package postgres_test

import (
	"context"
	"testing"
	"time"

	"crier/schema"
)

// found is what the platform answered a call whose result comes late.
func found(id string) schema.Outcome {
	return schema.Outcome{Receipt: schema.Receipt{NativeID: id, URL: "https://x/" + id}}
}

// expire lets every lease run out, so that another claim follows.
func (f *fixture) expire() {
	f.Helper()
	f.exec(`update targets set lease_until = now() - interval '6 seconds' where state = 1`)
	f.exec(`update comments set lease_until = now() - interval '6 seconds' where state = 1`)
}

// wake makes every wait over.
func (f *fixture) wake() {
	f.Helper()
	f.exec(`update targets set next_at = now()`)
}

func (f *fixture) claimOne(p schema.Post, n int16) schema.Delivery {
	f.Helper()
	claimed := f.claim(p, n)
	if len(claimed) != 1 {
		f.Fatalf("claimed %d of target %d, want it", len(claimed), n)
	}
	return claimed[0]
}

func (f *fixture) read(p schema.Post) schema.Post {
	f.Helper()
	got, err := f.gateway.Post(f.Context(), f.workspace, p.ID)
	if err != nil {
		f.Fatal(err)
	}
	return got
}

func (f *fixture) eventTypes() map[schema.EventType]int {
	types := map[schema.EventType]int{}
	for _, b := range f.events() {
		for _, e := range b.Events {
			types[e.Type]++
		}
	}
	return types
}

func (f *fixture) count(sql string) (n int) {
	f.Helper()
	n, err := f.store.Count(f.Context(), sql)
	if err != nil {
		f.Fatal(err)
	}
	return n
}

func TestALateReceiptIsKept(t *testing.T) {
	refused := schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}}
	for name, meanwhile := range map[string]func(*fixture, *schema.Post, schema.Delivery){
		"the outcome is looked for": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.claimOne(*p, 0)
		},
		"the next look waits": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.NotThere})
		},
		"a second call is in hand": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.NotThere})
			f.wake()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.NotThere})
			f.wake()
			f.claimOne(*p, 0)
		},
		"it has failed as unknown": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
		},
		"a retry waits": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
			*p = f.retry(*p, time.Hour)
		},
		"a retry is in hand": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.CannotTell})
			*p = f.retry(*p, 0)
			f.claimOne(*p, 0)
		},
		"it was found": func(f *fixture, p *schema.Post, _ schema.Delivery) {
			f.expire()
			f.finish(f.claimOne(*p, 0), schema.Outcome{Verdict: schema.Found, Receipt: found("n0").Receipt})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.post(2, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.create(p)
			f.finish(f.claimOne(p, 1), refused)
			d := f.claimOne(p, 0)
			meanwhile(f, &p, d)
			f.finish(d, found("n0"))
			got := f.read(p)
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
			if n := f.count(`select count(*) from comments where state = 0 and n = 0`); n != 1 {
				t.Errorf("%d first comments are to be posted, want one", n)
			}
			if n := f.count(`select count(*) from posts p where left_n <> (select count(*) from targets t where t.post_id = p.id and state in (0, 1))
				or posted_n <> (select count(*) from targets t where t.post_id = p.id and state = 2)
				or failed_n <> (select count(*) from targets t where t.post_id = p.id and state = 3)`); n != 0 {
				t.Error("the post's counters disagree with its targets")
			}
			if got.Status == schema.PartiallyFailed && f.eventTypes()[schema.PostPublished] != 1 {
				t.Errorf("events = %v, want one post.published", f.eventTypes())
			}
			if d := f.claim(p, 0); len(d) != 0 {
				t.Error("a posted target was claimed")
			}
		})
	}
}

func (f *fixture) retry(p schema.Post, in time.Duration) schema.Post {
	f.Helper()
	retried, err := f.gateway.Retry(f.Context(), f.workspace, p.ID, schema.Retry{Delay: in})
	if err != nil {
		f.Fatal(err)
	}
	return retried.Post
}

func TestALateReceiptOfACancelledPostIsShown(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	d := f.claimOne(p, 0)
	f.expire()
	f.finish(f.claimOne(p, 0), schema.Outcome{Verdict: schema.CannotTell})
	p = f.retry(p, time.Hour)
	if _, err := f.gateway.Delete(t.Context(), f.workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	f.finish(d, found("n0"))
	got := f.read(p)
	if got.Status != schema.Cancelled || got.Targets[0].State != schema.TargetCancelled || len(got.Targets[0].Receipts) != 1 {
		t.Errorf("the post is %v, its target %+v; want both cancelled, with the receipt", got.Status, got.Targets[0])
	}
}

func TestASecondReceiptIsRecordedBesideTheFirst(t *testing.T) {
	f := newFixture(t)
	p := f.create(f.post(1, 0))
	d := f.claimOne(p, 0)
	f.expire()
	f.finish(f.claimOne(p, 0), schema.Outcome{Verdict: schema.Found, Receipt: found("n0").Receipt})
	for range 2 {
		f.finish(d, found("n1"))
	}
	if r := f.read(p).Targets[0].Receipts; len(r) != 1 || r[0].NativeID != "n0" {
		t.Errorf("receipts = %+v, want the first", r)
	}
	if n := f.count(`select count(*) from duplicates where native_id = 'n1' and post_id = '` + uuidText(p.ID) + `'`); n != 1 {
		t.Errorf("%d second receipts are recorded, want one", n)
	}
}

func TestALateReceiptFillsTheHoleOfAThread(t *testing.T) {
	f := newFixture(t)
	p := f.post(1, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{ContinueOnError: true}
	f.create(p)
	f.finish(f.claimOne(p, 0), found("n0"))
	f.exec(`update targets set next_at = now(), step = 1`)
	late := f.claimOne(p, 0)
	f.expire()
	f.finish(f.claimOne(p, 0), schema.Outcome{Verdict: schema.CannotTell})
	f.exec(`update targets set next_at = now(), step = 1`)
	third := f.claimOne(p, 0)
	f.finish(late, found("n1"))
	f.finish(third, found("n2"))
	target := f.read(p).Targets[0]
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
			p := f.post(1, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.create(p)
			f.finish(f.claimOne(p, 0), found("n0"))
			late := f.claimComment()
			f.expire()
			f.finishComment(f.claimComment(), meanwhile)
			f.finishComment(late, found("c0"))
			comment := f.read(p).Targets[0].Comments[0]
			if comment.State != schema.CommentPosted || comment.NativeID != "c0" || comment.Error != nil || len(f.jobs()) != 0 {
				t.Errorf("the comment is %+v, %d jobs; want it posted as c0", comment, len(f.jobs()))
			}
			f.finishComment(late, found("c1"))
			if n := f.count(`select count(*) from duplicates where native_id = 'c1' and comment_id is not null`); n != 1 {
				t.Errorf("%d second receipts are recorded, want one", n)
			}
		})
	}
}

func (f *fixture) claimComment() schema.Delivery {
	f.Helper()
	jobs := f.jobs()
	if len(jobs) != 1 {
		f.Fatalf("%d jobs, want the comment's", len(jobs))
	}
	claimed, err := f.comment.Claim(f.Context(), []schema.CommentID{schema.CommentID(jobs[0].ID)})
	if err != nil || len(claimed) != 1 {
		f.Fatalf("claimed %d comments, %v", len(claimed), err)
	}
	return claimed[0]
}

func (f *fixture) finishComment(d schema.Delivery, o schema.Outcome) {
	f.Helper()
	if err := f.comment.Finish(context.WithoutCancel(f.Context()), d.After(o, f.store.Now(), 0).OfComment(d)); err != nil {
		f.Fatal(err)
	}
}
