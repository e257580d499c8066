package connectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"crier/connectors/media"
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

// ErrPause ends a call of Prepare that has taken its time: see LongestTurn.
var ErrPause = errors.New("to be continued")

// LongestTurn is how long uploads go on in one call of Prepare: what was uploaded by then is kept, and a
// process that dies later does not begin from the start.
const LongestTurn = 2 * time.Minute

// ReadMediaProgress returns what a delivery kept; of items that were not begun, nothing.
func ReadMediaProgress[M MediaItem](d schema.Delivery) (MediaProgress[M], error) {
	p, err := ProgressOf[MediaProgress[M]](d)
	if err != nil {
		return MediaProgress[M]{}, err
	}
	if len(p.Media) != len(d.Media) {
		p.Media = make([]M, len(d.Media))
	}
	return p, nil
}

// Prepared returns what a delivery kept of its media, all of which is ready.
func Prepared[M MediaItem](d schema.Delivery) ([]M, error) {
	p, err := ReadMediaProgress[M](d)
	if i := slices.IndexFunc(p.Media, func(m M) bool { return !m.IsReady() }); err == nil && i >= 0 {
		err = fmt.Errorf("media item %d is not prepared", i)
	}
	return p.Media, err
}

// OpenMissing opens the items that have to be uploaded; of the others there is nil. All are opened and
// checked before any is uploaded, so that nothing is uploaded for an entry that cannot be published.
func (p MediaProgress[M]) OpenMissing(ctx context.Context, source media.Source, d schema.Delivery, isMissing func(M) bool, check func(schema.Delivery, *media.File) error) ([]*media.File, error) {
	files := make([]*media.File, len(p.Media))
	for i, m := range p.Media {
		if !isMissing(m) {
			continue
		}
		file, err := source.Open(ctx, d.Media[i])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening media: %w", err), media.CloseAll(files))
		}
		files[i] = file
		if err := check(d, file); err != nil {
			return nil, errors.Join(err, media.CloseAll(files))
		}
	}
	return files, nil
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

// Keep returns the progress as it is kept, with the error that stopped it. If none did, or ErrPause, what
// is not ready is continued after a wait.
func (p MediaProgress[M]) Keep(stopped error, wait time.Duration) (schema.Progress, error) {
	sent := p.bytesSent()
	advanced := sent > p.Max
	p.Max = max(p.Max, sent)
	state, err := json.Marshal(p)
	if err != nil {
		return schema.Progress{}, fmt.Errorf("encoding progress: %w", err)
	}
	if errors.Is(stopped, ErrPause) {
		stopped = nil
	}
	result := schema.Progress{State: state, Ready: stopped == nil && p.IsReady(), Advanced: advanced}
	if stopped == nil && !result.Ready {
		result.RetryIn = wait
	}
	return result, stopped
}
