package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/lists"
)

// Analytics answers queries, each bound to a workspace. Duplicates of an event are in the
// same partition, so FINAL may treat each partition by itself.
type Analytics struct{ conn driver.Conn }

// PostCounts returns how often targets ended as posted or failed, ordered by day, platform
// and status. A target that is retried ends, and counts, more than once. Days without any
// are left out.
func (a *Analytics) PostCounts(ctx context.Context, workspace schema.WorkspaceID, filter schema.AnalyticsFilter) ([]schema.PostCount, error) {
	var open []string
	var ends string
	if filter.Post.IsZero() {
		var err error
		if open, err = a.openDays(ctx, workspace, schema.RollupOutcomes, filter); err != nil {
			return nil, err
		}
		ends = `
			select day, platform, outcome as status, targets
			from (` + daysOf("outcomes_daily", `day, account, toString(platform) as platform, toString(outcome) as outcome, targets`, ``, open) + `
			)
			where targets > 0 and ` + ofAccounts
	} else { // what is counted beforehand knows no posts
		ends = `
			select toDate(at) as day, toString(platform) as platform, if(type = 'target.posted', 'posted', 'failed') as status, 1 as targets
			from events final
			where workspace = {workspace:UUID} and toDate(at) between {from:Date} and {to:Date}
				and type in ('target.posted', 'target.failed') and ` + selected
	}
	rows, err := a.conn.Query(ctx, `
		select day, platform, status, sum(targets)
		from (`+ends+`
		)
		group by day, platform, status
		order by day, platform, status
		settings do_not_merge_across_partitions_select_final = 1`, append(selection(workspace, filter), clickhouse.Named("open", open))...)
	found, err := collect(rows, err, scanPostCount)
	return found, wrap(err, "counting posts")
}

func scanPostCount(rows driver.Rows, c *schema.PostCount) error {
	var platform string
	var count uint64
	if err := rows.Scan(&c.Day, &platform, &c.Status, &count); err != nil {
		return err
	}
	c.Day, c.Count = c.Day.UTC(), int(count)
	return c.Platform.UnmarshalText([]byte(platform))
}

// Events returns a workspace's events after f.After, ordered by position and then by id, at
// most f.Limit of them. An event keeps its first position, however often it is inserted.
func (a *Analytics) Events(ctx context.Context, workspace schema.WorkspaceID, f schema.EventFilter) ([]schema.Event, error) {
	names := lists.Map(f.Types, func(t schema.EventType) string { return string(t) })
	rows, err := a.conn.Query(ctx, `
		select id, type, workspace, post, account, platform, at, lateness, code, data, position
		from events final
		where workspace = {workspace:UUID}
			and position between {from:Int64} and {to:Int64}
			and (position, toUInt128(id)) > ({from:Int64}, toUInt128({after:UUID}))
			and type in {types:Array(String)}
		order by position, toUInt128(id)
		limit {limit:UInt32}
		settings do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1`,
		id("workspace", workspace), clickhouse.Named("from", f.After.Position), clickhouse.Named("to", f.UpTo),
		id("after", f.After.ID), clickhouse.Named("types", names), clickhouse.Named("limit", f.Limit))
	events, err := collect(rows, err, scanEvent)
	return events, wrap(err, "reading events")
}

// Position returns the position of an event of a workspace; there is false if there is no
// such event.
func (a *Analytics) Position(ctx context.Context, workspace schema.WorkspaceID, event schema.EventID) (position int64, there bool, err error) {
	rows, err := a.conn.Query(ctx, `
		select position from events
		where workspace = {workspace:UUID} and id = {id:UUID} and toDate(at) between {day:Date} - 1 and {day:Date} + 1
		limit 1`,
		id("workspace", workspace), id("id", event), day("day", event.Time()))
	positions, err := collect(rows, err, func(rows driver.Rows, p *int64) error { return rows.Scan(p) })
	if err != nil || len(positions) == 0 {
		return 0, false, wrap(err, "looking for an event")
	}
	return positions[0], true, nil
}

func scanEvent(rows driver.Rows, e *schema.Event) error {
	var event, workspace, post, account uuid.UUID
	var kind, platform, data string
	if err := rows.Scan(&event, &kind, &workspace, &post, &account, &platform, &e.At, &e.Lateness, &e.Code, &data, &e.Position); err != nil {
		return err
	}
	e.ID, e.Type, e.Workspace = schema.EventID(event), schema.EventType(kind), schema.WorkspaceID(workspace)
	e.Post, e.Account = schema.PostID(post), schema.AccountID(account)
	e.At = e.At.UTC()
	if data != "" {
		e.Data = []byte(data)
	}
	return readPlatform(&e.Platform, platform)
}

// readPlatform reads what platformName returns.
func readPlatform(p *schema.Platform, name string) error {
	if name == "" {
		return nil
	}
	return p.UnmarshalText([]byte(name))
}

// platformName returns a platform as the table stores it: empty for none.
func platformName(p schema.Platform) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// id is a parameter of an id of any of schema's types.
func id(name string, value interface{ Bytes() [16]byte }) driver.NamedValue {
	return clickhouse.Named(name, uuid.UUID(value.Bytes()).String())
}

// day is a parameter of the UTC day of a time.
func day(name string, at time.Time) driver.NamedValue {
	return clickhouse.Named(name, at.UTC().Format(time.DateOnly))
}

// collect scans all rows, and closes them.
func collect[T any](rows driver.Rows, err error, scan func(driver.Rows, *T) error) (all []T, _ error) {
	err = each(rows, err, func() error {
		var row T
		err := scan(rows, &row)
		all = append(all, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// each calls take at each of the rows, and closes them.
func each(rows driver.Rows, err error, take func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close() // rows.Err reports its errors
	for rows.Next() {
		if err := take(); err != nil {
			return err
		}
	}
	return rows.Err()
}
