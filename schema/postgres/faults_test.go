package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

func (f *fixture) letters() []schema.DeadLetter {
	f.Helper()
	letters, err := postgres.NewAdmin(f.Store).DeadLetters(f.Context(), schema.DeadLetterID{}, 100)
	if err != nil {
		f.Fatal(err)
	}
	return letters
}

// replay puts dead letters back, all of them where no ids are given.
func (f *fixture) replay(ids ...schema.DeadLetterID) (n int) {
	f.Helper()
	admin := postgres.NewAdmin(f.Store)
	var err error
	if len(ids) > 0 {
		n, err = admin.Replay(f.Context(), ids)
	} else {
		n, err = admin.ReplayAll(f.Context(), func(int) {})
	}
	if err != nil {
		f.Fatal(err)
	}
	return n
}

func targetFault(d schema.Delivery) schema.Fault {
	held, _ := d.OpenClaim()
	return schema.Fault{Stage: schema.TopicPublish, Subject: schema.Subject{ID: d.Ref.Post, N: d.Ref.N}, Claim: held}
}

func TestATargetThatWeFailOnIsDeadAfterFiveTimesAndReplayedOnce(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	other := f.MustClaim(p, 1)
	for n := range schema.MaxFaults {
		d := f.MustClaim(p, 0)
		if want := map[bool]schema.Step{true: schema.StepPublish, false: schema.StepFind}[n == 0]; d.Step != want {
			t.Fatalf("step %d after %d faults, want %d: a call may have been made", d.Step, n, want)
		}
		if dead := f.Fault(targetFault(d)); dead != (n == schema.MaxFaults-1) {
			t.Fatalf("dead = %t after %d faults", dead, n+1)
		}
		if claimed := f.Claim(p, 0); len(claimed) != 0 {
			t.Fatal("claimed again at once")
		}
		f.Exec(postgrestest.ForPost(p, `update targets set next_at = now() where post_id = '$' and next_at < now() + interval '1 minute'`))
	}
	if claimed := f.Claim(p, 0); len(claimed) != 0 {
		t.Fatal("a dead letter was claimed")
	}
	f.Finish(other, postgrestest.Found("n1"))
	if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
		t.Errorf("the sweep repaired %v of a post with a dead letter", repaired)
	}
	letters := f.letters()
	if len(letters) != 1 || letters[0].Tries != schema.MaxFaults || letters[0].About() != p.ID.String() || !strings.Contains(letters[0].Reason, "planted") {
		t.Fatalf("letters = %+v", letters)
	}
	counts, err := f.Delay.CountDeadLetters(t.Context())
	if err != nil || counts[schema.TopicPublish] != 1 || counts[schema.TopicComment] != 0 {
		t.Errorf("counted %v, %v", counts, err)
	}
	if n := f.replay(letters[0].ID); n != 1 {
		t.Fatalf("replayed %d", n)
	}
	if n := f.replay(); n != 0 || len(f.letters()) != 0 {
		t.Errorf("replayed %d more, %d left", n, len(f.letters()))
	}
	if f.Count(postgrestest.ForPost(p, `select count(*) from jobs where id = '$' and due_at <= now() + interval '1 second'`)) != 1 {
		t.Error("the replay made no job due")
	}
	there := postgrestest.Found("n0")
	there.Verdict = schema.Found
	f.Finish(f.MustClaim(p, 0), there)
	if f.Status(p) != schema.Posted {
		t.Errorf("status %s after the replay", f.Status(p))
	}
}

func TestADeadTargetEndsAtItsDeadline(t *testing.T) {
	for name, tt := range map[string]struct {
		called bool
		code   string
	}{
		"nothing was called":        {false, "missed_deadline"},
		"a call may have been made": {true, "outcome_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.PostOn(1, f.Noon(1))
			p.Targets[0].ChargedOn = schema.DayOf(p.ScheduledFor)
			f.Create(p)
			f.Exec(postgrestest.ForPost(p, `update posts set scheduled_for = now() where id = '$'`))
			x := targetFault(f.MustClaim(p, 0))
			f.Exec(postgrestest.ForPost(p, `update posts set scheduled_for = now() - interval '25 hours' where id = '$'`))
			x.Final, x.Claim.Called = true, tt.called
			if !f.Fault(x) || f.Status(p) != schema.Failed {
				t.Errorf("status %s past the deadline", f.Status(p))
			}
			if f.Count(postgrestest.ForPost(p, `select count(*) from targets where post_id = '$' and error ->> 'code' = '`+tt.code+`'`)) != 1 {
				t.Errorf("it did not end as %s", tt.code)
			}
			if f.Count(postgrestest.ForPost(p, `select count(*) from jobs where id = '$'`)) != 0 {
				t.Error("its job is still there")
			}
			if f.EventTypes()[schema.TargetHasFailed] != 1 {
				t.Error("analytics is not told")
			}
			if told := f.Attempts(p); len(told) != 1 || told[0].Kind != schema.AttemptFailed || told[0].Code != tt.code {
				t.Errorf("the timeline keeps %+v, want its end", told)
			}
			left := 0
			if tt.called {
				left = 1
			}
			if n := f.UnitsUsed(f.Accounts[0], p.Targets[0].ChargedOn); n != left {
				t.Errorf("%d units of its day are taken, want %d", n, left)
			}
		})
	}
}

func TestFaultsOfLongAgoDoNotCount(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(1, 0))
	for range 2 * schema.MaxFaults {
		f.Exec(postgrestest.ForPost(p, `update targets set next_at = now() where post_id = '$'`))
		if f.Fault(targetFault(f.MustClaim(p, 0))) {
			t.Fatal("dead though its faults are hours apart")
		}
		f.Exec(`update dead_letters set failed_at = failed_at - interval '2 hours'`)
	}
}

func TestARowThatCannotBeReadLeavesItsNeighboursAlone(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(3, 0))
	f.Exec(postgrestest.ForPost(p, `update targets set receipts = '"planted"' where post_id = '$' and n = 1`))
	claimed, err := f.Publish.Claim(t.Context(), []schema.TargetRef{
		{Post: p.ID, N: 0, Version: 1}, {Post: p.ID, N: 1, Version: 1}, {Post: p.ID, N: 2, Version: 1},
	})
	if err != nil || len(claimed) != 3 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	for _, d := range claimed {
		if held, err := d.OpenClaim(); (err != nil) != (d.Ref.N == 1) || held.Called != (err == nil) {
			t.Errorf("target %d: %+v, %v", d.Ref.N, held, err)
		}
	}
}

// TestARowThatNobodyCanScanIsSetAside plants a value that the claim itself fails on, after
// it has committed.
func TestARowThatNobodyCanScanIsSetAside(t *testing.T) {
	f := newFixture(t)
	p := f.Create(f.Post(2, 0))
	refs := []schema.TargetRef{{Post: p.ID, N: 0, Version: 1}, {Post: p.ID, N: 1, Version: 1}}
	f.Exec(fmt.Sprintf(`update accounts set expires_at = 'infinity' where id = '%s'`, postgrestest.UUIDText(schema.PostID(f.Accounts[1]))))
	if _, err := f.Publish.Claim(t.Context(), refs); err == nil {
		t.Fatal("claimed what cannot be read")
	}
	if d := f.MustClaim(p, 0); d.Step != schema.StepPublish {
		t.Errorf("the neighbour's step is %d: no call of it was made", d.Step)
	}
	if _, err := f.Publish.Claim(t.Context(), refs[1:]); err == nil {
		t.Fatal("claimed what cannot be read")
	}
	x := schema.Fault{Stage: schema.TopicPublish, Subject: schema.Subject{ID: p.ID, N: 1}, Final: true}
	if !f.Fault(x) || f.Count(`select count(*) from targets where n = 1 and state = 0 and step = 2 and next_at > now() + interval '20 hours'`) != 1 {
		t.Error("it does not rest until its deadline")
	}
	f.Exec(postgrestest.ForPost(p, `update posts set scheduled_for = now() - interval '25 hours' where id = '$'`))
	if f.Fault(x); f.Count(`select count(*) from targets where n = 1 and state = 3`) != 1 {
		t.Error("it did not end past its deadline")
	}
}

func TestARenewalThatNobodyCanScanIsSetAside(t *testing.T) {
	f := newFixture(t)
	store, other := postgres.NewRefresh(f.Store), postgres.NewRefresh(f.Store)
	bad := f.RenewableAccount(2 * time.Hour)
	f.Must(f.Store.AskRenewal(t.Context(), bad))
	good := f.RenewableAccountOf("did:plc:b", 2*time.Hour)
	f.Must(f.Store.AskRenewal(t.Context(), good))
	f.Exec(fmt.Sprintf(`update accounts set expires_at = 'infinity' where id = '%s'`, postgrestest.UUIDText(schema.PostID(bad.ID))))
	both := []schema.RefreshMessage{{Workspace: f.Workspace, Account: bad.ID}, {Workspace: f.Workspace, Account: good.ID}}
	if _, err := store.Claim(t.Context(), both); err == nil {
		t.Fatal("claimed what cannot be read")
	}
	if r := f.ClaimRenewal(store, good); r == nil || !r.Trade {
		t.Errorf("the neighbour's renewal is %+v, want its trade at once", r)
	}
	x := schema.Fault{Stage: schema.TopicRefresh, Subject: schema.Subject{ID: bad.ID}, Final: true}
	if !f.Fault(x) || f.Count(`select count(*) from accounts where renew_lease is null and renew_at > now() + interval '20 hours'`) != 1 {
		t.Error("it does not rest")
	}
	f.Exec(fmt.Sprintf(`update accounts set expires_at = now() + interval '1 hour' where id = '%s'`, postgrestest.UUIDText(schema.PostID(bad.ID))))
	if n := f.replay(); n != 1 {
		t.Errorf("replayed %d", n)
	}
	if r := f.ClaimRenewal(other, bad); r == nil || r.Trade || !r.Open {
		t.Errorf("renewal after the replay = %+v, want a check first: nobody knows of a trade", r)
	}
}

func TestARefusedResultFailsAlone(t *testing.T) {
	f := newFixture(t)
	f.Exec(`create function planted() returns trigger language plpgsql as $$ begin
		if new.receipts::text like '%poison%' then raise exception 'planted'; end if; return new; end $$`)
	f.Exec(`create trigger planted before update on targets for each row execute function planted()`)
	p := f.Create(f.Post(3, 0))
	results := make(chan error, 3)
	for n := range int16(3) {
		d := f.MustClaim(p, n)
		id := map[bool]string{true: "poison", false: "fine"}[n == 1]
		go func() { results <- f.Publish.Finish(t.Context(), d.After(postgrestest.Found(id), f.Store.Now(), 0)) }()
	}
	failed := 0
	for range 3 {
		if err := <-results; err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d results failed, want the poisoned one alone", failed)
	}
}

func TestADeadFirstCommentWaitsForItsReplay(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	d := f.ClaimComment()
	held, _ := d.OpenClaim()
	x := schema.Fault{Stage: schema.TopicComment, Subject: schema.Subject{ID: d.Comment.ID}, Claim: held, Final: true}
	if !f.Fault(x) || f.Count(`select count(*) from jobs where due_at < now() + interval '20 hours'`) != 0 {
		t.Fatal("a dead comment still has a job that is due")
	}
	if postgrestest.Sum(f.Sweep()) != 0 || f.replay() != 1 {
		t.Error("swept, or not replayed")
	}
	f.DeleteCollections()
	if d := f.ClaimComment(); d.Step != schema.StepFind {
		t.Errorf("step %d, want a look for what may be there", d.Step)
	}
	f.Exec(`update comments set id = overlay(id::text placing '01900000-0000' from 1 for 13)::uuid`) // of 2024
	f.Exec(`update jobs set id = (select id from comments)`)
	x.Subject.ID, x.Claim.Claim = f.Jobs()[0].ID, 2
	if f.Fault(x); f.Count(`select count(*) from comments where state = 3 and error ->> 'code' = 'outcome_unknown'`) != 1 {
		t.Error("it did not end past its deadline")
	}
	if told := f.Attempts(p); len(told) != 1 || told[0].Kind != schema.AttemptFailed || told[0].Code != "outcome_unknown" || told[0].Comment != 0 {
		t.Errorf("the timeline keeps %+v, want its end", told)
	}
}

func TestADeadDeliveryFailsUntilItsReplay(t *testing.T) {
	f := newFixture(t)
	m := f.NewDelivery()
	claimed, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{m.Delivery})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	held, _ := claimed[0].OpenClaim()
	value, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	x := schema.Fault{Stage: schema.TopicNotify, Subject: m.Subject(), Claim: held, Final: true, Message: schema.LogMessage{Key: m.Webhook[:], Value: value}}
	if !f.Fault(x) || f.Count(`select count(*) from deliveries where state = 3`) != 1 || f.Count(`select count(*) from jobs where kind = 3`) != 0 {
		t.Fatal("it did not fail")
	}
	if f.replay() != 1 || f.Count(`select count(*) from jobs where kind = 3 and due_at <= now()`) != 1 {
		t.Fatal("it was not replayed")
	}
	f.Deliver(m, schema.DeliveryDelivered)
	if f.Count(`select count(*) from deliveries where state = 2`) != 1 {
		t.Error("it was not delivered after the replay")
	}
}

func TestDeadEventsLeaveTheOutboxAndComeBack(t *testing.T) {
	for stage, mark := range map[string]string{schema.StageExpand: "1", schema.StageAnalytics: "2"} {
		t.Run(stage, func(t *testing.T) {
			f := newFixture(t)
			f.Create(f.Post(1, 0))
			batch := f.Events()[0]
			owed := `select count(*) from outbox where owed & ` + mark + ` <> 0`
			x := schema.Fault{Stage: stage, Subject: schema.Subject{ID: batch.ID}, Message: schema.LogMessage{Topic: schema.TopicEvents, Key: batch.ID[:]}}
			for n := range schema.MaxFaults {
				if f.Count(owed) != 1 {
					t.Fatalf("not owed any more after %d faults", n)
				}
				f.Fault(x)
			}
			if f.Count(owed) != 0 || f.Count(`select count(*) from outbox`) != 1 {
				t.Fatal("still owed, or gone for the other stage")
			}
			if f.replay() != 1 || f.Count(owed) != 1 {
				t.Error("not owed after the replay")
			}
		})
	}
}

func TestAnUnreadableMessageIsKeptOnceAndWrittenAgain(t *testing.T) {
	f := newFixture(t)
	x := schema.Fault{Stage: schema.StageExpand, Subject: schema.Subject{ID: [16]byte{1}}, Message: schema.LogMessage{Topic: schema.TopicEvents, Partition: 2, Key: []byte("k")}}
	for range 3 {
		if !f.Fault(x) {
			t.Fatal("tried again, though nothing brings it again")
		}
	}
	letters := f.letters()
	if len(letters) != 1 || !letters[0].Unreadable || letters[0].Tries != 3 {
		t.Fatalf("letters = %+v", letters)
	}
	if f.replay() != 1 {
		t.Fatal("not replayed")
	}
	var written []schema.LogMessage
	for range 2 {
		err := f.Delay.Rewrite(t.Context(), func(_ context.Context, m schema.LogMessage) error {
			written = append(written, m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(written) != 1 || written[0].Topic != schema.TopicEvents || written[0].Partition != 2 || string(written[0].Key) != "k" || string(written[0].Value) != "{" {
		t.Errorf("written = %+v", written)
	}
}
