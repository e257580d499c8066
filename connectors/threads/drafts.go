package threads

import (
	"sync"
	"time"
)

// drafts are the containers of first comments that are not published yet, by the key of the
// comment. Only the latest are remembered.
type drafts struct {
	mu         sync.Mutex
	containers map[string]draft
}

// draft is a container and when it was made.
type draft struct {
	container string
	createdAt time.Time
}

const maxDrafts = 4096

func (d *drafts) of(key string) (of draft, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of, ok = d.containers[key]
	return of, ok
}

func (d *drafts) keep(key string, of draft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.containers == nil || len(d.containers) >= maxDrafts {
		d.containers = map[string]draft{}
	}
	d.containers[key] = of
}

func (d *drafts) forget(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.containers, key)
}
