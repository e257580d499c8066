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
	size  int64
	until time.Time // of no use from then on
}

func newLastPart(content io.Reader, until time.Time) (*lastPart, error) {
	file, err := os.CreateTemp("", "crier-tiktok-*")
	if err != nil {
		return nil, fmt.Errorf("keeping the last part: %w", err)
	}
	err = os.Remove(file.Name())
	var size int64
	if err == nil {
		size, err = io.Copy(file, content)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keeping the last part: %w", err), file.Close())
	}
	return &lastPart{file, size, until}, nil
}

// What is kept is bounded. Most last parts are small, but one may be a video of 64 MB.
const (
	maxLastParts = 64
	maxLastBytes = 512 << 20
)

// lastParts are the ends of videos of which all else is sent: where the media is a url it would
// be fetched once more, whole, within the time of the visible call. What is not here is. It is
// safe for concurrent use.
type lastParts struct {
	mu    sync.Mutex
	parts map[string]*lastPart // by publish_id
	bytes int64                // of all that are kept
}

func newLastParts() *lastParts { return &lastParts{parts: map[string]*lastPart{}} }

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
	return l.remove(id)
}

// giveBack keeps what was taken. Those that are of no use first make room where there is none.
func (l *lastParts) giveBack(id string, part *lastPart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(id)
	for len(l.parts) > 0 && (len(l.parts) >= maxLastParts || l.bytes+part.size > maxLastBytes) {
		first := ""
		for other, held := range l.parts {
			if first == "" || held.until.Before(l.parts[first].until) {
				first = other
			}
		}
		l.drop(first)
	}
	l.parts[id] = part
	l.bytes += part.size
}

// drop forgets a part that may be kept.
func (l *lastParts) drop(id string) {
	if part := l.remove(id); part != nil {
		_ = part.Close() // nothing was written since
	}
}

// remove returns a part and keeps it no longer; nil: it is not here.
func (l *lastParts) remove(id string) *lastPart {
	part := l.parts[id]
	if part != nil {
		delete(l.parts, id)
		l.bytes -= part.size
	}
	return part
}
