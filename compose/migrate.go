package compose

import (
	"context"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// Migrate brings parts that are reached by URL to this version.
func Migrate(ctx context.Context, c Config) error {
	if err := postgres.Migrate(ctx, c.Postgres); err != nil {
		return err
	}
	if err := clickhouse.Migrate(ctx, c.ClickHouse); err != nil {
		return err
	}
	log, err := stream.Open(ctx, stream.Config{
		Brokers: c.Kafka, ClientID: "crier-migrate", Logger: c.Logger, Registerer: c.Registerer, Now: time.Now,
	})
	if err != nil {
		return err
	}
	defer log.Close()
	return log.EnsureTopics(ctx, schema.Topics())
}
