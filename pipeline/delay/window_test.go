package delay

import (
	"math/rand/v2"
	"testing"
	"time"

	"crier/schema"
)

func jobAt(id byte, version int32, due time.Time) schema.Job {
	return schema.Job{ID: schema.JobID{id}, Version: version, DueAt: due}
}

func TestWindowHandsOutInOrder(t *testing.T) {
	w, start := newWindow(100), time.Now()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		w.add(jobAt(byte(i), 1, start.Add(time.Duration(random.IntN(1000))*time.Millisecond)))
	}
	var last time.Time
	for _, j := range w.due(start.Add(500*time.Millisecond), 1000) {
		if j.DueAt.Before(last) || j.DueAt.After(start.Add(500*time.Millisecond)) {
			t.Fatalf("handed out %v after %v", j.DueAt, last)
		}
		last = j.DueAt
	}
	if next, ok := w.next(); ok && !next.After(start.Add(500*time.Millisecond)) {
		t.Error("a due job was left")
	}
}

func TestWindowKeepsTheNewestOfAJob(t *testing.T) {
	now := time.Now()
	for name, tt := range map[string]struct {
		then schema.Job
		want time.Time
	}{
		"a wait moves it on":               {jobAt(1, 1, now.Add(time.Minute)), now.Add(time.Minute)},
		"an edit brings it forward":        {jobAt(1, 2, now.Add(-time.Minute)), now.Add(-time.Minute)},
		"an older version changes nothing": {jobAt(1, 0, now.Add(time.Hour)), now},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWindow(100)
			w.add(jobAt(1, 1, now))
			w.add(tt.then)
			if next, _ := w.next(); !next.Equal(tt.want) || len(w.order) != 1 {
				t.Errorf("due %v with %d jobs, want %v with one", next, len(w.order), tt.want)
			}
		})
	}
}

func TestAFullWindowTakesNoMore(t *testing.T) {
	w, now := newWindow(2), time.Unix(1000, 0)
	for i := range 3 {
		w.add(schema.Job{ID: schema.JobID{byte(i)}, DueAt: now})
	}
	w.add(schema.Job{ID: schema.JobID{0}, DueAt: now, Version: 2})
	got := w.due(now, 10)
	if len(got) != 2 || got[0].ID[0] > 1 || got[1].ID[0] > 1 || got[0].Version+got[1].Version != 2 {
		t.Errorf("a window of 2 held %+v, want the first two jobs, one at its new version", got)
	}
}
