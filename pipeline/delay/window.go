package delay

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"crier/schema"
)

// window is the jobs that are due soon, soonest first. A job is in it once: its newest
// state replaces earlier ones.
type window struct {
	mu    sync.Mutex
	limit int // of jobs; further ones are left in PostgreSQL until they are overdue
	order []*slot
	at    map[schema.JobID]*slot
}

type slot struct {
	job   schema.Job
	index int
}

func newWindow(limit int) *window { return &window{limit: limit, at: map[schema.JobID]*slot{}} }

// add adds a job. An older version of a post never replaces a newer one; of one version
// the later time counts, since jobs only move on.
func (w *window) add(j schema.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.at[j.ID]
	switch {
	case !ok && len(w.order) < w.limit:
		s = &slot{job: j}
		w.at[j.ID] = s
		heap.Push((*byDue)(&w.order), s)
	case ok && j.Version >= s.job.Version:
		s.job = j
		heap.Fix((*byDue)(&w.order), s.index)
	}
}

func (w *window) addAll(jobs []schema.Job) {
	for _, j := range jobs {
		w.add(j)
	}
}

// due removes up to limit jobs that are due at now.
func (w *window) due(now time.Time, limit int) []schema.Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	var jobs []schema.Job
	for len(w.order) > 0 && len(jobs) < limit && !w.order[0].job.DueAt.After(now) {
		s := heap.Pop((*byDue)(&w.order)).(*slot)
		delete(w.at, s.job.ID)
		jobs = append(jobs, s.job)
	}
	return jobs
}

// next returns when the first job is due.
func (w *window) next() (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.order) == 0 {
		return time.Time{}, false
	}
	return w.order[0].job.DueAt, true
}

// without returns the jobs that the window will not have fired by now.
func (w *window) without(jobs []schema.Job, now time.Time) []schema.Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(jobs, func(j schema.Job) bool {
		s, ok := w.at[j.ID]
		return ok && s.job.Version >= j.Version && !s.job.DueAt.After(now)
	})
}

type byDue []*slot

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].job.DueAt.Before(h[j].job.DueAt) }
func (h byDue) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *byDue) Push(x any) {
	s := x.(*slot)
	s.index = len(*h)
	*h = append(*h, s)
}

func (h *byDue) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return s
}
