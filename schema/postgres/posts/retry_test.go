package posts_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestARetryGoesOnAfterTheLastReceipt(t *testing.T) {
	f := newFixture(t)
	p := f.Post(2, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{}
	f.Create(p)
	first := f.Claim(p, 0)[0]
	f.Finish(first, schema.Outcome{Receipt: schema.Receipt{NativeID: "n1"}})
	f.Exec(`update targets set next_at = now(), step = 1`)
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	if got := f.Status(p); got != schema.Failed {
		t.Fatalf("status = %v", got)
	}
	done, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{})
	retried := done.Post
	if err != nil || len(done.Platforms) != 1 || retried.Version != 2 || f.Status(p) != schema.Scheduled {
		t.Fatalf("Retry = %+v, %v", done, err)
	}
	_, err = f.Gateway.Update(t.Context(), f.Workspace, p.ID, func(*schema.Post, schema.QueueReader) error { return nil })
	postgrestest.WantKind(t, err, schema.InvalidState)
	if d := f.Claim(p, 0); len(d) != 0 {
		t.Fatal("a message of the time before the retry was taken")
	}
	again := f.Claim(retried, 0)
	if len(again) != 1 || again[0].Entry != 1 || len(again[0].Receipts) != 1 || again[0].Attempts != 0 || again[0].Claim <= first.Claim {
		t.Fatalf("claimed %+v, want the second entry on its first", again)
	}
	_, err = f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{})
	postgrestest.WantKind(t, err, schema.InvalidState)
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
		p := f.Post(1, 0)
		f.Create(p)
		f.Exec(`update targets set step = 1, progress = '{"id":"7"}'`)
		f.MustClaim(p, 0)
		f.ExpireLeases()
		f.Finish(f.MustClaim(p, 0), tt.ended)
		f.EndWaits()
		d := f.MustClaim(f.Retry(p, 0), 0)
		if d.Step != tt.step || (string(d.Progress) == `{"id":"7"}`) != tt.keeps {
			t.Errorf("%s: the retry is claimed at step %d with %s", name, d.Step, d.Progress)
		}
	}
}

// TestARetryLooksForWhatMayBeThere has two entries of a thread end as unknown, and retries
// it twice.
func TestARetryLooksForWhatMayBeThere(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.Entries = []schema.Entry{{Text: "one"}, {Text: "two"}, {Text: "three"}}
	p.Content.Thread = &schema.ThreadConfig{ContinueOnError: true}
	f.Create(p)
	there := func(id string) schema.Outcome {
		return schema.Outcome{Verdict: schema.Found, Receipt: schema.Receipt{NativeID: id}}
	}
	ends := func(o schema.Outcome) (claimed schema.Delivery) {
		f.Exec(`update targets set next_at = now(), step = 1`)
		claimed = f.MustClaim(p, 0)
		f.ExpireLeases()
		f.Finish(f.MustClaim(p, 0), o)
		return claimed
	}
	since := ends(schema.Outcome{Verdict: schema.CannotTell}).Since
	ends(schema.Outcome{Verdict: schema.CannotTell})
	f.EndWaits()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})

	done, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{AcceptDuplicate: true})
	if err != nil {
		t.Fatal(err)
	}
	p = done.Post
	d := f.MustClaim(p, 0)
	if d.Entry != 0 || d.Step != schema.StepFind || !d.Since.Equal(since) || d.Unsettled != 0b11 || !d.AcceptDuplicate {
		t.Fatalf("the retry is claimed as %+v, want the first entry looked for since %v", d, since)
	}
	f.Finish(d, there("n0"))
	d = f.MustClaim(p, 0)
	if d.Entry != 1 || d.Step != schema.StepFind || !d.Since.Equal(since) || d.Unsettled != 0b10 {
		t.Fatalf("then %+v, want the second entry looked for", d)
	}
	f.Finish(d, schema.Outcome{Err: &schema.Error{Kind: schema.TokenDead}})
	f.EndWaits()
	f.Finish(f.MustClaim(p, 0), schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})

	p = f.Retry(p, 0)
	f.EndWaits()
	if d = f.MustClaim(p, 0); d.Entry != 1 || d.Step != schema.StepFind || d.AcceptDuplicate {
		t.Errorf("a retry without acceptDuplicate is claimed as %+v", d)
	}
	f.Finish(d, there("n1"))
	f.EndWaits()
	if d = f.MustClaim(p, 0); d.Entry != 2 || d.Step != schema.StepPrepare || !d.Since.IsZero() || d.Unsettled != 0 {
		t.Errorf("once all is settled the third entry is claimed as %+v", d)
	}
}

func TestACancelledRetryKeepsWhatWasPosted(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	f.Finish(f.Claim(p, 0)[0], schema.Outcome{Receipt: schema.Receipt{NativeID: "n0"}})
	f.Finish(f.Claim(p, 1)[0], schema.Outcome{Err: &schema.Error{Kind: schema.Refused, Message: "no"}})
	done, err := f.Gateway.Retry(t.Context(), f.Workspace, p.ID, schema.Retry{Platforms: []schema.Platform{schema.Mastodon}, Delay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Gateway.Delete(t.Context(), f.Workspace, p.ID); err != nil {
		t.Fatal(err)
	}
	got, err := f.Gateway.Post(t.Context(), f.Workspace, p.ID)
	if err != nil || got.Targets[0].State != schema.TargetPosted || got.Targets[1].State != schema.TargetCancelled {
		t.Errorf("targets %v and %v, %v; want posted and cancelled", got.Targets[0].State, got.Targets[1].State, err)
	}
	if d := f.Claim(done.Post, 1); len(d) != 0 {
		t.Error("a cancelled target was claimed")
	}
}
