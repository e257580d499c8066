package compose

import (
	"context"
	"time"

	"crier/pipeline/stream"
	"crier/schema"
	"crier/schema/clickhouse"
	"crier/schema/postgres"
)

// Migrate brings the parts that are named, by URL or brokers, to this version, and returns
// which of them are: all of them, or those before the one that failed.
func Migrate(ctx context.Context, c Config) (migrated []string, err error) {
	for _, part := range []struct {
		name  string
		named bool
		bring func() error
	}{
		{"PostgreSQL", c.Postgres != "", func() error { return postgres.Migrate(ctx, c.Postgres) }},
		{"ClickHouse", c.ClickHouse != "", func() error {
			return clickhouse.Migrate(ctx, clickhouse.Config{URL: c.ClickHouse, TLS: c.ClickHouseTLS})
		}},
		{"the topics", len(c.Kafka) > 0, func() error { return migrateTopics(ctx, c) }},
	} {
		if !part.named {
			continue
		}
		if err := part.bring(); err != nil {
			return migrated, err
		}
		migrated = append(migrated, part.name)
	}
	return migrated, nil
}

func migrateTopics(ctx context.Context, c Config) error {
	log, err := stream.Open(ctx, stream.Config{
		Brokers: c.Kafka, Security: c.KafkaSecurity, ClientID: "crier-migrate", Logger: c.Logger, Registerer: c.Registerer, Now: time.Now,
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
			c.Logger.WarnContext(ctx, "a topic keeps the partitions that it was made with, not those of --partitions; docs/operating/operation.md says how to change them",
				"topic", t.Name, "partitions", has, "wanted", t.Partitions)
		}
	}
	return nil
}
