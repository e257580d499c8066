package media

import (
	"fmt"
	"sync"
	"syscall"

	"crier/schema"
)

// DiskQuota is the disk that all media of a process may take: what is kept, arrives and is
// fetched. A nil one is without a bound. It is safe for concurrent use.
type DiskQuota struct {
	folder string
	max    int64 // bytes; 0: all but a reserve of its disk

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

// NewDiskQuota returns the quota of a folder: of so many bytes, or 0, all of its disk but a reserve.
func NewDiskQuota(folder string, maximum int64) *DiskQuota {
	return &DiskQuota{folder: folder, max: maximum}
}

// Take takes bytes that are about to be written. It is Unavailable where there is no room for
// them even if all is removed that can be had again.
func (q *DiskQuota) Take(bytes int64) error { return q.claim(bytes, bytes, max(bytes, minReclaimed)) }

// minReclaimed is what is removed at a time, so that a file is not written in small steps
// that each look for what to remove.
const minReclaimed = 64 << 20

// Has is Take of bytes that are to be written later: nothing is taken.
func (q *DiskQuota) Has(bytes int64) error { return q.claim(bytes, 0, bytes) }

// claim takes bytes if there is room for those that are wanted, at the latest once others were reclaimed.
func (q *DiskQuota) claim(wanted, taken, reclaimed int64) error {
	if q == nil {
		return nil
	}
	err := q.take(wanted, taken)
	if err == nil || q.fetched == nil {
		return err
	}
	q.fetched.reclaim(reclaimed)
	return q.take(wanted, taken)
}

func (q *DiskQuota) take(wanted, taken int64) error {
	free, err := q.free()
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.max > 0 {
		free = q.max - q.used
	}
	if wanted > free {
		return &schema.Error{Kind: schema.Unavailable, Message: "there is no room for media at the moment"}
	}
	q.used += taken
	return nil
}

// free is what may be written to a disk without a bound of its own.
func (q *DiskQuota) free() (int64, error) {
	if q.max > 0 {
		return 0, nil
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(q.folder, &disk); err != nil {
		return 0, fmt.Errorf("looking at the disk of media: %w", err)
	}
	block := int64(disk.Bsize) //nolint:unconvert // of 32 bits on macOS
	return int64(disk.Bavail)*block - min(int64(disk.Blocks)*block/reserveShare, reserveBytes), nil
}

// Give gives bytes back that were removed.
func (q *DiskQuota) Give(bytes int64) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used = max(0, q.used-bytes)
}

// Used returns the bytes that are taken, as far as they were counted: what lay there at a
// start is counted with the first look through the folders.
func (q *DiskQuota) Used() int64 {
	if q == nil {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}

// recount makes the count what is found now beside what was fetched, and what was taken or
// given since so many bytes were used.
func (q *DiskQuota) recount(used, found int64) {
	if q == nil {
		return
	}
	if q.fetched != nil {
		found += q.fetched.size()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used = max(0, found+q.used-used)
}

// diskBytes returns the bytes that a file takes on disk, 0 where there is none.
func diskBytes(path string) int64 {
	var stat syscall.Stat_t
	if syscall.Lstat(path, &stat) != nil {
		return 0
	}
	return stat.Blocks * 512 // whatever the file system's own are (stat(2))
}
