package postgrestest

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"crier/schema/postgres"
)

// Migrate makes the tables of a database, with the partitions that the role delay would make.
func Migrate(ctx context.Context, url string) error {
	if err := postgres.Migrate(ctx, url); err != nil {
		return err
	}
	store, err := postgres.Open(ctx, postgres.Config{URL: url, MaxConns: 1, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry()})
	if err != nil {
		return err
	}
	defer store.Close()
	_, _, err = postgres.NewDelay(store).MakePartitions(ctx)
	return err
}
