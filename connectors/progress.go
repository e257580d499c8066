package connectors

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"crier/schema"
)

// MediaItem is what a connector keeps of one media item.
type MediaItem interface {
	// IsReady reports whether an entry can be published with it.
	IsReady() bool
}

// partial is a MediaItem that is sent in parts.
type partial interface {
	// BytesSent returns how much of it the platform has.
	BytesSent() int64
}

// MediaProgress is what a connector keeps of an entry's media between two calls of Prepare.
type MediaProgress[M MediaItem] struct {
	Media []M   `json:"media"`          // by the position of the item
	Max   int64 `json:"most,omitempty"` // bytes of what is sent in parts that the platform had at the most
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
	return !slices.ContainsFunc(p.Media, func(m M) bool { return !m.IsReady() })
}

func (p MediaProgress[M]) bytesSent() (n int64) {
	for _, m := range p.Media {
		if m, ok := any(m).(partial); ok {
			n += m.BytesSent()
		}
	}
	return n
}

// Keep returns the progress as it is kept, with the error that stopped it. If none did, what
// is not ready is continued after a wait.
func (p MediaProgress[M]) Keep(stopped error, wait time.Duration) (schema.Progress, error) {
	sent := p.bytesSent()
	advanced := sent > p.Max
	p.Max = max(p.Max, sent)
	state, err := json.Marshal(p)
	if err != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", err)
	}
	result := schema.Progress{State: state, Ready: stopped == nil && p.IsReady(), Advanced: advanced}
	if stopped == nil && !result.Ready {
		result.RetryIn = wait
	}
	return result, stopped
}
