// Package clickhouse is every line of SQL for ClickHouse, where events are kept.
//
//	sink    ─▶ Sink      blocks of events
//	gateway ─▶ Analytics counts, and the events themselves
//
// There is one table of events. Delivery is at least once, so an event may be inserted
// any number of times; its id is its identity. Repetitions are dropped when ClickHouse
// merges, which may be never, so every query drops them itself, with FINAL. Nothing is
// counted at insertion: what an insertion adds up counts repetitions too.
//
// Every query names its workspace, and values reach the server as parameters only.
package clickhouse
