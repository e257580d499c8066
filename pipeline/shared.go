package pipeline

import (
	"log/slog"

	"crier/pipeline/stream"
)

// Shared is what all stages of a process share.
type Shared struct {
	Log     *stream.Log
	Logger  *slog.Logger
	Metrics *Metrics
}
