package main

import (
	"context"
	"log/slog"

	"crier/compose"
)

type simulateCommand struct {
	Listen string `default:"127.0.0.1:8090" file:"-" help:"Address of the simulators."`
}

// Run serves the simulators until it is told to stop.
func (s *simulateCommand) Run(ctx context.Context, logger *slog.Logger) error {
	return compose.Simulate(ctx, s.Listen, logger)
}
