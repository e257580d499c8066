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
	source, ok := connectors.Able[connectors.FollowersSource](s.Connector)
	if !ok {
		return r, unsupported()
	}
	followers, err := source.Followers(ctx, s.Reading)
	if errors.Is(err, connectors.ErrNotReported) {
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
	return day.Add(jitter(account, 20*time.Hour))
}

// nextTurn returns when an account is looked at again. Each account has a time of its own within an interval, so
// that accounts which were connected together do not stay together. The next look is at least half an interval away.
func nextTurn(account schema.AccountID, now time.Time, every time.Duration) time.Time {
	next := now.UTC().Truncate(every).Add(jitter(account, every))
	for next.Sub(now) < every/2 {
		next = next.Add(every)
	}
	return next
}

// jitter returns an account's own part of a time, the same at each call.
func jitter(account schema.AccountID, of time.Duration) time.Duration {
	return time.Duration(float64(binary.BigEndian.Uint32(account[12:])) / (1 << 32) * float64(of))
}
