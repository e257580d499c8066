package connectors

import (
	"context"
	"sync"

	"crier/schema"
)

// DailyQuotas counts what apps have used of the quotas that their platforms give by the day,
// over all processes.
type DailyQuotas interface {
	// SpendQuota takes the cost of a call off a day's quota; false where not as much is left,
	// and nothing is taken.
	SpendQuota(ctx context.Context, q schema.QuotaCost) (spent bool, err error)
	// ExhaustQuota notes that nothing is left of a day's quota: the platform says so.
	ExhaustQuota(ctx context.Context, q schema.QuotaCost) error
}

// OwnQuotas are those of a process by itself: what was used is forgotten with it.
type OwnQuotas struct {
	mu   sync.Mutex
	used map[schema.QuotaCost]int // by name and day
}

// NewOwnQuotas returns quotas of which nothing is used.
func NewOwnQuotas() *OwnQuotas { return &OwnQuotas{used: map[schema.QuotaCost]int{}} }

// SpendQuota implements DailyQuotas. It knows one day of a quota.
func (o *OwnQuotas) SpendQuota(_ context.Context, q schema.QuotaCost) (spent bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	used := o.of(q)
	if o.used[used]+q.Cost > q.Max {
		return false, nil
	}
	o.used[used] += q.Cost
	return true, nil
}

// ExhaustQuota implements DailyQuotas.
func (o *OwnQuotas) ExhaustQuota(_ context.Context, q schema.QuotaCost) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	used := o.of(q)
	o.used[used] = max(o.used[used], q.Max)
	return nil
}

// of returns what a day of a quota is kept under, and forgets its other days.
func (o *OwnQuotas) of(q schema.QuotaCost) schema.QuotaCost {
	day := schema.QuotaCost{Name: q.Name, Day: q.Day.UTC()}
	for other := range o.used {
		if other.Name == day.Name && !other.Day.Equal(day.Day) {
			delete(o.used, other)
		}
	}
	return day
}
