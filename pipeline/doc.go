// Package pipeline is the stages that work moves through, from its due time to the
// webhook that tells of it:
//
//	PostgreSQL ─ jobs ─▶ delay ─┬─▶ topic publish ─▶ publish ─▶ platform
//	gateway ── due now ─────────┘                       │ finish: state, events, jobs
//	                            ├─▶ topic comment ─▶ comment ─▶ platform
//	                            ├─▶ topic refresh ─▶ refresh ─▶ platform (credentials)
//	                            ├─▶ topic collect ─▶ role analytics: see package collection
//	                            └─▶ topic notify  ─▶ notify  ─▶ receiver
//	outbox ─▶ topic events ─▶ expand: deliveries, to topic notify
//
// A stage that calls somebody (publish, comment, notify, refresh) is done by a worker: see
// package worker.
//
// Nothing sleeps here: a wait is a job with a later time, and delay fires it.
package pipeline

import (
	"log/slog"

	"crier/pipeline/stream"
	"crier/pipeline/worker"
)

// Shared is what all stages of a process share.
type Shared struct {
	Log     *stream.Log
	Logger  *slog.Logger
	Metrics *Metrics
	Hosts   *worker.Hosts // nil: nothing is known of accounts
}
