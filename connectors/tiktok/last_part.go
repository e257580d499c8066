package tiktok

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// lastPart is the end of a video on disk, in a file that has no name any more: nothing is left
// of it once it is closed, or its process has died.
type lastPart struct {
	*os.File
	until time.Time // of no use from then on
}

func newLastPart(content io.Reader, until time.Time) (*lastPart, error) {
	file, err := os.CreateTemp("", "crier-tiktok-*")
	if err != nil {
		return nil, fmt.Errorf("keeping the last part: %w", err)
	}
	err = os.Remove(file.Name())
	if err == nil {
		_, err = io.Copy(file, content)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the last part: %w", err), file.Close())
	}
	return &lastPart{file, until}, nil
}

// mostLastParts bounds what is kept, at some 8 MB each.
const mostLastParts = 64

// lastParts are the ends of videos of which all else is sent: where the media is a url it would
// be fetched once more, whole, within the time of the visible call. What is not here is. It is
// safe for concurrent use.
type lastParts struct {
	mu   sync.Mutex
	kept map[string]*lastPart // by publish_id
}

func newLastParts() *lastParts { return &lastParts{kept: map[string]*lastPart{}} }

// keep keeps the end of a video.
func (l *lastParts) keep(id string, content io.Reader, until time.Time) error {
	part, err := newLastPart(content, until)
	if err != nil {
		return err
	}
	l.giveBack(id, part)
	return nil
}

// take returns the end of a video, which is the caller's from then on; nil: it is not here.
func (l *lastParts) take(id string) *lastPart {
	l.mu.Lock()
	defer l.mu.Unlock()
	part := l.kept[id]
	delete(l.kept, id)
	return part
}

// giveBack keeps what was taken. The one that is of no use first makes room where there is none.
func (l *lastParts) giveBack(id string, part *lastPart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dropped := l.kept[id]
	l.kept[id] = part
	if dropped == nil && len(l.kept) > mostLastParts {
		first := id
		for other, held := range l.kept {
			if held.until.Before(l.kept[first].until) {
				first = other
			}
		}
		dropped = l.kept[first]
		delete(l.kept, first)
	}
	if dropped != nil {
		_ = dropped.Close() // nothing was written since
	}
}
