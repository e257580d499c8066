package postgres_test

import (
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

func TestAJumpOfTheClockLeavesACallItsLease(t *testing.T) {
	f := newFixture(t)
	f.ShiftClock(0)
	mine, others := postgres.NewPublish(f.OpenProcess(), postgrestest.Constraints), postgres.NewPublish(f.OpenProcess(), postgrestest.Constraints)
	p := f.Create(f.Post(2, 0))
	ref := schema.TargetRef{Post: p.ID, Version: p.Version}
	if got, err := mine.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 {
		t.Fatalf("claimed %+v, %v", got, err)
	}
	f.ShiftClock(10 * time.Minute)
	if got, err := others.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) > 0 {
		t.Errorf("while the call may be in hand another process claimed %+v, %v", got, err)
	}
	ref.N = 1
	if got, err := others.Claim(t.Context(), []schema.TargetRef{ref}); err != nil || len(got) != 1 {
		t.Errorf("claimed %+v, %v of what is free", got, err)
	}
}

// Two processes see an hour ahead, and back: by none of them is anything due for it.
func TestWhatIsDueByAJumpAloneWaits(t *testing.T) {
	f := newFixture(t)
	f.ShiftClock(0)
	stores := []*postgres.Store{f.OpenProcess(), f.OpenProcess()}
	p := f.Create(f.Post(1, 0))
	waits := f.MustClaim(p, 0)
	f.Finish(waits, schema.Outcome{Err: &schema.Error{Kind: schema.RateLimited, Message: "wait", RetryAfter: 10 * time.Minute}})
	f.Create(f.Post(1, 10*time.Minute))
	ref := schema.TargetRef{Post: p.ID, Version: p.Version}
	for _, jump := range []time.Duration{time.Hour, 0, -time.Hour, 0} {
		f.ShiftClock(jump)
		for _, store := range stores {
			f.Must(store.Clock.Sync(t.Context()))
			delay := postgres.NewDelay(store)
			want := min(jump, 0) // back it is followed at once
			if server, due := store.Now().Sub(f.Store.Now()), delay.Now().Sub(f.Store.Now()); (server-jump).Abs() > 5*time.Second || (due-want).Abs() > 5*time.Second {
				t.Errorf("by a clock %v ahead what is due at %v ahead fires, want %v", server, due, want)
			}
			claimed, err := postgres.NewPublish(store, postgrestest.Constraints).Claim(t.Context(), []schema.TargetRef{ref})
			if err != nil || len(claimed) != 0 {
				t.Errorf("%v ahead, what waits for ten minutes was claimed: %+v, %v", jump, claimed, err)
			}
			overdue, err := delay.Overdue(t.Context(), postgrestest.AllShards())
			if err != nil || overdue.Oldest < 0 || overdue.Oldest > time.Minute {
				t.Errorf("%v ahead, the oldest is %v late, %v", jump, overdue.Oldest, err)
			}
		}
	}
}

// What was noted while the clock was ahead makes no figure negative once it is back.
func TestNothingIsLessThanNotOverdue(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, 0))
	f.Exec(`update jobs set overdue_since = now() + interval '1 hour', due_at = now() + interval '1 hour'`)
	f.Exec(`update posts set scheduled_for = now() + interval '57 minutes'`)
	if overdue := f.Overdue(); overdue.Oldest != 0 {
		t.Errorf("the oldest is %v late", overdue.Oldest)
	}
}
