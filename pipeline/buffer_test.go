package pipeline

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

func (l jobList) Backlog(_ context.Context, after []schema.JobPlace, _ time.Time, limit int) ([]schema.Job, error) {
	var jobs []schema.Job
	for _, j := range l {
		if j.Place().Compare(after[0]) > 0 && len(jobs) < limit {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

func (jobList) Unanswered(context.Context, []schema.FiredJob) ([]schema.JobID, error) {
	return nil, nil
}

func TestOnlyPostsOfTheSameAccountsWaitForASkippedPost(t *testing.T) {
	start := time.Now()
	slow, quick, other := schema.NewAccountID(start), schema.NewAccountID(start), schema.NewAccountID(start)
	var jobs jobList
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
