package admission

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
)

// usesInterval is how often the last uses of keys are stored.
const usesInterval = time.Minute

// keyUses collects the last uses of keys until they are stored. Each key comes here at
// most once a second, since gateways cache what Authenticate returns.
type keyUses struct {
	mu     sync.Mutex
	latest map[schema.KeyID]time.Time
}

func newKeyUses() *keyUses { return &keyUses{latest: map[schema.KeyID]time.Time{}} }

func (u *keyUses) note(key schema.KeyID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.latest[key] = at
}

func (u *keyUses) take() map[schema.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.latest
	u.latest = map[schema.KeyID]time.Time{}
	return taken
}

// StoreKeyUses stores the last uses of keys. A crash or a fault loses a minute of what is
// for display only.
func (s *Store) StoreKeyUses(ctx context.Context) error {
	latest := s.uses.take()
	if len(latest) == 0 {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(latest), func(a, b schema.KeyID) int { return slices.Compare(a[:], b[:]) })
	times := lists.Map(ids, func(id schema.KeyID) time.Time { return latest[id] })
	_, err := s.Pool.Exec(ctx, `
		update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
		from unnest($1::uuid[], $2::timestamptz[]) as u (id, at) where k.id = u.id`, ids, times)
	return db.Wrap(err, "storing when keys were used")
}

// keepKeyUses stores them every minute, and once more at the end. It also deletes windows
// of requests that are over.
func (s *Store) keepKeyUses() {
	ticker := time.NewTicker(usesInterval)
	defer ticker.Stop()
	for open := true; open; {
		select {
		case <-ticker.C:
		case <-s.Closing:
			open = false
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := errors.Join(s.StoreKeyUses(ctx), s.forgetWindows(ctx)); err != nil {
			s.Log.Warn("keeping house of keys failed", "err", err)
		}
		cancel()
	}
}
