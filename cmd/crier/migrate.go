package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"crier/compose"
)

type migrateCommand struct {
	postgresFlags
	kafkaFlags
	partitionsFlag
	clickhouseFlags
}

// Validate refuses to migrate nothing.
func (m *migrateCommand) Validate() error {
	if m.Postgres == "" && m.Kafka == "" && m.Clickhouse == "" {
		return errors.New("name what to migrate: --postgres, --kafka, --clickhouse, those of them that serve is told; serve migrates the others itself")
	}
	return errors.Join(m.postgresFlags.Validate(), m.kafkaFlags.Validate(), m.partitionsFlag.Validate(), m.clickhouseFlags.Validate())
}

// Run migrates the parts that crier does not run itself.
func (m *migrateCommand) Run(ctx context.Context, logger *slog.Logger) error {
	c := compose.Config{Partitions: m.on(m.Kafka), Kafka: m.brokers(), Logger: logger, Registerer: newRegistry()}
	var err error
	if c.Postgres, err = m.url(); err != nil {
		return err
	}
	if c.KafkaSecurity, err = m.security(); err != nil {
		return err
	}
	if c.ClickHouse, c.ClickHouseTLS, err = m.reach(); err != nil {
		return err
	}
	migrated, err := compose.Migrate(ctx, c)
	for _, part := range migrated {
		fmt.Println("Of this version now:", part)
	}
	return err
}
