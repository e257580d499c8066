package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"crier/compose"
)

type migrateCommand struct {
	partitionsFlag
	Postgres   string `required:"" help:"URL of PostgreSQL."`
	Kafka      string `required:"" help:"Brokers of Kafka, host:port[,…]."`
	Clickhouse string `required:"" help:"URL of ClickHouse's HTTP interface."`
}

// Run migrates the parts that crier does not run itself.
func (m *migrateCommand) Run(ctx context.Context, logger *slog.Logger) error {
	err := compose.Migrate(ctx, compose.Config{
		Partitions: m.on(m.Kafka),
		Postgres:   m.Postgres, Kafka: strings.Split(m.Kafka, ","), ClickHouse: m.Clickhouse,
		Logger: logger, Registerer: newRegistry(),
	})
	if err == nil {
		fmt.Println("PostgreSQL, ClickHouse and the topics are of this version.")
	}
	return err
}
