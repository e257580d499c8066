package pipeline

import (
	"context"
	"slices"
	"testing"
	"time"

	"crier/pipeline/worker"
	"crier/schema"
)

// given is a backlog of which all shards have one list of jobs.
type given []schema.Job

func (g given) Backlog(_ context.Context, after []schema.JobPlace, _ time.Time, limit int) ([]schema.Job, error) {
	var jobs []schema.Job
	for _, j := range g {
		if j.Place().Compare(after[0]) > 0 && len(jobs) < limit {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

func (given) Unanswered(context.Context, []schema.FiredJob) ([]schema.JobID, error) { return nil, nil }

func TestWhatComesAfterAPostThatIsPassedOverWaitsForItInItsAccountsAlone(t *testing.T) {
	start := time.Now()
	slow, quick, other := schema.NewAccountID(start), schema.NewAccountID(start), schema.NewAccountID(start)
	var jobs given
	add := func(p schema.PostJob) schema.JobID {
		p.Post, p.Version, p.Workspace = schema.NewPostID(start), 1, schema.NewWorkspaceID(start)
		jobs = append(jobs, schema.Job{
			ID: schema.JobID(p.Post), Kind: schema.JobPost, DueAt: start.Add(time.Duration(len(jobs)) * time.Second), Version: 1, Payload: worker.Encode(p),
		})
		return jobs[len(jobs)-1].ID
	}
	post := func(account schema.AccountID, platform schema.Platform) schema.PostJob {
		return schema.PostJob{Accounts: []schema.AccountID{account}, Platforms: []schema.Platform{platform}}
	}
	for range keptOfDestination {
		add(post(slow, schema.Mastodon))
	}
	both := add(schema.PostJob{Accounts: []schema.AccountID{slow, quick}, Platforms: []schema.Platform{schema.Mastodon, schema.Bluesky}})
	after, free := add(post(quick, schema.Bluesky)), add(post(other, schema.Bluesky))

	k := newKept()
	read := func(r *reader) {
		for !r.ended() && (!r.refills || !k.refilled(r, start)) {
			next, err := r.cursor.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range next {
				s, err := dispatchOf(j)
				if err != nil || !k.offer(r, s, func(of destination, _ int) bool { return of.platform == schema.Mastodon }) {
					t.Fatalf("%v waits, err %v", j.ID, err)
				}
				r.at = j.Place()
			}
		}
	}
	take := func() (ids []schema.JobID) {
		k.take(func(s *dispatch) bool { ids = append(ids, s.ID); return true })
		return ids
	}
	r := newReader(jobs, []int16{0}, schema.JobPlace{}, start.Add(24*time.Hour))
	read(r)
	if got := take(); len(got) != keptOfDestination+1 || got[keptOfDestination] != free {
		t.Errorf("took %d jobs, want %d of the slow platform and then that of another account", len(got), keptOfDestination)
	}
	again := k.refill(jobs, []int16{0}, start.Add(24*time.Hour))
	if again == nil {
		t.Fatal("nobody reads what was passed over")
	}
	jobs = jobs[:len(jobs)-1] // that is fired
	read(again)
	k.refilled(again, start)
	if got := take(); !slices.Equal(got, []schema.JobID{both, after}) {
		t.Errorf("then took %v, want %v and %v", got, both, after)
	}
	if len(k.passed)+len(k.behind)+len(k.ids)+len(k.waiting) > 0 {
		t.Errorf("%d destinations, %d accounts are passed over, though none of their jobs is", len(k.passed), len(k.behind))
	}
}
