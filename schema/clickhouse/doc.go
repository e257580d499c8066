// Package clickhouse holds all SQL for ClickHouse, where events are kept.
//
//	sink    ─▶ Sink      blocks of events
//	gateway ─▶ Analytics counts, and the events themselves
//
// There is one table of events. Delivery is at least once, so an event may be inserted any
// number of times; rows with the same id are one event. ClickHouse drops the duplicates
// when it merges, which may never happen, so every query drops them itself, with FINAL. No
// materialized view counts at insertion, since it would count duplicates too.
//
// Every query is bound to a workspace, and values reach the server as parameters only.
package clickhouse
