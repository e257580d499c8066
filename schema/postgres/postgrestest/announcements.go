package postgrestest

import (
	"encoding/json"
	"time"

	"crier/schema"
)

// announce records what commits announce.
func (f *Fixture) announce(a schema.Announcement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.announced = append(f.announced, a)
}

// LastAnnouncement returns what the last commit announced.
func (f *Fixture) LastAnnouncement() schema.Announcement {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.announced[len(f.announced)-1]
}

// ForgetAnnouncements drops what was announced until now.
func (f *Fixture) ForgetAnnouncements() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.announced = nil
}

// Events returns the batches of events that were announced, in order.
func (f *Fixture) Events() []schema.EventBatch {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []schema.EventBatch
	for _, a := range f.announced {
		for _, e := range a.Events {
			var batch schema.EventBatch
			f.Must(json.Unmarshal(e.Payload, &batch))
			all = append(all, batch)
		}
	}
	return all
}

// EventTypes counts the announced events by type.
func (f *Fixture) EventTypes() map[schema.EventType]int {
	types := map[schema.EventType]int{}
	for _, b := range f.Events() {
		for _, e := range b.Events {
			types[e.Type]++
		}
	}
	return types
}

// Jobs returns the jobs that are due within two days.
func (f *Fixture) Jobs() []schema.Job {
	f.Helper()
	jobs, err := f.Delay.Due(f.Context(), AllShards(), time.Time{}, f.Store.Now().Add(48*time.Hour), 1000)
	f.Must(err)
	return jobs
}

// Overdue returns what is overdue in all shards.
func (f *Fixture) Overdue() schema.Overdue {
	f.Helper()
	o, err := f.Delay.Overdue(f.Context(), AllShards())
	f.Must(err)
	return o
}

// AllShards are the shards of jobs.
func AllShards() []int16 {
	shards := make([]int16, schema.Shards)
	for i := range shards {
		shards[i] = int16(i)
	}
	return shards
}
