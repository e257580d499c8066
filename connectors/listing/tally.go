package listing

import (
	"context"
	"time"
)

// Tally is what the listings have shown that were read under its context: for looks at all that an
// account has published since a time.
type Tally struct {
	Whole bool                // a listing was read back as far as that
	Part  bool                // other listings have more of what the account publishes
	Items map[string]struct{} // the ids of what was published since
}

type tallyKey struct{}

// WithTally returns a context under which searches note what they read.
func WithTally(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// note adds the items of a page that were made since a time.
func note(ctx context.Context, items []Item, since time.Time) {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	if t == nil {
		return
	}
	if t.Items == nil {
		t.Items = map[string]struct{}{}
	}
	for _, item := range items {
		if !item.At.Before(since) {
			t.Items[item.ID] = struct{}{}
		}
	}
}

// noteWhole notes that a listing was read as far as was asked for, which may be a part of what the account
// publishes.
func noteWhole(ctx context.Context, isPart bool) {
	if t, _ := ctx.Value(tallyKey{}).(*Tally); t != nil {
		t.Whole, t.Part = true, t.Part || isPart
	}
}
