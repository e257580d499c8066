package clickhouse

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

// table is where events of a type are stored. Its sorting key and its partition follow from
// the event alone, so that a repetition replaces what was stored before.
type table struct {
	name   string
	insert string
	append func(block driver.Batch, e *schema.Event) error
}

// tableOf returns the table of an event's type: facts have one each, and all others share one.
func tableOf(t schema.EventType) *table {
	if fact, ok := factTables[t]; ok {
		return fact
	}
	return &eventTable
}

var factTables = map[schema.EventType]*table{
	schema.FactPostMetrics:   &postMetricsTable,
	schema.FactFollowers:     &followersTable,
	schema.FactInboxItem:     &inboxTable,
	schema.FactFeedItem:      &feedTable,
	schema.FactDelivery:      &deliveryTable,
	schema.FactPlatformCalls: &callsTable,
	schema.FactAPIUsage:      &usageTable,
}

// tablePart is those of a block's events that go to one table.
type tablePart struct {
	table  *table
	events []*schema.Event
}

// byTable sorts events by their tables, in the order in which these come.
func byTable(events []schema.Event) []tablePart {
	var parts []tablePart
	for i := range events {
		t := tableOf(events[i].Type)
		n := slices.IndexFunc(parts, func(p tablePart) bool { return p.table == t })
		if n < 0 {
			n, parts = len(parts), append(parts, tablePart{table: t})
		}
		parts[n].events = append(parts[n].events, &events[i])
	}
	return parts
}

var eventTable = table{
	name: "events",
	insert: `
		insert into events (id, type, workspace, post, account, platform, at, lateness, code, data, position)`,
	append: func(block driver.Batch, e *schema.Event) error {
		return block.Append(uuid.UUID(e.ID), string(e.Type), uuid.UUID(e.Workspace), uuid.UUID(e.Post), uuid.UUID(e.Account),
			platformName(e.Platform), e.At, e.Lateness, e.Code, string(e.Data), e.Position)
	},
}

// appendFact returns what appends the row of a fact and its event, unless the time is none that the table can do with.
func appendFact[T any](row func(*schema.Event, *T) (at time.Time, values []any)) func(driver.Batch, *schema.Event) error {
	return func(block driver.Batch, e *schema.Event) error {
		var fact T
		if err := json.Unmarshal(e.Data, &fact); err != nil {
			return err
		}
		at, values := row(e, &fact)
		if at.Year() < 1970 || at.Year() > 2105 {
			return errNoTime
		}
		return block.Append(values...)
	}
}

var errNoTime = errors.New("the fact lacks its time")
