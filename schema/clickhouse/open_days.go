package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"crier/schema"
)

// openDays returns the days of a workspace into which facts arrived since they were counted, of
// those of the filter. They are asked for before what is counted: counts are there before their
// day is closed.
func (a *Analytics) openDays(ctx context.Context, workspace schema.WorkspaceID, kind schema.RollupKind, filter schema.AnalyticsFilter) ([]string, error) {
	var found []struct {
		Day time.Time `ch:"day"`
	}
	if err := a.conn.Select(ctx, &found, `
		select day from rollup_open
		where kind = {kind:String} and workspace = {workspace:UUID} and day between {from:Date} and {to:Date}
		group by day
		having sum(n) <> 0`,
		clickhouse.Named("kind", string(kind)), id("workspace", workspace), day("from", filter.From), day("to", filter.To)); err != nil {
		return nil, wrap(err, "looking for open days")
	}
	days := make([]string, len(found))
	for i, f := range found {
		days[i] = f.Day.UTC().Format(time.DateOnly)
	}
	return days, nil
}

// daysOf reads columns of rollup_* of a workspace's days, and of the open ones from the facts: most
// ranges have few, those of the past none. which is a condition of the sorting key alone, as is all
// that stands before FINAL: the versions of a row are in it or out of it together.
func daysOf(rollup, columns, which string, open []string) string {
	const these = ` workspace = {workspace:UUID} and day between {from:Date} and {to:Date}`
	days := `
				select ` + columns + ` from rollup_` + rollup + ` final
				prewhere` + these + which + ` and day not in {open:Array(Date)}`
	if len(open) > 0 {
		days += `
				union all
				select ` + columns + ` from counted_` + rollup + `
				where` + these + which + ` and day in {open:Array(Date)}`
	}
	return days
}
