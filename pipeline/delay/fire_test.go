package delay

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crier/schema"
)

// moving is a database that notes which jobs were moved on, and how many at a time.
type moving struct {
	store
	mu    sync.Mutex
	moved []int
}

func (m *moving) Now() time.Time { return time.Now() }

func (m *moving) Fired(_ context.Context, jobs []schema.Job) ([]schema.FiredJob, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moved = append(m.moved, len(jobs))
	return nil, nil
}

func (m *moving) batches() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.moved)
}

func TestNoFirerWaitsForWhatLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batches = 3*fireBatch + fireBatch/2 // of a job each, as many as are due at times of their own
		s := &moving{}
		d := &Stage{store: s, sent: make(chan sent, sentQueue), credit: newCredit(s.Now()), firing: newFiring()}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go d.moveSent(ctx)
		began := time.Now()
		for n := range batches {
			job := schema.Job{ID: schema.JobID{byte(n), byte(n >> 8)}, DueAt: began}
			d.sent <- sent{d.firing.begin([]schema.Job{job}), time.Now()}
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("who fires %d batches waited %v to hand them over", batches, waited)
		}
		synctest.Wait()
		if moved := s.batches(); len(moved) > 0 {
			t.Errorf("%v jobs were moved on at once, and not after %v", moved, moveLinger)
		}
		time.Sleep(moveLinger)
		synctest.Wait()
		if want := []int{fireBatch, fireBatch, fireBatch, fireBatch / 2}; !slices.Equal(s.batches(), want) {
			t.Errorf("moved %v jobs on at a time, want %v", s.batches(), want)
		}
		if n := len(d.firing.jobs); n > 0 {
			t.Errorf("%d jobs that were moved on are still being fired", n)
		}
	})
}

func TestAJobThatIsDueAgainDoesNotWaitUntilItIsMovedOn(t *testing.T) {
	now := time.Now().Truncate(time.Microsecond)
	before := schema.Job{ID: schema.JobID{1}, Version: 1, DueAt: now}
	for name, tt := range map[string]struct {
		then schema.Job
		want bool
	}{
		"the same once more":              {before, false},
		"as the log has it, more exactly": {schema.Job{ID: before.ID, Version: 1, DueAt: now.Add(time.Nanosecond)}, false},
		"at another time":                 {schema.Job{ID: before.ID, Version: 1, DueAt: now.Add(100 * time.Millisecond)}, true},
		"after an edit":                   {schema.Job{ID: before.ID, Version: 2, DueAt: now}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFiring()
			f.begin([]schema.Job{before})
			if fires := len(f.begin([]schema.Job{tt.then})) > 0; fires != tt.want {
				t.Errorf("it fires: %t, want %t", fires, tt.want)
			}
		})
	}
}

// overtaken is a backlog whose rows are moved on while it is read, which so has them as they were before.
type overtaken struct {
	*listed
	moveOn func()
}

func (o overtaken) Backlog(ctx context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error) {
	jobs, err := o.listed.Backlog(ctx, after, to, limit)
	o.moveOn()
	return jobs, err
}

func TestWhatIsBeingFiredIsNoBacklog(t *testing.T) {
	start := time.Now()
	s := &listed{}
	add := func() schema.Job {
		s.jobs.addPost(start, schema.PostJob{Accounts: []schema.AccountID{schema.NewID[schema.AccountID](start)}, Platforms: []schema.Platform{schema.Mastodon}})
		return s.jobs[len(s.jobs)-1]
	}
	waits, moved, overdue := add(), add(), add()
	d := &Stage{window: newWindow(1), credit: newCredit(start), firing: newFiring()}
	d.store = overtaken{s, func() { d.firing.end([]schema.Job{moved}) }}
	d.firing.begin([]schema.Job{waits, moved})
	b := newBacklog(d, []int16{0})
	now := start.Add(time.Hour)
	b.beginPass(now)
	if err := b.readOn(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	var got []schema.JobID
	b.buffer.take(func(d *dispatch) bool { got = append(got, d.ID); return true })
	if !slices.Equal(got, []schema.JobID{overdue.ID}) {
		t.Errorf("of one that waits to be moved on, one that was moved on meanwhile and one that is overdue, %d jobs fire again", len(got))
	}
	if !b.passes.found {
		t.Error("no full pass looks whether they were moved on")
	}
	if d.firing.ended != nil {
		t.Error("what was fired is kept although nothing is read")
	}
}
