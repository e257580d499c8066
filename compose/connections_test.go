package compose_test

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose"
	"crier/compose/embedded/embeddedtest"
)

func TestConnectionsAreDividedByRole(t *testing.T) {
	for name, tt := range map[string]struct {
		roles                       string
		total                       int
		stages, requests, creations int
	}{
		"all":                       {"all", 0, 13, 6, 2},
		"the gateway alone":         {"gateway", 0, 2, 6, 2},
		"stages without it":         {"publish,comment", 0, 5, 0, 0},
		"nothing that wants any":    {"sandbox", 0, 2, 0, 0},
		"a total for all":           {"all", 60, 39, 18, 2},
		"the least for all":         {"all", 7, 2, 2, 2},
		"the least for a stage":     {"delay", 3, 2, 0, 0},
		"a total for one of stages": {"notify,analytics", 21, 20, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			roles, err := compose.ParseRoles(tt.roles)
			if err != nil {
				t.Fatal(err)
			}
			stages, requests, creations, total := compose.Connections(compose.Config{Roles: roles, PostgresConnections: tt.total})
			if stages != tt.stages || requests != tt.requests || creations != tt.creations {
				t.Errorf("%d for stages, %d for requests, %d for creations; want %+v", stages, requests, creations, tt)
			}
			if want := stages + requests + creations + 1; total != want || tt.total != 0 && total != tt.total {
				t.Errorf("%d in total, want %d", total, want)
			}
			if tt.total == 0 && 4*total > 97-8 {
				t.Errorf("four such processes open %d connections: with an operator's commands more than the 97 that PostgreSQL allows by default", 4*total)
			}
		})
	}
}

// What cannot work, or PostgreSQL does not allow, is said at the start.
func TestTooFewConnectionsAreSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		total int
		says  string
	}{
		"a total that starves a pool":   {6, "at least 7 are wanted"},
		"more than PostgreSQL allows":   {0, "allows this user 20 connections, and this process opens up to 22"},
		"as many as it allows, no more": {20, "run crier migrate"}, // it goes on to look at the tables
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startConfig(t)
			c.Postgres, c.PostgresConnections = limitedPostgres(t, 20), tt.total
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			if err := compose.Serve(ctx, c, nil); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Serve = %v, want an error that says %q", err, tt.says)
			}
		})
	}
}

// limitedPostgres is a database whose user may have so many connections.
func limitedPostgres(t *testing.T, limit int) string {
	t.Helper()
	address := embeddedtest.Postgres(t)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	user := "limited_" + strings.TrimPrefix(u.Path, "/")
	if _, err := conn.Exec(t.Context(), `create role `+user+` login password 'limited'`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `grant create on schema public to `+user); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `alter database `+strings.TrimPrefix(u.Path, "/")+` connection limit `+strconv.Itoa(limit)); err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, "limited")
	return u.String()
}
