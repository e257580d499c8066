package delay

import (
	"context"
	"slices"
	"testing"
	"time"

	"crier/pipeline/worker"
	"crier/schema"
)

// jobList is a backlog in which every shard has the same jobs.
type jobList []schema.Job

func (l jobList) Backlog(_ context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error) {
	var jobs []schema.Job
	for _, j := range l {
		if j.Place().Compare(after[0]) > 0 && !j.DueAt.After(to) && len(jobs) < limit {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

func (jobList) Unheld(_ context.Context, jobs []schema.Job) ([]schema.Job, error) { return jobs, nil }

func (jobList) Unanswered(context.Context, []schema.FiredJob) ([]schema.JobID, error) {
	return nil, nil
}

// addPost adds a job of a post that is due a second after the last one.
func (l *jobList) addPost(start time.Time, p schema.PostJob) schema.JobID {
	p.Post, p.Version, p.Workspace = schema.NewID[schema.PostID](start), 1, schema.NewID[schema.WorkspaceID](start)
	*l = append(*l, schema.Job{
		ID: schema.JobID(p.Post), Kind: schema.JobPost, DueAt: start.Add(time.Duration(len(*l)) * time.Second), Version: 1, Payload: worker.Encode(p),
	})
	return (*l)[len(*l)-1].ID
}

// listed is a store whose backlog is a list, and which is asked for nothing else.
type listed struct {
	store
	jobs jobList
}

func (l *listed) Unheld(ctx context.Context, jobs []schema.Job) ([]schema.Job, error) {
	return l.jobs.Unheld(ctx, jobs)
}

func (l *listed) Backlog(ctx context.Context, after []schema.JobPlace, to time.Time, limit int) ([]schema.Job, error) {
	return l.jobs.Backlog(ctx, after, to, limit)
}

func TestSkippedJobsDoNotWaitForTheReadingOfOthers(t *testing.T) {
	const busy = 4 * bufferPerDestination
	start := time.Now()
	s := &listed{}
	add := func(n int, on schema.Platform) {
		for range n {
			s.jobs.addPost(start, schema.PostJob{Accounts: []schema.AccountID{schema.NewID[schema.AccountID](start)}, Platforms: []schema.Platform{on}})
		}
	}
	add(1, schema.Mastodon)
	add(busy, schema.Bluesky)
	add(1, schema.Mastodon)
	b := newBacklog(&Stage{store: s, window: newWindow(1), credit: newCredit(start), firing: newFiring()}, []int16{0})
	now := start.Add(24 * time.Hour)
	b.passes.began = now
	for _, p := range []schema.Platform{schema.Mastodon, schema.Bluesky} {
		b.buffer.skipped[destination{topic: schema.TopicPublish, platform: p}] = &skipped{}
	}
	taken := map[schema.JobID]struct{}{}
	for round := range 2 * busy / bufferPerDestination {
		b.beginReaders(now)
		for range 2 { // more than there is room for
			for _, r := range b.refills {
				r.pausedTo = time.Time{}
			}
			if err := b.readOn(t.Context(), now); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(b.buffer.dispatches); n == 0 && len(taken) < busy+2 {
			t.Fatalf("round %d found nothing, after %d of %d jobs", round, len(taken), busy+2)
		}
		b.buffer.take(func(d *dispatch) bool {
			if _, again := taken[d.ID]; again {
				t.Errorf("%v was taken twice", d.ID)
			}
			taken[d.ID] = struct{}{}
			return true
		})
		s.jobs = slices.DeleteFunc(s.jobs, func(j schema.Job) bool { _, is := taken[j.ID]; return is }) // they are fired
	}
	if len(taken) != busy+2 {
		t.Errorf("took %d jobs of %d", len(taken), busy+2)
	}
}

// onPlatform is where posts to a platform go.
func onPlatform(p schema.Platform) destination {
	return destination{topic: schema.TopicPublish, platform: p}
}

func TestAPostWaitsForAnEarlierOneThatIsSkippedAgainForAnotherPlatform(t *testing.T) {
	start := time.Now()
	first, second := schema.NewID[schema.AccountID](start), schema.NewID[schema.AccountID](start)
	var jobs jobList
	both := jobs.addPost(start, schema.PostJob{Accounts: []schema.AccountID{first, second}, Platforms: []schema.Platform{schema.Mastodon, schema.Bluesky}})
	later := jobs.addPost(start, schema.PostJob{Accounts: []schema.AccountID{second}, Platforms: []schema.Platform{schema.Bluesky}})
	end := start.Add(time.Hour)
	b := newBuffer()
	offer := func(r *reader) {
		for _, j := range jobs {
			d, err := dispatchOf(j)
			if err != nil || !b.offer(r, d, func(destination, int) bool { return true }) {
				t.Fatalf("%v waits, err %v", j.ID, err)
			}
			r.position = j.Place()
		}
	}
	b.waiting[onPlatform(schema.Bluesky)] = bufferPerDestination
	offer(newReader(jobs, []int16{0}, schema.JobPlace{}, end))
	b.waiting = map[destination]int{onPlatform(schema.Mastodon): bufferPerDestination} // the one has room again, the other is full
	refill := func() {
		if r := b.refill(jobs, []int16{0}, end); r != nil {
			offer(r)
			clear(r.cursor.open) // it is at its end
			b.refilled(r, end)
		}
	}
	refill()
	if len(b.dispatches) > 0 {
		t.Errorf("%d posts overtook an earlier one of the same account", len(b.dispatches))
	}
	b.waiting = map[destination]int{}
	refill()
	var got []schema.JobID
	b.take(func(d *dispatch) bool { got = append(got, d.ID); return true })
	if !slices.Equal(got, []schema.JobID{both, later}) {
		t.Errorf("then took %v, want %v and %v", got, both, later)
	}
	if len(b.skipped)+len(b.blocked) > 0 {
		t.Errorf("%d destinations and %d accounts still wait", len(b.skipped), len(b.blocked))
	}
}

func TestWhatALaterReaderLeftToAnEarlierOneIsReadBeyondItsEnd(t *testing.T) {
	start := time.Now()
	s := &listed{}
	job := s.jobs.addPost(start.Add(time.Minute), schema.PostJob{
		Accounts:  []schema.AccountID{schema.NewID[schema.AccountID](start), schema.NewID[schema.AccountID](start)},
		Platforms: []schema.Platform{schema.Mastodon, schema.Bluesky},
	})
	b := newBacklog(&Stage{store: s, window: newWindow(1), credit: newCredit(start), firing: newFiring()}, []int16{0})
	b.beginPass(start)
	b.pass.pausedTo = time.Now().Add(time.Hour) // it takes long
	read := func(now time.Time) {
		b.beginReaders(now)
		if err := b.readOn(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	full := onPlatform(schema.Threads) // so that the pass is not given up
	b.buffer.skipped[full], b.buffer.waiting[full] = &skipped{}, bufferPerDestination
	b.buffer.skipped[onPlatform(schema.Mastodon)] = &skipped{after: schema.JobPlace{DueAt: start}}
	b.refills = append(b.refills, b.buffer.refill(s, b.shards, start.Add(time.Second)))
	b.refills[0].pausedTo = time.Now().Add(time.Hour)
	b.buffer.skipped[onPlatform(schema.Bluesky)] = &skipped{after: schema.JobPlace{DueAt: start}}
	read(start.Add(time.Hour))
	b.refills[0].pausedTo = time.Time{} // it reads to its end, which is before the job
	for range 3 {
		read(start.Add(time.Hour))
	}
	if len(b.buffer.dispatches) != 1 || b.buffer.dispatches[0].ID != job {
		t.Errorf("%d jobs wait, want the one that both readers left to the other", len(b.buffer.dispatches))
	}
}

func TestOnlyPostsOfTheSameAccountsWaitForASkippedPost(t *testing.T) {
	start := time.Now()
	slow, quick, other := schema.NewID[schema.AccountID](start), schema.NewID[schema.AccountID](start), schema.NewID[schema.AccountID](start)
	var jobs jobList
	add := func(p schema.PostJob) schema.JobID { return jobs.addPost(start, p) }
	post := func(account schema.AccountID, platform schema.Platform) schema.PostJob {
		return schema.PostJob{Accounts: []schema.AccountID{account}, Platforms: []schema.Platform{platform}}
	}
	for range bufferPerDestination {
		add(post(slow, schema.Mastodon))
	}
	both := add(schema.PostJob{Accounts: []schema.AccountID{slow, quick}, Platforms: []schema.Platform{schema.Mastodon, schema.Bluesky}})
	after, free := add(post(quick, schema.Bluesky)), add(post(other, schema.Bluesky))

	b := newBuffer()
	read := func(r *reader) {
		for !r.ended() && (!r.refills || !b.refilled(r, start)) {
			next, err := r.cursor.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range next {
				d, err := dispatchOf(j)
				if err != nil || !b.offer(r, d, func(of destination, _ int) bool { return of.platform == schema.Mastodon }) {
					t.Fatalf("%v waits, err %v", j.ID, err)
				}
				r.position = j.Place()
			}
		}
	}
	take := func() (ids []schema.JobID) {
		b.take(func(d *dispatch) bool { ids = append(ids, d.ID); return true })
		return ids
	}
	r := newReader(jobs, []int16{0}, schema.JobPlace{}, start.Add(24*time.Hour))
	read(r)
	if got := take(); len(got) != bufferPerDestination+1 || got[bufferPerDestination] != free {
		t.Errorf("took %d jobs, want %d of the slow platform and then that of another account", len(got), bufferPerDestination)
	}
	again := b.refill(jobs, []int16{0}, start.Add(24*time.Hour))
	if again == nil {
		t.Fatal("nobody reads the skipped jobs")
	}
	jobs = jobs[:len(jobs)-1] // the last one is fired
	read(again)
	b.refilled(again, start)
	if got := take(); !slices.Equal(got, []schema.JobID{both, after}) {
		t.Errorf("then took %v, want %v and %v", got, both, after)
	}
	if len(b.skipped)+len(b.blocked)+len(b.ids)+len(b.waiting) > 0 {
		t.Errorf("%d destinations and %d accounts still wait, though nothing is skipped any more", len(b.skipped), len(b.blocked))
	}
}
