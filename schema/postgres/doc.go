// Package postgres is every line of SQL for PostgreSQL, which is crier's truth.
//
// There is one type per consumer, with what that consumer needs and nothing else:
//
//	gateway ─▶ Gateway   keys, creation by group commit, reads, edits, webhooks
//	delay   ─▶ Delay     due jobs, far jobs, the outbox's stragglers
//	publish ─▶ Publish   claims of targets, and what a step came to
//	comment ─▶ Comment   the same for first comments
//	notify  ─▶ Notify    events to deliveries, claims and results of deliveries
//	sink    ─▶ Analytics marks of events that ClickHouse has
//	crier   ─▶ Admin     workspaces, keys, accounts
//
// Each transition of a post is one transaction: the state and the jobs that follow
// from it. Locks are taken in one order everywhere: post, targets, jobs, each by id.
// What a commit asks of the log is announced after it; a lost announcement loses
// nothing, since the job or the outbox row behind it fires again by itself.
package postgres
