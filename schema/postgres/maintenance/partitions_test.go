package maintenance_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/backup"
	"crier/schema/postgres/postgrestest"
)

func TestAFarJobOfADayWithoutAPartitionStandsInTheNearTable(t *testing.T) {
	f := newFixture(t)
	f.Create(f.Post(1, 40*24*time.Hour)) // nobody has made any
	f.wantOneJobEach()
	if n := f.Count(`select count(*) from jobs`); n != 1 {
		t.Errorf("%d near jobs, want the far one", n)
	}
}

// TestABackupOverMidnight has a day begin, and others be over, while a backup reads the far
// jobs: creation goes on as if nothing were. Two processes keep the days at the same time.
func TestABackupOverMidnight(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	left := f.Create(f.Post(1, soonNear)) // a job that nobody has promoted, when its day is over
	lastDay := func() int {
		return f.Count(`select max(right(relname, 8)::int) from pg_class where relname ~ '^jobs_far_\d{8}$'`)
	}
	days := func() int { return f.Count(`select count(*) from pg_class where relname ~ '^jobs_far_\d{8}$'`) }
	partitions := func() int { return f.Count(`select count(*) from pg_class where relkind = 'r' and relispartition`) }
	before := lastDay()
	f.ShiftClock(5 * 24 * time.Hour)
	delay := postgres.NewDelay(f.OpenProcess())
	processes := []*postgres.Delay{delay, postgres.NewDelay(f.OpenProcess())}
	both := func(do func(*postgres.Delay) int) (rows int) {
		done := make(chan int)
		for _, p := range processes {
			go func() { done <- do(p) }()
		}
		return <-done + <-done
	}
	pending := func() int { return f.Count(`select count(*) from pg_inherits where inhdetachpending`) }
	_, err := backup.Backup(t.Context(), f.URL, func(table string) (io.Writer, error) {
		if table != "posts" { // it has read the far jobs by now
			return io.Discard, nil
		}
		ctx, stop := context.WithCancel(t.Context())
		stalled := make(chan time.Duration)
		go func() { stalled <- f.createAlong(ctx) }()
		if postgrestest.FullSize() {
			time.Sleep(10 * time.Second)
		}
		began, daysBefore, partitionsBefore := time.Now(), days(), partitions()
		n := both(func(p *postgres.Delay) int { return f.RunChore(p.MakePartitions) })
		if added := days() - daysBefore; added != 5 || n != partitions()-partitionsBefore { // those of a month, too, late in one
			t.Errorf("%d days were made, want 5, and %d partitions of %d said to be", added, partitions()-partitionsBefore, n)
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
		if postgrestest.FullSize() {
			time.Sleep(20 * time.Second)
		}
		stop()
		longest := <-stalled
		if t.Logf("the longest creation took %v", longest); longest > time.Second || postgrestest.FullSize() && longest > 200*time.Millisecond {
			t.Errorf("a creation took %v", longest)
		}
		return io.Discard, nil
	})
	f.Must(err)
	if after := lastDay(); after <= before {
		t.Errorf("the last day is %d, and was %d before", after, before)
	}
	all := days()
	if n := both(func(p *postgres.Delay) int { return f.RunChore(p.DropPartitions) }); n != 3 || all-days() != 3 || pending() != 0 {
		t.Errorf("%d days were dropped, and %d are gone, want the three that are past and empty", n, all-days())
	}
	if n := f.RunChore(delay.Promote); n != 1 || f.Count(`select count(*) from jobs where id = '`+postgrestest.UUIDText(left.ID)+`'`) != 1 {
		t.Errorf("%d jobs were promoted, want the one that was left", n)
	}
	if n := f.RunChore(delay.DropPartitions); n != 1 {
		t.Errorf("%d days were dropped, want the one that was emptied", n)
	}
}

// createAlong creates far posts until ctx ends, 1,000 a second at full size, and returns how
// long the longest creation took.
func (f *fixture) createAlong(ctx context.Context) (longest time.Duration) {
	every := 20 * time.Millisecond
	if postgrestest.FullSize() {
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
			p := f.UncappedPost(in)
			if _, err := f.Gateway.Create(f.Context(), schema.Creation{Posts: []schema.Post{p}}); err != nil {
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
