package maintenance_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

// soonNear is when a far job is due that Promote takes.
const soonNear = 24*time.Hour + 5*time.Minute

// wantOneJobEach fails where a job is of an older version of its post, or a scheduled post
// has no job.
func (f *fixture) wantOneJobEach() {
	f.Helper()
	if n := f.Count(`select count(*) from jobs j join posts p on p.id = j.id where j.version <> p.version or p.status <> 2`); n > 0 {
		f.Errorf("%d near jobs are of old versions", n)
	}
	if n := f.Count(`
		select count(*) from posts p where p.status = 2 and 1 <> (
			select count(*) from (select id, version from jobs union all select id, version from jobs_far) j where j.id = p.id and j.version = p.version
		)`); n > 0 {
		f.Errorf("%d posts have not one job", n)
	}
}

func TestPromotionsRaceEdits(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	posts := 200
	if postgrestest.FullSize() {
		posts = 10_000
	}
	work := make(chan schema.Post, posts)
	for range posts {
		work <- f.Create(f.UncappedPost(soonNear))
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
			n, _, err := f.Delay.Promote(t.Context())
			if moved += n; err != nil {
				t.Error(err)
				return
			}
		}
	})
	editing.Wait()
	stop()
	promoting.Wait()
	f.RunChore(f.Delay.Promote)
	f.wantOneJobEach()
	t.Logf("%d changed posts, %d jobs promoted", posts, moved)
}

// change cancels a post or gives it another time, at random.
func (f *fixture) change(p schema.Post) error {
	if rand.IntN(4) == 0 {
		_, err := f.Gateway.Delete(f.Context(), f.Workspace, p.ID)
		return err
	}
	to := []time.Duration{time.Hour, soonNear, soonNear + time.Minute, 40 * 24 * time.Hour}[rand.IntN(4)]
	_, err := f.Gateway.Update(f.Context(), f.Workspace, p.ID, func(p *schema.Post, _ schema.QueueReader) error {
		p.ScheduledFor = f.Store.Now().Add(to)
		return nil
	})
	return err
}

func TestAFarJobIsPromotedUnlessItsPostMovedOn(t *testing.T) {
	f := newFixture(t)
	f.RunChore(f.Delay.MakePartitions)
	promoted, edited, cancelled := f.Post(1, 25*time.Hour), f.Post(1, 25*time.Hour), f.Post(1, 25*time.Hour)
	for _, p := range []schema.Post{promoted, edited, cancelled} {
		f.Create(p)
	}
	if jobs := f.Jobs(); len(jobs) != 0 {
		t.Fatalf("%d far jobs stand in the near table", len(jobs))
	}
	if _, err := f.Gateway.Update(t.Context(), f.Workspace, edited.ID, func(p *schema.Post, _ schema.QueueReader) error {
		p.ScheduledFor = p.ScheduledFor.Add(-2 * time.Hour)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Gateway.Delete(t.Context(), f.Workspace, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	f.Exec(`update jobs_far set due_at = due_at - interval '2 hours' where id in ('` + postgrestest.UUIDText(promoted.ID) + `','` + postgrestest.UUIDText(edited.ID) + `','` + postgrestest.UUIDText(cancelled.ID) + `')`)
	if n := f.RunChore(f.Delay.Promote); n != 1 || len(f.Jobs()) != 2 {
		t.Fatalf("promoted %d; %d near jobs, want the kept one and the edited one", n, len(f.Jobs()))
	}
}
