package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"crier/compose"
)

type migrateCommand struct {
	partitionsFlag
	Postgres   string `help:"URL of PostgreSQL."`
	Kafka      string `help:"Brokers of Kafka, host:port[,…]."`
	Clickhouse string `help:"URL of ClickHouse's HTTP interface."`
}

// Validate refuses to migrate nothing.
func (m *migrateCommand) Validate() error {
	if m.Postgres == "" && m.Kafka == "" && m.Clickhouse == "" {
		return errors.New("name what to migrate: --postgres, --kafka, --clickhouse, those of them that serve is told; serve migrates the others itself")
	}
	return m.partitionsFlag.Validate()
}

// Run migrates the parts that crier does not run itself.
func (m *migrateCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c := compose.Config{
		Partitions: m.on(m.Kafka), Postgres: m.Postgres, ClickHouse: m.Clickhouse,
		Logger: logger, Registerer: newRegistry(),
	}
	if m.Kafka != "" {
		c.Kafka = strings.Split(m.Kafka, ",")
	}
	migrated, err := compose.Migrate(ctx, c)
	for _, part := range migrated {
		fmt.Println("Of this version now:", part)
	}
	return err
}
