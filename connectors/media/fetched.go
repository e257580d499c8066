package media

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"crier/schema"
)

const (
	// minFetched is the size of what is kept: anything smaller is quickly fetched again.
	minFetched = 8 << 20
	// fetchedLife is how long a file is kept that no step has used, such as of an upload that
	// goes on in another process, or was cancelled.
	fetchedLife = time.Hour
)

// fetched keeps files between the steps of an upload, under names that follow from the upload
// and the item. A file stands under its name only once it is whole and on disk, so that the
// next process finds it. It is safe for concurrent use.
type fetched struct {
	folder string
	quota  *DiskQuota
	min    int64

	mu    sync.Mutex
	inUse map[string]int // names, with how many have them open
	// validators are of the files that are not whole, by name. Those of an earlier process are not
	// known: its files begin again.
	validators map[string]string
}

func newFetched(folder string, quota *DiskQuota, minimum int64) *fetched {
	return &fetched{folder: folder, quota: quota, min: cmp.Or(minimum, minFetched), inUse: make(map[string]int), validators: make(map[string]string)}
}

// removePartly removes what an earlier process had not got whole. What stays is removed once it
// is idle.
func (f *fetched) removePartly() {
	left, _ := filepath.Glob(filepath.Join(f.folder, "*"+partly)) // fails for bad patterns alone
	for _, path := range left {
		_ = os.Remove(path)
	}
}

// cacheName returns the name under which an item's file is kept: of an upload for all that use
// it, since it never changes; of a url for one upload to a platform. Empty: it is not kept.
func cacheName(item schema.Media) string {
	switch {
	case !item.MediaID.IsZero():
		return "upload-" + item.MediaID.String()
	case item.Upload != "":
		return prefixOf(item.Upload) + digest(item.URL)
	}
	return ""
}

// prefixOf begins the names of all files of an upload to a platform.
func prefixOf(upload string) string { return "url-" + digest(upload) + "-" }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// open opens a file that is kept; nil: there is none.
func (f *fetched) open(name string) (*File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, err := os.Open(filepath.Join(f.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening fetched media: %w", err)
	}
	file, err := openStored(content)
	if err = errors.Join(err, content.Close()); err != nil {
		return nil, err
	}
	now := time.Now()
	if err := os.Chtimes(file.Path, now, now); err != nil {
		return nil, fmt.Errorf("noting the use of fetched media: %w", err)
	}
	f.inUse[name]++
	file.close = func() { f.closed(name) }
	return file, nil
}

func (f *fetched) closed(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse[name]--; f.inUse[name] == 0 {
		delete(f.inUse, name)
	}
}

// keep takes a file over that was fetched, and opens it under its name. One that is small, or
// the store's own, stays as it is.
func (f *fetched) keep(name string, file *File) (*File, error) {
	if file.shared || file.Size < f.min {
		return file, nil
	}
	if err := flush(file.Path); err != nil {
		return nil, errors.Join(noRoom(err), file.Close())
	}
	path := filepath.Join(f.folder, name)
	if err := os.Link(file.Path, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(noRoom(err), file.Close())
	} else if err == nil {
		file.quota = nil // which goes on being taken
	}
	if err := errors.Join(file.Close(), flush(f.folder)); err != nil {
		return nil, err
	}
	again, err := f.open(name)
	if err == nil && again == nil {
		err = &schema.Error{Kind: schema.Retryable, Message: "the media was removed while it was fetched"}
	}
	return again, err
}

// forget removes what is kept for an upload to a platform that is over.
func (f *fetched) forget(upload string) error {
	return f.remove(func(e fetchedFile) bool { return strings.HasPrefix(e.name, prefixOf(upload)) })
}

// fetchedFile is a file of the folder that is not open.
type fetchedFile struct {
	name string
	used time.Time
	size int64
}

// remove removes files that nobody has open, those first that were not used for longest.
func (f *fetched) remove(which func(fetchedFile) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return fmt.Errorf("listing fetched media: %w", err)
	}
	var all []fetchedFile
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && f.inUse[entry.Name()] == 0 && !strings.HasPrefix(entry.Name(), temporary) {
			all = append(all, fetchedFile{entry.Name(), info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b fetchedFile) int { return a.used.Compare(b.used) })
	for _, e := range all {
		if !which(e) {
			continue
		}
		if err := ignoreMissing(os.Remove(filepath.Join(f.folder, e.name))); err != nil {
			return fmt.Errorf("removing fetched media: %w", err)
		}
		delete(f.validators, strings.TrimSuffix(e.name, partly))
		f.quota.Give(e.size)
	}
	return nil
}

// reclaim removes files until so many bytes are free. That it fails is seen by whoever
// wanted them.
func (f *fetched) reclaim(bytes int64) {
	_ = f.remove(func(e fetchedFile) bool {
		if bytes <= 0 {
			return false
		}
		bytes -= e.size
		return true
	})
}

// size returns the bytes of all files.
func (f *fetched) size() (bytes int64) {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return 0 // as at the next look
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// Forget removes what was fetched for an upload to a platform, which is over.
func (f *Fetcher) Forget(upload string) error {
	if f.fetched == nil {
		return nil
	}
	return f.fetched.forget(upload)
}

// RemoveIdle removes what no step of an upload has used for an hour.
func (f *Fetcher) RemoveIdle() error {
	before := time.Now().Add(-fetchedLife)
	return f.fetched.remove(func(e fetchedFile) bool { return e.used.Before(before) })
}
