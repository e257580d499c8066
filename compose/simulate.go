package compose

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/sandbox"
)

// Simulate serves the platforms' simulators alone, without rate limits and with their
// controls, until ctx ends. Their state is in memory.
func Simulate(ctx context.Context, address string, log *slog.Logger) error {
	base := "http://" + address
	puller := egress.New(egress.Config{Allowed: everywhere()}) // it is for load and development
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.UnlimitedSimulators(), BaseURL: func() string { return base }, Now: time.Now, HTTP: puller.Client(),
	})
	if err != nil {
		return err
	}
	s, err := listen(ctx, "the simulators", address, simulators.SimulateHandler(), log)
	if err != nil {
		return err
	}
	return errors.Join(s.serve(ctx, time.Second), simulators.Close())
}
