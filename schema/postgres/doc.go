// Package postgres keeps crier's state in PostgreSQL: all SQL is here and in the packages
// below. There is one type per consumer, with the methods that consumer needs.
//
// The stages are here, each named as its stage in pipeline:
//
//	delay   ─▶ Delay      due jobs, and maintenance of them
//	publish ─▶ Publish    claims of targets, and what a step came to
//	comment ─▶ Comment    the same for first comments
//	notify  ─▶ Notify     events to deliveries, claims and results of deliveries
//	refresh ─▶ Refresh    claims of renewals, and how accounts stand after them
//	sink    ─▶ Analytics  marks of events that ClickHouse has
//	collect ─▶ Collection what is read of accounts (in package collection)
//
// Everything else has a package of its own; that of a resource is named as in gateway:
//
//	              postgres: the stages, and what is put together here
//	Gateway    ─▶ posts, queues, accounts, media, webhooks, keys, billing, admission, engagement, feeds
//	Admin      ─▶ operation (with accounts, keys and billing)
//	Deletions  ─▶ deletion, for the API, the commands and who carries them out
//	Delay      ─▶ maintenance
//	Media      ─▶ media, for the cleanup
//	Collection ─▶ collection
//	Feeds      ─▶ feeds, for those that listen
//	              backup ─▶ migrations
//	                  │
//	                  ▼
//	              internal/tables       rows that several of them read and write
//	              internal/groupcommit  calls that share a transaction
//	                  │
//	                  ▼
//	              internal/db           connections, errors, ids, named parameters
//	              internal/clock        the clock of the server
//
// Each transition of a post is one transaction: the state and the jobs that follow from
// it. Locks are taken in one order everywhere: post, targets, jobs, each by id. The
// messages that a commit asks for are announced after it. A lost announcement loses
// nothing, since the job or the outbox row behind it sends them again.
package postgres
