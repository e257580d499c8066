package compose

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"crier/connectors/catalog"
	"crier/connectors/egress"
	"crier/connectors/sandbox"
	"crier/connectors/wall"
)

// Simulate serves the platforms' simulators alone, without rate limits and with their
// controls, until ctx ends. Their state is in memory, but for media, in a folder that goes with
// them. They have one wall, which anybody finds.
func Simulate(ctx context.Context, address string, log *slog.Logger) (err error) {
	base := "http://" + address
	folder, err := os.MkdirTemp("", "crier-simulate-")
	if err != nil {
		return fmt.Errorf("making a folder for media: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	puller := egress.New(egress.Config{Allowed: everywhere()}) // it is for load and development
	simulators, err := sandbox.New(sandbox.Config{
		Simulators: catalog.UnlimitedSimulators(), BaseURL: func() string { return base }, Now: time.Now, HTTP: puller.Client(),
		Gallery: folder, OneWall: true, Walls: wall.NewAddresses([]byte(rand.Text())),
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
