package embeddedtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/jackc/pgx/v5"
)

func databaseName() string { return "test_" + strings.ToLower(rand.Text()) }

func executeClickHouse(address, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	options, err := clickhouse.ParseDSN(address)
	if err != nil {
		return err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec(ctx, statement)
}

func executePostgres(address, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil { // once more: PostgreSQL gives up who has not logged on within a minute
		conn, err = pgx.Connect(ctx, address)
	}
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// withPath returns the address with another database in it.
func withPath(address, database string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // our own parts make these addresses
	}
	u.Path = "/" + database
	return u.String()
}
