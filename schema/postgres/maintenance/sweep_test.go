package maintenance_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

func TestASweepRepairsWhatShouldNotBe(t *testing.T) {
	for name, tt := range map[string]struct {
		kind   string
		inject string // $ is the post, which has one claimed target
		healed string // counts to 1 afterwards
	}{
		"a post without its job": {
			"post_without_job", `delete from jobs where id = '$'`,
			`select count(*) from jobs where id = '$' and due_at <= now() + interval '1 second'`,
		},
		"a retried post of long ago without its job": {
			"post_without_job",
			`with gone as (delete from jobs where id = '$') update posts set scheduled_for = now() - interval '90 days', retried_for = now() where id = '$'`,
			`select count(*) from jobs where id = '$'`,
		},
		"a post whose job is of another version": {
			"post_with_job_of_another_version", `update jobs set version = 7 where id = '$'`,
			`select count(*) from jobs j join posts p on p.id = j.id and p.version = j.version where p.id = '$'`,
		},
		"a post whose job does not name its target": {
			"post_with_job_of_another_version", `update targets set n = 1 where post_id = '$'`,
			`select count(*) from jobs where id = '$' and json_array_length(payload -> 'accounts') = 2`,
		},
		"counters that disagree": {
			"counters_disagree", `update posts set posted_n = 7 where id = '$'`,
			`select count(*) from posts where id = '$' and posted_n = 0 and left_n = 1`,
		},
		"a post that goes on after its last target": {
			"counters_disagree", `update targets set state = 2 where post_id = '$'`,
			`select count(*) from posts p where id = '$' and status = 4 and left_n = 0 and posted_n = 1
				and not exists (select from jobs j where j.id = p.id)`,
		},
		"a lease that is over and nobody looks": {
			"lease_over_and_no_job_due",
			`with far as (update jobs set due_at = now() + interval '5 hours' where id = '$')
				update targets set lease_until = now() - interval '3 minutes' where post_id = '$'`,
			`select count(*) from jobs where id = '$' and due_at <= now() + interval '1 second'`,
		},
		"a post that waits since the clock was ahead": {
			"clock_was_ahead",
			`with far as (update jobs set due_at = now() + interval '1 hour' where id = '$'),
				touched as (update posts set updated_at = now() + interval '1 hour' where id = '$')
				update targets set state = 0, lease_until = null, next_at = now() + interval '1 hour' where post_id = '$'`,
			`select count(*) from jobs j join targets t on t.post_id = j.id join posts p on p.id = j.id
				where j.id = '$' and j.due_at <= now() + interval '1 second' and t.next_at <= now() + interval '1 second' and p.updated_at <= now()`,
		},
		"a post that was begun while the clock was ahead, before its time": {
			"clock_was_ahead",
			`with far as (update jobs set due_at = now() + interval '1 hour', overdue_since = now() + interval '1 hour' where id = '$'),
				touched as (update posts set updated_at = now() + interval '1 hour', scheduled_for = now() + interval '1 hour' where id = '$')
				update targets set state = 0, lease_until = null, next_at = now() + interval '1 hour' where post_id = '$'`,
			`select count(*) from jobs j join targets t on t.post_id = j.id
				where j.id = '$' and j.due_at <= now() + interval '1 second' and t.next_at <= now() + interval '1 second'`,
		},
		"a claim for longer than any": {
			"clock_was_ahead", `update targets set lease_until = now() + interval '1 hour' where post_id = '$'`,
			`select count(*) from targets where post_id = '$' and lease_until <= now() + interval '5 minutes'`,
		},
		"a job that is due long after what it waits for": {
			"clock_was_ahead",
			`with far as (update jobs set due_at = now() + interval '1 hour' where id = '$') update targets set state = 0, lease_until = null where post_id = '$'`,
			`select count(*) from jobs where id = '$' and due_at <= now() + interval '1 second'`,
		},
		"a job without its post": {
			"job_without_its_post",
			`with gone as (delete from posts where id = '$') update jobs set overdue_since = now() where id = '$'`,
			`select 1 - count(*) from jobs where id = '$'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.Create(f.Post(1, 0))
			f.MustClaim(p, 0)
			if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
				t.Fatalf("a sweep of what is whole repaired %v", repaired)
			}
			f.Exec(postgrestest.ForPost(p, tt.inject))
			if repaired := f.Sweep(); repaired[tt.kind] != 1 || postgrestest.Sum(repaired) != 1 {
				t.Errorf("repaired %v, want one %s", repaired, tt.kind)
			}
			if f.Count(postgrestest.ForPost(p, tt.healed)) != 1 {
				t.Error("it is not repaired")
			}
			if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
				t.Errorf("a second sweep repaired %v", repaired)
			}
		})
	}
}

func TestASweepGivesFirstCommentsTheirJob(t *testing.T) {
	f := newFixture(t)
	p := f.Post(1, 0)
	p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
	f.Create(p)
	f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
	f.Exec(`delete from jobs`)
	if repaired := f.Sweep(); repaired["comment_without_job"] != 1 || postgrestest.Sum(repaired) != 1 {
		t.Fatalf("repaired %v, want the comment's job", repaired)
	}
	f.DeleteCollections()
	if d := f.ClaimComment(); d.Comment.Text != "first" {
		t.Errorf("claimed %+v", d)
	}
}

func TestASweepGivesDeliveriesTheirJob(t *testing.T) {
	f := newFixture(t)
	m := f.NewDelivery()
	f.Exec(`delete from jobs where kind = 3`)
	if repaired := f.Sweep(); repaired["delivery_without_job"] != 1 || postgrestest.Sum(repaired) != 1 {
		t.Fatalf("repaired %v, want the delivery's job", repaired)
	}
	f.Deliver(m, schema.DeliveryDelivered)
	if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
		t.Errorf("a second sweep repaired %v", repaired)
	}
}

func TestASweepGivesRenewalsTheirJob(t *testing.T) {
	f := newFixture(t)
	f.Exec(`update accounts set renew_at = now() where id = '` + postgrestest.AccountUUIDText(f.Accounts[0]) + `'`)
	if repaired := f.Sweep(); repaired["renewal_without_job"] != 1 || postgrestest.Sum(repaired) != 1 {
		t.Fatalf("repaired %v, want the renewal's job", repaired)
	}
	if f.Count(`select count(*) from jobs where kind = 4 and due_at <= now() and payload ->> 'account' <> ''`) != 1 {
		t.Error("the account has no job that is due")
	}
	if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
		t.Errorf("a second sweep repaired %v", repaired)
	}
}

func TestASweepWakesWhatIsLeasedAndForgotten(t *testing.T) {
	for name, claim := range map[string]func(*fixture){
		"a first comment": func(f *fixture) {
			p := f.Post(1, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
			f.ClaimComment()
		},
		"a delivery": func(f *fixture) {
			m := f.NewDelivery()
			if claimed, err := f.Notify.Claim(f.Context(), []schema.DeliveryID{m.Delivery}); err != nil || len(claimed) != 1 {
				f.Fatalf("claimed %d, %v", len(claimed), err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			claim(f)
			f.Exec(`update comments set lease_until = now() - interval '3 minutes'`)
			f.Exec(`update deliveries set lease_until = now() - interval '3 minutes'`)
			f.Exec(`update jobs set due_at = now() + interval '5 hours' where kind in (2, 3)`)
			if repaired := f.Sweep(); repaired["lease_over_and_no_job_due"] != 1 || postgrestest.Sum(repaired) != 1 {
				t.Fatalf("repaired %v, want its job", repaired)
			}
			if f.Count(`select count(*) from jobs where kind in (2, 3) and due_at <= now()`) != 1 {
				t.Error("it is not due")
			}
			if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
				t.Errorf("a second sweep repaired %v", repaired)
			}
		})
	}
}

func TestASweepPullsInWhatWaitsSinceTheClockWasAhead(t *testing.T) {
	for name, make := range map[string]func(*fixture) (ahead string){
		"a first comment": func(f *fixture) string {
			p := f.Post(1, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
			return `select 1`
		},
		"a first comment's claim": func(f *fixture) string {
			p := f.Post(1, 0)
			p.Content.FirstComments = []schema.FirstComment{{Target: 0, Text: "first"}}
			f.Create(p)
			f.Finish(f.MustClaim(p, 0), postgrestest.Found("n0"))
			f.ClaimComment()
			return `update comments set lease_until = now() + interval '1 hour'`
		},
		"a delivery": func(f *fixture) string {
			f.NewDelivery()
			return `select 1`
		},
		"a delivery's claim": func(f *fixture) string {
			m := f.NewDelivery()
			if claimed, err := f.Notify.Claim(f.Context(), []schema.DeliveryID{m.Delivery}); err != nil || len(claimed) != 1 {
				f.Fatalf("claimed %d, %v", len(claimed), err)
			}
			return `update deliveries set lease_until = now() + interval '1 hour'`
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			ahead := make(f)
			if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
				t.Fatalf("a sweep of what is whole repaired %v", repaired)
			}
			f.Exec(ahead)
			f.Exec(`update jobs set due_at = now() + interval '1 hour' where kind in (2, 3)`)
			if repaired := f.Sweep(); repaired["clock_was_ahead"] != 1 || postgrestest.Sum(repaired) != 1 {
				t.Fatalf("repaired %v, want what is ahead", repaired)
			}
			if f.Count(`select count(*) from jobs where kind in (2, 3) and due_at <= now()`) != 1 {
				t.Error("it is not due")
			}
			if n := f.Count(`select count(*) from deliveries where lease_until > now() + interval '1 minute'`) +
				f.Count(`select count(*) from comments where lease_until > now() + interval '1 minute'`); n != 0 {
				t.Error("it is claimed for longer than any")
			}
			if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
				t.Errorf("a second sweep repaired %v", repaired)
			}
		})
	}
}

// scatter makes n workspaces with some posts each, all due for an hour and without a job.
func (f *fixture) scatter(workspaces, each int) {
	f.Helper()
	f.Exec(fmt.Sprintf(`
		with w as (
			insert into workspaces (id, name, plan) select uuidv7(), uuidv7()::text, 'operator' from generate_series(1, %d) n returning id
		), p as (
			insert into posts (id, workspace_id, status, scheduled_for, timezone, from_api, platforms, content, left_n, created_at, updated_at)
			select uuidv7(), w.id, 2, date_trunc('hour', now()) - interval '1 hour' - n %% 3 * interval '1 second', 'UTC', true, 1, '{"entries": [{"text": "x"}]}', 1, now(), now()
			from w, generate_series(1, %d) n returning id
		)
		insert into targets (post_id, n, version, account_id, platform, step) select id, 0, 1, '%s', 1, 0 from p`, workspaces, each, postgrestest.AccountUUIDText(f.Accounts[0])))
}

func TestASweepGoesOnWhereAChunkHasEnded(t *testing.T) {
	f := newFixture(t)
	f.scatter(7, 300)
	f.scatter(1, 1500)
	const all = 7*300 + 1500
	other := postgres.NewDelay(f.OpenProcess())
	repaired, chunks := 0, 0
	for more := true; more; chunks++ {
		by := []*postgres.Delay{f.Delay, other}[chunks%2]
		kinds, goesOn, err := by.Sweep(t.Context(), schema.SweepPosts)
		f.Must(err)
		if n := kinds["post_without_job"]; n != postgrestest.Sum(kinds) || n > 500 {
			t.Fatalf("a chunk repaired %v", kinds)
		}
		repaired, more = repaired+postgrestest.Sum(kinds), goesOn
		if chunks == 0 { // what is stuck since some minutes is not behind the others
			stuck := f.Create(f.Post(1, -time.Minute))
			f.Exec(postgrestest.ForPost(stuck, `delete from jobs where id = '$'`))
			if kinds, _, err := f.Delay.Sweep(t.Context(), schema.SweepRecentPosts); err != nil || kinds["post_without_job"] != 1 {
				t.Errorf("the pass over recent posts repaired %v, %v", kinds, err)
			}
		}
	}
	if repaired != all || chunks != 8 {
		t.Errorf("%d repairs in %d chunks, want %d in 8", repaired, chunks, all)
	}
	if n := f.Count(`select count(*) from posts p join jobs j on j.id = p.id and j.version = p.version where j.due_at <= now()`); n != all+1 {
		t.Errorf("%d posts have their job", n)
	}
	f.Exec(`delete from jobs`)
	if kinds, more, err := other.Sweep(t.Context(), schema.SweepPosts); err != nil || more || postgrestest.Sum(kinds) > 0 {
		t.Errorf("a pass began right after another: %v, %v", kinds, err)
	}
	f.Exec(`update sweeps set ended_at = ended_at - interval '6 seconds'`)
	if kinds, more, err := other.Sweep(t.Context(), schema.SweepPosts); err != nil || !more || postgrestest.Sum(kinds) != 500 {
		t.Errorf("the next pass began with %v, %v", kinds, err)
	}
}

func TestASweepReadsOnOverWhatHasEnded(t *testing.T) {
	f := newFixture(t)
	f.scatter(1, 1200)
	f.Exec(`
		with ended as (update posts set status = 4, left_n = 0, posted_n = 1 where id <> (select id from posts order by id limit 1) returning id)
		update targets set state = 2 where post_id in (select id from ended)`)
	if kinds, more, err := f.Delay.Sweep(t.Context(), schema.SweepPosts); err != nil || more || kinds["post_without_job"] != 1 {
		t.Errorf("the first chunk repaired %v, %v, and there is more: %v", kinds, err, more)
	}
}

func TestRecentPostsAreSweptWhileAPassOverAllIsSlow(t *testing.T) {
	f := newFixture(t)
	f.Sweep()
	stuck := f.Create(f.Post(1, -time.Minute))
	f.Exec(postgrestest.ForPost(stuck, `delete from jobs where id = '$'`))
	f.Exec(`update sweeps set began_at = began_at - interval '6 seconds', ended_at = ended_at - interval '6 seconds'`)
	for _, tt := range []struct{ took, repaired int }{{0, 0}, {40, 1}} {
		f.Exec(fmt.Sprintf(`update sweeps set began_at = ended_at - interval '%d seconds' where name = 'posts'`, tt.took))
		if kinds, _, err := f.Delay.Sweep(t.Context(), schema.SweepRecentPosts); err != nil || kinds["post_without_job"] != tt.repaired {
			t.Errorf("after a pass of %d s over all posts that over recent ones repaired %v, %v", tt.took, kinds, err)
		}
	}
}

func TestASweepLeavesTheFutureAlone(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, 20*time.Minute))
	f.Create(f.Post(1, 48*time.Hour))
	failed := f.Create(f.Post(1, 0))
	f.Finish(f.MustClaim(failed, 0), schema.Outcome{Err: &schema.Error{Kind: schema.Refused}})
	f.Retry(failed, 30*time.Hour)
	if repaired := f.Sweep(); postgrestest.Sum(repaired) != 0 {
		t.Errorf("repaired %v", repaired)
	}
}
