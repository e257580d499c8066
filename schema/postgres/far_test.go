package postgres_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/backup"
)

// full reports whether tests run at their full size.
func full() bool { return os.Getenv("CRIER_TEST_FULL") != "" }

// soonNear is when a far job is due that Promote takes.
const soonNear = 24*time.Hour + 5*time.Minute

// uncapped is a post to an account that has no other.
func (f *fixture) uncapped(in time.Duration) schema.Post {
	p := f.post(1, in)
	p.Targets[0].Account = schema.NewAccountID(f.store.Now())
	return p
}

// wantOneJobEach fails where a job is of an older version of its post, or a scheduled post
// has no job.
func (f *fixture) wantOneJobEach() {
	f.Helper()
	if n := f.count(`select count(*) from jobs j join posts p on p.id = j.id where j.version <> p.version or p.status <> 2`); n > 0 {
		f.Errorf("%d near jobs are of old versions", n)
	}
	if n := f.count(`
		select count(*) from posts p where p.status = 2 and 1 <> (
			select count(*) from (select id, version from jobs union all select id, version from jobs_far) j where j.id = p.id and j.version = p.version
		)`); n > 0 {
		f.Errorf("%d posts have not one job", n)
	}
}

func TestPromotionsRaceEdits(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	posts := 200
	if full() {
		posts = 10_000
	}
	work := make(chan schema.Post, posts)
	for range posts {
		work <- f.create(f.uncapped(soonNear))
	}
	close(work)
	var editing, promoting sync.WaitGroup
	for range 4 {
		editing.Go(func() {
			for p := range work {
				if err := f.change(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	moved := 0
	promoting.Go(func() {
		for ctx.Err() == nil {
			n, _, err := f.delay.Promote(t.Context())
			if moved += n; err != nil {
				t.Error(err)
				return
			}
		}
	})
	editing.Wait()
	stop()
	promoting.Wait()
	f.chore(f.delay.Promote)
	f.wantOneJobEach()
	t.Logf("%d changed posts, %d jobs promoted", posts, moved)
}

// change cancels a post or gives it another time, at random.
func (f *fixture) change(p schema.Post) error {
	if rand.IntN(4) == 0 {
		_, err := f.gateway.Delete(f.Context(), f.workspace, p.ID)
		return err
	}
	to := []time.Duration{time.Hour, soonNear, soonNear + time.Minute, 40 * 24 * time.Hour}[rand.IntN(4)]
	_, err := f.gateway.Update(f.Context(), f.workspace, p.ID, func(p *schema.Post) error {
		p.ScheduledFor = f.store.Now().Add(to)
		return nil
	})
	return err
}

func TestAFarJobOfADayWithoutAPartitionStandsInTheNearTable(t *testing.T) {
	f := newFixture(t)
	f.create(f.post(1, 40*24*time.Hour)) // nobody has made any
	f.wantOneJobEach()
	if n := f.count(`select count(*) from jobs`); n != 1 {
		t.Errorf("%d near jobs, want the far one", n)
	}
}

// TestABackupOverMidnight has a day begin, and others be over, while a backup reads the far
// jobs: creation goes on as if nothing were. Two processes keep the days at the same time.
func TestABackupOverMidnight(t *testing.T) {
	f := newFixture(t)
	f.chore(f.delay.MakePartitions)
	left := f.create(f.post(1, soonNear)) // a job that nobody has promoted, when its day is over
	lastDay := func() int {
		return f.count(`select max(right(relname, 8)::int) from pg_class where relname ~ '^jobs_far_\d{8}$'`)
	}
	days := func() int { return f.count(`select count(*) from pg_class where relname ~ '^jobs_far_\d{8}$'`) }
	partitions := func() int { return f.count(`select count(*) from pg_class where relkind = 'r' and relispartition`) }
	before := lastDay()
	f.shiftClock(5 * 24 * time.Hour)
	delay := postgres.NewDelay(f.anotherProcess())
	processes := []*postgres.Delay{delay, postgres.NewDelay(f.anotherProcess())}
	both := func(do func(*postgres.Delay) int) (rows int) {
		done := make(chan int)
		for _, p := range processes {
			go func() { done <- do(p) }()
		}
		return <-done + <-done
	}
	pending := func() int { return f.count(`select count(*) from pg_inherits where inhdetachpending`) }
	_, err := backup.Backup(t.Context(), f.url, func(table string) (io.Writer, error) {
		if table != "posts" { // it has read the far jobs by now
			return io.Discard, nil
		}
		ctx, stop := context.WithCancel(t.Context())
		stalled := make(chan time.Duration)
		go func() { stalled <- f.createAlong(ctx) }()
		if full() {
			time.Sleep(10 * time.Second)
		}
		began, daysBefore, partitionsBefore := time.Now(), days(), partitions()
		n := both(func(p *postgres.Delay) int { return f.chore(p.MakePartitions) })
		if made := days() - daysBefore; made != 5 || n != partitions()-partitionsBefore { // those of a month, too, late in one
			t.Errorf("%d days were made, want 5, and %d partitions of %d said to be", made, partitions()-partitionsBefore, n)
		}
		for range 3 {
			if n := both(func(p *postgres.Delay) int {
				n, _, _ := p.DropPartitions(t.Context()) // it fails, or leaves it to the other
				return n
			}); n > 0 || pending() != 1 {
				t.Errorf("%d days were dropped that a backup reads, and the detaching of %d was cut off, want one", n, pending())
			}
		}
		t.Logf("made partitions and tried to drop others within %v", time.Since(began))
		if full() {
			time.Sleep(20 * time.Second)
		}
		stop()
		longest := <-stalled
		if t.Logf("the longest creation took %v", longest); longest > time.Second || full() && longest > 200*time.Millisecond {
			t.Errorf("a creation took %v", longest)
		}
		return io.Discard, nil
	})
	f.must(err)
	if after := lastDay(); after <= before {
		t.Errorf("the last day is %d, and was %d before", after, before)
	}
	all := days()
	if n := both(func(p *postgres.Delay) int { return f.chore(p.DropPartitions) }); n != 3 || all-days() != 3 || pending() != 0 {
		t.Errorf("%d days were dropped, and %d are gone, want the three that are past and empty", n, all-days())
	}
	if n := f.chore(delay.Promote); n != 1 || f.count(`select count(*) from jobs where id = '`+uuidText(left.ID)+`'`) != 1 {
		t.Errorf("%d jobs were promoted, want the one that was left", n)
	}
	if n := f.chore(delay.DropPartitions); n != 1 {
		t.Errorf("%d days were dropped, want the one that was emptied", n)
	}
}

// createAlong creates far posts until ctx ends, 1,000 a second at full size, and returns how
// long the longest creation took.
func (f *fixture) createAlong(ctx context.Context) (longest time.Duration) {
	every := 20 * time.Millisecond
	if full() {
		every = time.Millisecond
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var mu sync.Mutex
	var creating sync.WaitGroup
	n := 0
	for ; ctx.Err() == nil; <-ticker.C {
		n++
		in := time.Duration(n%79+10) * 24 * time.Hour
		creating.Go(func() {
			began := time.Now()
			p := f.uncapped(in)
			if _, err := f.gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}}); err != nil {
				f.Error(fmt.Errorf("creating beside a backup: %w", err))
			}
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, time.Since(began))
		})
	}
	creating.Wait()
	f.Logf("%d creations", n)
	return longest
}
