package page

import (
	"container/list"
	"sync"
	"time"
)

// How long pages are kept, and how many. One without all that it has is read again soon: its server may have
// been slow, or down.
const (
	cacheTime  = 24 * time.Hour
	missingFor = 5 * time.Minute
	maxPages   = 1000
	maxContent = 32 << 20 // bytes of all pictures
)

// cache keeps pages by address. Where there are too many, those go that were read first. It is safe for
// concurrent use.
type cache struct {
	mu      sync.Mutex
	pages   map[string]*list.Element // of cachedPage
	order   *list.List               // those read first at its front
	content int                      // bytes of pictures
}

type cachedPage struct {
	address string
	page    Page
	until   time.Time
}

func newCache() *cache { return &cache{pages: map[string]*list.Element{}, order: list.New()} }

// find returns the page of an address, if it is kept.
func (k *cache) find(address string, now time.Time) (Page, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	element := k.pages[address]
	if element == nil {
		return Page{}, false
	}
	entry := element.Value.(cachedPage)
	if now.After(entry.until) {
		k.remove(element)
		return Page{}, false
	}
	return entry.page, true
}

// keep keeps a page until a time, in place of what there was of its address.
func (k *cache) keep(address string, page Page, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before := k.pages[address]; before != nil {
		k.remove(before)
	}
	k.pages[address] = k.order.PushBack(cachedPage{address, page, until})
	for k.content += len(page.Picture.Content); len(k.pages) > maxPages || k.content > maxContent; {
		k.remove(k.order.Front())
	}
}

func (k *cache) remove(element *list.Element) {
	entry := k.order.Remove(element).(cachedPage)
	delete(k.pages, entry.address)
	k.content -= len(entry.page.Picture.Content)
}
