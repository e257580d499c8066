package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
)

// clickHouseName is the name of both the user and the database.
const clickHouseName = "crier"

// ClickHouse is ClickHouse's engine in a child process, behind its HTTP interface.
type ClickHouse struct {
	*supervisor
	data *Data
	url  string
}

// StartClickHouse starts the engine on the data folder and returns once it takes requests;
// ctx bounds only the start. lib is the path of libchdb, from LibPath. Acknowledged data
// survives the death of the child.
//
// SQL can read files and open connections as this process can, so it must never come from a
// stranger. There is one user, whose password is drawn at each start.
func StartClickHouse(ctx context.Context, d *Data, lib string, log *slog.Logger) (*ClickHouse, error) {
	config := clickHouseConfig{
		Lib: lib, Path: d.Path(partClickHouse), Spool: d.Path("clickhouse-spool"), Password: rand.Text(),
	}
	var s *supervisor
	if err := d.onPort(partClickHouse, func(port int) (err error) {
		config.Port = port
		s, err = supervise(ctx, partClickHouse, nil, config, log)
		return err
	}); err != nil {
		return nil, err
	}
	c := &ClickHouse{s, d, config.url()}
	if err := d.announce(partClickHouse, c.url); err != nil {
		return nil, errors.Join(err, c.Stop(ctx))
	}
	return c, nil
}

// URL returns the address of the database crier for clickhouse-go, over HTTP.
func (c *ClickHouse) URL() string { return c.url }

// Stop ends the engine once the requests in flight are done.
func (c *ClickHouse) Stop(ctx context.Context) error {
	return errors.Join(c.data.withdraw(partClickHouse), c.supervisor.Stop(ctx))
}

// clickHouseConfig is what the child gets from its parent.
type clickHouseConfig struct {
	Lib      string // path of libchdb
	Path     string // the engine's folder
	Spool    string // folder for inserts on their way
	Port     int
	Password string
}

func (c clickHouseConfig) url() string {
	u := url.URL{
		Scheme: "http", User: url.UserPassword(clickHouseName, c.Password),
		Host: hostPort(c.Port), Path: clickHouseName,
	}
	return u.String()
}
