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
	return ensureTopics(ctx, c, log)
}

// ensureTopics makes the topics that are missing, with the partitions of the config. Those
// that are there keep theirs, and a difference is said.
func ensureTopics(ctx context.Context, c Config, log *stream.Log) error {
	wanted := schema.TopicsOf(c.Partitions, len(c.Kafka) == 0)
	if err := log.EnsureTopics(ctx, wanted); err != nil {
		return err
	}
	for _, t := range wanted {
		if has := log.Partitions(t.Name); has != t.Partitions {
			c.Logger.WarnContext(ctx, "a topic keeps the partitions that it was made with, not those of --partitions; docs/operation.md says how to change them",
				"topic", t.Name, "partitions", has, "wanted", t.Partitions)
		}
	}
	return nil
}
