package collection

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"crier/connectors"
	"crier/schema"
)

// collectFollowers looks at the account once a UTC day.
func collectFollowers(ctx context.Context, s Step) (schema.CollectionResult, error) {
	r := s.result()
	r.NextAt = nextDay(s.Account.ID, s.Now)
	source, ok := s.Connector.(connectors.FollowersSource)
	if !ok {
		return r, unsupported()
	}
	followers, err := source.Followers(ctx, s.Reading)
	if errors.Is(err, connectors.ErrNotTold) {
		return r, unsupported()
	} else if err != nil {
		return r, err
	}
	followers.Day = s.Now.UTC().Format(time.DateOnly)
	fact, err := s.fact(schema.FactFollowers, schema.PostID{}, followers)
	r.Facts = []schema.Event{fact}
	return r, err
}

// nextDay returns when an account is looked at on the UTC day after now: each has a time of its
// own, so that they do not come together.
func nextDay(account schema.AccountID, now time.Time) time.Time {
	day := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return day.Add(time.Duration(binary.BigEndian.Uint32(account[12:])) * (20 * time.Hour) / (1 << 32))
}
