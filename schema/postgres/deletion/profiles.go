package deletion

import (
	"context"
	"time"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// ForgetProfiles erases what platforms have said of accounts that were disconnected longer ago
// than it is kept: their names, what they were allowed, who had consented. The rows stay, since
// posts name them, and the profile's id, by which an account comes back.
func (s *Store) ForgetProfiles(ctx context.Context, retentions map[schema.Platform]time.Duration) (rows int, more bool, err error) {
	platforms, before := make([]schema.Platform, 0, len(retentions)), make([]time.Time, 0, len(retentions))
	for platform, retention := range retentions {
		platforms, before = append(platforms, platform), append(before, s.Now().Add(-retention))
	}
	tag, err := s.Pool.Exec(ctx, `
		update accounts set name = '', settings = '{}', person = null, checked_at = null where id in (
			select a.id from unnest($1::int2[], $2::timestamptz[]) u (platform, before) join accounts a on a.platform = u.platform
			where a.disconnected_at < u.before and (a.name <> '' or a.settings::text <> '{}' or a.person is not null) limit $3)`,
		platforms, before, tables.HistoryChunk)
	if err != nil {
		return 0, false, db.Wrap(err, "forgetting profiles")
	}
	rows = int(tag.RowsAffected())
	return rows, rows == tables.HistoryChunk, nil
}
