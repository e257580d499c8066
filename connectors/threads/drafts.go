package threads

import "sync"

// drafts are the containers of first comments that are not published yet, by the key of the
// comment. Only the latest are remembered.
type drafts struct {
	mu         sync.Mutex
	containers map[string]string
}

const mostDrafts = 4096

func (d *drafts) of(key string) (container string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	container, ok = d.containers[key]
	return container, ok
}

func (d *drafts) keep(key, container string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.containers == nil || len(d.containers) >= mostDrafts {
		d.containers = map[string]string{}
	}
	d.containers[key] = container
}

func (d *drafts) forget(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.containers, key)
}
