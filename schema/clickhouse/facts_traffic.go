package clickhouse

import (
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

var deliveryTable = table{
	name: "deliveries",
	insert: `
		insert into deliveries (workspace, webhook, delivery, claim, event, attempt, outcome, code, seconds, lateness, at)`,
	append: func(block driver.Batch, e *schema.Event) error {
		f, err := factOf(e, func(*schema.DeliveryFact) time.Time { return e.At })
		if err != nil {
			return err
		}
		return block.Append(uuid.UUID(e.Workspace), uuid.UUID(f.Webhook), uuid.UUID(f.Delivery), f.Claim, string(f.Event),
			uint16(f.Attempt), f.Outcome, uint16(f.Code), f.Seconds, f.Lateness, e.At)
	},
}

var callsTable = table{
	name:   "platform_calls",
	insert: `insert into platform_calls (minute, process, platform, operation, outcome, calls, seconds, at)`,
	append: func(block driver.Batch, e *schema.Event) error {
		f, err := factOf(e, func(f *schema.PlatformCalls) time.Time { return f.Minute })
		if err != nil {
			return err
		}
		process, err := uuid.Parse(f.Process)
		if err != nil {
			return err
		}
		return block.Append(f.Minute, process, platformName(e.Platform), f.Operation, f.Outcome, uint64(f.Calls), f.Seconds, e.At)
	},
}

var usageTable = table{
	name:   "api_usage",
	insert: `insert into api_usage (workspace, minute, process, key, method, route, status, requests, seconds, at)`,
	append: func(block driver.Batch, e *schema.Event) error {
		f, err := factOf(e, func(f *schema.APIUsage) time.Time { return f.Minute })
		if err != nil {
			return err
		}
		process, err := uuid.Parse(f.Process)
		if err != nil {
			return err
		}
		return block.Append(uuid.UUID(e.Workspace), f.Minute, process, uuid.UUID(f.Key), f.Method, f.Route, uint16(f.Status),
			uint64(f.Requests), f.Seconds, e.At)
	},
}
