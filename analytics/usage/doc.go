// Package usage counts the requests and the calls to platforms of one process by the minute.
//
//	gateway, connectors ─▶ Counter ─ once a minute ─▶ outbox ─▶ ClickHouse
//
// What is counted stands in memory until its minute has ended: a process that is killed
// takes at most that minute, and what PostgreSQL did not take before, with it.
package usage
