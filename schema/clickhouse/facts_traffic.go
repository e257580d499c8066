package clickhouse

import (
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

var deliveryTable = table{
	name: "deliveries",
	insert: `
		insert into deliveries (workspace, webhook, delivery, claim, event, attempt, outcome, code, seconds, lateness, at)`,
	append: appendFact(func(e *schema.Event, f *schema.DeliveryFact) (time.Time, []any) {
		return e.At, []any{
			uuid.UUID(e.Workspace), uuid.UUID(f.Webhook), uuid.UUID(f.Delivery), f.Claim, string(f.Event),
			uint16(f.Attempt), f.Outcome, uint16(f.Code), f.Seconds, f.Lateness, e.At,
		}
	}),
}

var callsTable = table{
	name:   "platform_calls",
	insert: `insert into platform_calls (minute, process, platform, operation, outcome, calls, seconds, at)`,
	append: appendFact(func(e *schema.Event, f *schema.PlatformCalls) (time.Time, []any) {
		return f.Minute, []any{
			f.Minute, f.Process, platformName(e.Platform), f.Operation, f.Outcome, uint64(f.Calls), f.Seconds, e.At,
		}
	}),
}

var usageTable = table{
	name:   "api_usage",
	insert: `insert into api_usage (workspace, minute, process, key, method, route, status, requests, seconds, at)`,
	append: appendFact(func(e *schema.Event, f *schema.APIUsage) (time.Time, []any) {
		return f.Minute, []any{
			uuid.UUID(e.Workspace), f.Minute, f.Process, uuid.UUID(f.Key), f.Method, f.Route, uint16(f.Status),
			uint64(f.Requests), f.Seconds, e.At,
		}
	}),
}
