package media

import (
	"fmt"
	"sync"
	"syscall"

	"crier/schema"
)

// Room is the disk that all media of a process may take: what is kept, arrives and is
// fetched. A nil Room is without a bound. It is safe for concurrent use.
type Room struct {
	folder string
	most   int64 // bytes; 0: all but a reserve of its disk

	fetched *fetched // what can be had again; nil: there is nothing

	mu   sync.Mutex
	used int64
}

// The reserve of a disk without a bound of its own: the smaller of a tenth of it and this, so
// that media never stops the database that may lie beside it.
const (
	reserveBytes = 2 << 30
	reserveShare = 10
)

// NewRoom returns the room of a folder: of so many bytes, or 0, all of its disk but a reserve.
func NewRoom(folder string, most int64) *Room { return &Room{folder: folder, most: most} }

// Take takes bytes that are about to be written. It is Unavailable where there is no room for
// them even if all is removed that can be had again.
func (r *Room) Take(bytes int64) error {
	if r == nil {
		return nil
	}
	err := r.take(bytes, bytes)
	if err == nil || r.fetched == nil {
		return err
	}
	r.fetched.reclaim(max(bytes, leastReclaimed))
	return r.take(bytes, bytes)
}

// leastReclaimed is what is removed at a time, so that a file is not written in small steps
// that each look for what to remove.
const leastReclaimed = 64 << 20

// Has is Take of bytes that are to be written later: nothing is taken.
func (r *Room) Has(bytes int64) error {
	if r == nil {
		return nil
	}
	err := r.take(bytes, 0)
	if err == nil || r.fetched == nil {
		return err
	}
	r.fetched.reclaim(bytes)
	return r.take(bytes, 0)
}

func (r *Room) take(wanted, taken int64) error {
	free, err := r.free()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 {
		free = r.most - r.used
	}
	if wanted > free {
		return &schema.Error{Kind: schema.Unavailable, Message: "there is no room for media at the moment"}
	}
	r.used += taken
	return nil
}

// free is what may be written to a disk without a bound of its own.
func (r *Room) free() (int64, error) {
	if r.most > 0 {
		return 0, nil
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(r.folder, &disk); err != nil {
		return 0, fmt.Errorf("looking at the disk of media: %w", err)
	}
	block := int64(disk.Bsize) //nolint:unconvert // of 32 bits on macOS
	return int64(disk.Bavail)*block - min(int64(disk.Blocks)*block/reserveShare, reserveBytes), nil
}

// Give gives bytes back that were removed.
func (r *Room) Give(bytes int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = max(0, r.used-bytes)
}

// Used returns the bytes that are taken, as far as they were counted: what lay there at a
// start is counted with the first look through the folders.
func (r *Room) Used() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// recount makes the count what is found now beside what was fetched, and what was taken or
// given since so many bytes were used.
func (r *Room) recount(used, found int64) {
	if r == nil {
		return
	}
	if r.fetched != nil {
		found += r.fetched.size()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = max(0, found+r.used-used)
}

// diskBytes returns the bytes that a file takes on disk, 0 where there is none.
func diskBytes(path string) int64 {
	var stat syscall.Stat_t
	if syscall.Lstat(path, &stat) != nil {
		return 0
	}
	return stat.Blocks * 512 // whatever the file system's own are (stat(2))
}
