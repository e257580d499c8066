package maintenance_test

import (
	"testing"
	"time"

	"crier/schema"
)

func TestWhatIsObserved(t *testing.T) {
	f := newFixture(t)
	observe := func() schema.Observation {
		o, err := f.Delay.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := observe(); o.OldestEvents != 0 || o.Accounts[schema.Mastodon] != (schema.AccountCounts{Connected: 3}) {
		t.Errorf("of a quiet system: %+v", o)
	}
	began := time.Now()
	f.Create(f.Post(1, time.Hour))
	time.Sleep(50 * time.Millisecond)
	f.Create(f.Post(1, time.Hour))
	f.Exec(`update accounts set needs_reconnect = true where native_id = '0'`)
	f.Exec(`update accounts set disconnected_at = now() where native_id = '1'`)
	o := observe()
	if o.OldestEvents < 50*time.Millisecond || o.OldestEvents > time.Since(began)+time.Second {
		t.Errorf("the oldest events are %s old, want the age of the first post", o.OldestEvents)
	}
	if got := o.Accounts[schema.Mastodon]; got != (schema.AccountCounts{Connected: 2, NeedReconnect: 1}) {
		t.Errorf("accounts %+v, want one good, one to be reconnected, and not the disconnected one", got)
	}
}

func TestWhatIsOverdueIsFoundWithoutReadingAllThatWas(t *testing.T) {
	f := newFixture(t)
	unfired := func(age string) {
		f.Exec(`delete from jobs`)
		f.Exec(`insert into jobs (id, kind, shard, due_at, payload) values (uuidv7(), 1, 3, now() - interval '` + age + `', '{}')`)
		f.Exec(`insert into jobs (id, kind, shard, due_at, payload) values (uuidv7(), 3, 3, now() - interval '1 day', '{}')`) // of a receiver that is slow
	}
	want := func(what string, minimum time.Duration) {
		t.Helper()
		if o := f.Overdue(); o.Oldest < minimum || o.Oldest > minimum+time.Minute {
			t.Errorf("%s: the oldest is %s late, want %s", what, o.Oldest, minimum)
		}
	}
	unfired("1 hour")
	want("at first", time.Hour)
	want("and again", time.Hour)
	f.Exec(`delete from jobs`)
	want("with nothing left", 0)
	unfired("10 seconds")
	want("one that came since", 10*time.Second)
	unfired("1 hour")
	if o, err := f.Delay.Overdue(t.Context(), []int16{3}); err != nil || o.Oldest < time.Hour {
		t.Errorf("of other shards: %+v, %v, want the one of an hour ago", o, err)
	}
}
