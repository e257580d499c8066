package connectors

import (
	"encoding/json"
	"fmt"
	"time"

	"crier/schema"
)

// MediaItem is what a connector keeps of one media item.
type MediaItem interface {
	// IsReady reports whether an entry can be published with it.
	IsReady() bool
}

// MediaProgress is what a connector keeps of an entry's media between two calls of Prepare.
type MediaProgress[M MediaItem] struct {
	Media []M `json:"media"` // by the position of the item
}

// ReadMediaProgress returns what a delivery kept; of items that were not begun, nothing.
func ReadMediaProgress[M MediaItem](d schema.Delivery) (MediaProgress[M], error) {
	p := MediaProgress[M]{}
	if len(d.Progress) > 0 {
		if err := json.Unmarshal(d.Progress, &p); err != nil {
			return MediaProgress[M]{}, fmt.Errorf("reading progress: %w", err)
		}
	}
	if len(p.Media) != len(d.Media) {
		p.Media = make([]M, len(d.Media))
	}
	return p, nil
}

// IsReady reports whether all items are.
func (p MediaProgress[M]) IsReady() bool {
	for _, m := range p.Media {
		if !m.IsReady() {
			return false
		}
	}
	return true
}

// Keep returns the progress as it is kept, with the error that stopped it. If none did, what
// is not ready is gone on with after a wait.
func (p MediaProgress[M]) Keep(stopped error, wait time.Duration) (schema.Progress, error) {
	state, err := json.Marshal(p)
	if err != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", err)
	}
	kept := schema.Progress{State: state, Ready: stopped == nil && p.IsReady()}
	if stopped == nil && !kept.Ready {
		kept.RetryIn = wait
	}
	return kept, stopped
}
