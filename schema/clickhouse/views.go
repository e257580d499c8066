package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
	"crier/schema/lists"
)

// Views reads the views that dashboards read.
type Views struct{ conn driver.Conn }

// Views returns the store of dashboards.
func (s *Store) Views() *Views { return &Views{conn: s.reads} }

// view is one of crier_v1_*.
type view struct {
	name    string
	time    string // the column that the range is about
	day     bool   // which is a day
	nobodys bool   // it has no workspace
}

var views = []view{
	{name: "crier_v1_events", time: "at"},
	{name: "crier_v1_outcomes", time: "at"},
	{name: "crier_v1_outcomes_hourly", time: "hour"},
	{name: "crier_v1_outcomes_daily", time: "day", day: true},
	{name: "crier_v1_platform_outcomes_hourly", time: "hour"},
	{name: "crier_v1_post_metrics", time: "posted_at"},
	{name: "crier_v1_posts", time: "posted_at"},
	{name: "crier_v1_posts_daily", time: "day", day: true},
	{name: "crier_v1_followers", time: "day", day: true},
	{name: "crier_v1_inbox", time: "written_at"},
	{name: "crier_v1_feed", time: "written_at"},
	{name: "crier_v1_feed_hourly", time: "hour"},
	{name: "crier_v1_feed_daily", time: "day", day: true},
	{name: "crier_v1_platform_feed_hourly", time: "hour"},
	{name: "crier_v1_feed_keywords_daily", time: "day", day: true},
	{name: "crier_v1_deliveries", time: "at"},
	{name: "crier_v1_deliveries_hourly", time: "hour"},
	{name: "crier_v1_platform_calls", time: "minute", nobodys: true},
	{name: "crier_v1_api_usage", time: "minute"},
	{name: "crier_v1_api_usage_hourly", time: "hour"},
}

// ViewNames returns the names of the views.
func ViewNames() []string {
	return lists.Map(views, func(v view) string { return v.name })
}

// viewLimits end a query that reads more than a dashboard may cost.
const viewLimits = ` settings max_execution_time = 30, max_rows_to_read = 50000000`

// Read gives the rows of a view to take, in the order of their time, until it fails or Limit is
// reached; more says that rows are left. The columns come first, once.
func (v *Views) Read(ctx context.Context, q schema.ViewQuery, columns func([]string) error, take func([]any) error) (more bool, err error) {
	i := slices.IndexFunc(views, func(v view) bool { return v.name == q.View })
	if i < 0 {
		return false, &schema.Error{Kind: schema.NotFound, Message: "there is no such view"}
	}
	of := views[i]
	if of.nobodys && !q.Workspace.IsZero() {
		return false, &schema.Error{Kind: schema.Invalid, Message: of.name + " belongs to no workspace"}
	}
	// The names come from this file; what a request says is a parameter.
	query := `select * from ` + of.name + ` where ` + of.time + ` >= {from:DateTime} and ` + of.time + ` < {to:DateTime}`
	if of.day {
		query = `select * from ` + of.name + ` where ` + of.time + ` between toDate({from:DateTime}) and toDate({to:DateTime} - 1)`
	}
	if !q.Workspace.IsZero() {
		query += ` and workspace = {workspace:UUID}`
	}
	rows, err := v.conn.Query(ctx, query+` order by `+of.time+` limit {limit:UInt32}`+viewLimits,
		clickhouse.Named("from", q.From.UTC().Format(time.DateTime)), clickhouse.Named("to", q.To.UTC().Format(time.DateTime)),
		id("workspace", q.Workspace), clickhouse.Named("limit", q.Limit+1))
	if err != nil {
		return false, tooMuch(of.name, err)
	}
	defer rows.Close() // rows.Err reports its errors
	if err := columns(rows.Columns()); err != nil {
		return false, err
	}
	cells := make([]any, len(rows.Columns()))
	for n := 0; rows.Next(); n++ {
		if n == q.Limit {
			return true, nil
		}
		for i, kind := range rows.ColumnTypes() {
			cells[i] = reflect.New(kind.ScanType()).Interface()
		}
		if err := rows.Scan(cells...); err != nil {
			return false, fmt.Errorf("reading %s: %w", of.name, err)
		}
		row := make([]any, len(cells))
		for i, cell := range cells {
			row[i] = plain(reflect.ValueOf(cell).Elem())
		}
		if err := take(row); err != nil {
			return false, err
		}
	}
	return false, tooMuch(of.name, rows.Err())
}

// tooMuch tells of a query that would read more than a dashboard may cost.
func tooMuch(view string, err error) error {
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok && e.Code == codeTooManyRows {
		return &schema.Error{Kind: schema.Invalid, Message: view + " has more rows there than one answer may read; name a workspace or a shorter range", Err: err}
	}
	return wrap(err, "reading "+view)
}

// plain is a value as JSON shows it: nil, or a number, a bool, a text or a list.
func plain(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	}
	switch value := v.Interface().(type) {
	case uuid.UUID:
		return value.String()
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano)
	default:
		return value
	}
}
