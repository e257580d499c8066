package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"crier/schema"
	"crier/schema/lists"
)

// Since reads events of all workspaces, for a database that may have gone back to an earlier moment.
type Since struct{ conn driver.Conn }

// Since returns the store of events of all workspaces.
func (s *Store) Since() *Since { return &Since{conn: s.conn} }

// Beyond returns the highest position above one of events up to a time, and the newest of these times;
// zeroes where there is none. It reads little beyond what is above: the table has the least and the highest position of
// each of its parts.
func (s *Since) Beyond(ctx context.Context, position int64, upto time.Time) (highest int64, at time.Time, err error) {
	var n uint64
	row := s.conn.QueryRow(ctx, `
		select count(), max(position), max(at) from events where position > {position:Int64} and at <= {upto:DateTime64(6, 'UTC')}`,
		clickhouse.Named("position", position), moment("upto", upto))
	if err := row.Scan(&n, &highest, &at); err != nil {
		return 0, time.Time{}, wrap(err, "reading the newest event")
	}
	if n == 0 {
		return 0, time.Time{}, nil
	}
	return highest, at.UTC(), nil
}

// Events returns events of some types and times after a place, ordered by position and then by id, at most
// limit.
func (s *Since) Events(ctx context.Context, after schema.EventPlace, from, to time.Time, types []schema.EventType, limit int) ([]schema.Event, error) {
	names := lists.Map(types, func(t schema.EventType) string { return string(t) })
	rows, err := s.conn.Query(ctx, `
		select id, type, workspace, post, account, platform, at, lateness, code, '', position
		from events
		where position >= {position:Int64} and (position, toUInt128(id)) > ({position:Int64}, toUInt128({after:UUID}))
			and at > {from:DateTime64(6, 'UTC')} and at <= {to:DateTime64(6, 'UTC')}
			and type in {types:Array(String)}
		order by position, toUInt128(id)
		limit {limit:UInt32}`,
		clickhouse.Named("position", after.Position), id("after", after.ID), moment("from", from), moment("to", to),
		clickhouse.Named("types", names), clickhouse.Named("limit", limit))
	events, err := collect(rows, err, scanEvent)
	return events, wrap(err, "reading events of all workspaces")
}

// moment is a parameter of a time.
func moment(name string, at time.Time) driver.NamedValue {
	return clickhouse.Named(name, at.UTC().Format("2006-01-02 15:04:05.000000"))
}
