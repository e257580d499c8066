// Package pipeline is the stages that work moves through, from its due time to the
// webhook that tells of it:
//
//	PostgreSQL ─ jobs ─▶ delay ─┬─▶ topic publish ─▶ publish ─▶ platform
//	gateway ── due now ─────────┘                       │ finish: state, events, jobs
//	                            ├─▶ topic comment ─▶ comment ─▶ platform
//	                            └─▶ topic notify  ─▶ deliver ─▶ receiver
//	outbox ─▶ topic events ─▶ expand (deliveries)
//
// A stage that calls somebody (publish, comment, notify) is a caller: it reads ahead
// into a queue per account or receiver, takes from the queues in turn by workspace when a
// slot is free, claims in PostgreSQL, commits the offset, takes one step, and stores what
// came of it. A claim that is refused is an old or repeated message, dropped.
//
// Nothing sleeps here: a wait is a job with a later time, and delay fires it.
package pipeline
