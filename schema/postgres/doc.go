// Package postgres is the store of crier's truth, PostgreSQL: all of its SQL stands here and
// in the packages below. There is one type per consumer, with what that consumer needs.
//
// The stages are here, each named as its stage in pipeline:
//
//	delay   ─▶ Delay     due jobs, and maintenance of them
//	publish ─▶ Publish   claims of targets, and what a step came to
//	comment ─▶ Comment   the same for first comments
//	notify  ─▶ Notify    events to deliveries, claims and results of deliveries
//	refresh ─▶ Refresh   claims of renewals, and how accounts stand after them
//	sink    ─▶ Analytics marks of events that ClickHouse has
//
// All else has a package of its own, that of a resource named as in gateway:
//
//	           postgres: the stages, and what is put together here
//	Gateway ─▶ posts, queues, accounts, media, webhooks, keys, billing, admission
//	Admin   ─▶ operation (with accounts, keys and billing)
//	Delay   ─▶ maintenance
//	           backup ─▶ migrations
//	               │
//	               ▼
//	           internal/tables       rows that several of them read and write
//	           internal/groupcommit  calls that share a transaction
//	               │
//	               ▼
//	           internal/db           connections, errors, ids, named parameters
//	           internal/clock        the clock of the server
//
// Each transition of a post is one transaction: the state and the jobs that follow
// from it. Locks are taken in one order everywhere: post, targets, jobs, each by id.
// What a commit asks of the log is announced after it; a lost announcement loses
// nothing, since the job or the outbox row behind it fires again by itself.
package postgres
