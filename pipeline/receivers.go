package pipeline

import (
	"sync"

	"crier/pipeline/worker"
	"crier/schema"
)

// receivers remembers whether the last try to each webhook succeeded. One that succeeds
// gets several deliveries at once; one that fails, or is not known yet, gets one at a
// time until one succeeds: so a dead one takes a single slot.
type receivers struct {
	mu      sync.Mutex
	succeed map[worker.Key]bool // whether the last try did; absent: not known
}

const (
	// deliveriesAtOnce is how many requests a receiver gets at a time, from one process.
	deliveriesAtOnce = 16
	// receiversKnown bounds what is remembered to some 10 MB. A forgotten receiver starts
	// with one delivery at a time.
	receiversKnown = 100_000
)

func newReceivers() *receivers { return &receivers{succeed: map[worker.Key]bool{}} }

// atOnce returns how many deliveries a receiver gets at a time.
func (r *receivers) atOnce(key worker.Key) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.succeed[key] {
		return deliveriesAtOnce
	}
	return 1
}

// fails reports whether the last try at a receiver failed.
func (r *receivers) fails(webhook schema.WebhookID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	succeeds, known := r.succeed[worker.Key(webhook)]
	return known && !succeeds
}

// tried notes how a try ended.
func (r *receivers) tried(webhook schema.WebhookID, succeeded bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.succeed) >= receiversKnown {
		for one := range r.succeed { // any
			delete(r.succeed, one)
			break
		}
	}
	r.succeed[worker.Key(webhook)] = succeeded
}
