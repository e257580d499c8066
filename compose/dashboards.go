package compose

import (
	"context"
	"crypto/rand"
	"errors"

	"crier/schema/clickhouse"
)

// Reader is a user of ClickHouse that reads one workspace.
type Reader struct {
	User     string
	Password string // that was made; empty: it was given, or is as it was
}

// GrantDashboards makes the user of a server of ClickHouse that reads a workspace's views and
// nothing else, or brings one that is there to this version of crier. Without a password a new
// user gets one that is made, and one that is there keeps its own.
func GrantDashboards(ctx context.Context, c Config, workspace, password string) (reader Reader, err error) {
	if c.ClickHouse == "" {
		return reader, errors.New("the embedded ClickHouse has no users: its views are read over HTTP at /views of the admin listener, with --views-token; name a server with --clickhouse to make users of it")
	}
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		w, err := o.admin.Workspace(ctx, workspace)
		if err != nil {
			return err
		}
		store, err := clickhouse.Open(ctx, clickhouse.Config{URL: c.ClickHouse, TLS: c.ClickHouseTLS})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		user, there, err := store.Grants().Reader(ctx, w.ID)
		if err != nil {
			return err
		}
		reader.User = user
		if password == "" && !there {
			reader.Password = rand.Text()
			password = reader.Password
		}
		return store.Grants().Grant(ctx, w.ID, password)
	})
	return reader, err
}
