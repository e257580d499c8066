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
