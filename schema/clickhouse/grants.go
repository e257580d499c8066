package clickhouse

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

// Grants lets others read one workspace, on a server of ClickHouse: the embedded one has no users.
type Grants struct{ conn driver.Conn }

// Grants returns the store of readers.
func (s *Store) Grants() *Grants { return &Grants{conn: s.conn} }

// Reader returns the name of the user that reads a workspace, and whether the server has it.
func (g *Grants) Reader(ctx context.Context, workspace schema.WorkspaceID) (user string, there bool, err error) {
	user = readerOf(workspace)
	var found uint64
	err = g.conn.QueryRow(ctx, `select count() from system.users where name = {name:String}`, clickhouse.Named("name", user)).Scan(&found)
	return user, found > 0, granting(err)
}

// Grant makes the user that reads a workspace and nothing else, or brings one that is there to
// this version of crier. A password replaces the one it has; an empty one leaves that.
//
// The views read as who asks them, so the user may read their tables too, where row policies
// let it see the rows of its workspace alone. These come before the rights: it can be cut off
// anywhere, and be done again.
func (g *Grants) Grant(ctx context.Context, workspace schema.WorkspaceID, password string) error {
	var database, self string
	if err := g.conn.QueryRow(ctx, `select currentDatabase(), currentUser()`).Scan(&database, &self); err != nil {
		return granting(err)
	}
	for _, sql := range grantStatements(database, self, workspace, password) {
		if err := g.conn.Exec(ctx, sql); err != nil {
			return granting(err)
		}
	}
	return nil
}

// readerOf is the name of the user that reads a workspace.
func readerOf(workspace schema.WorkspaceID) string { return "crier_" + workspace.String() }

// innerViews are what public views are made of.
var innerViews = []string{
	"counted_outcomes_hourly", "counted_outcomes_daily", "counted_posts_daily", "counted_deliveries_hourly",
	"counted_api_usage_hourly", "counted_feed_hourly", "counted_platform_outcomes_hourly", "counted_feed_daily", "counted_platform_feed_hourly",
	"counted_feed_keywords_daily",
}

// grantStatements are what makes a user that reads a workspace. Its password goes to the server as
// a hash, since logs hold statements.
func grantStatements(database, self string, workspace schema.WorkspaceID, password string) []string {
	user, of := identifier(readerOf(workspace)), `workspace = toUUID('`+uuid.UUID(workspace).String()+`')`
	on := func(name string) string { return identifier(database) + "." + identifier(name) }
	statements := []string{`alter user ` + user + ` settings readonly = 2`}
	if password != "" {
		salt := rand.Text()
		hash := sha256.Sum256([]byte(password + salt))
		identified := ` identified with sha256_hash by '` + hex.EncodeToString(hash[:]) + `' salt '` + salt + `'`
		statements = []string{
			`create user if not exists ` + user + identified + ` settings readonly = 2`,
			`alter user ` + user + identified + ` settings readonly = 2`,
		}
	}
	for _, table := range erasables {
		// A table with a policy shows rows only to whom one names, where the server is set so:
		// crier names itself. The restrictive one holds whatever other policies there are.
		statements = append(statements,
			`create row policy if not exists crier_itself on `+on(table.table)+` for select using 1 as permissive to `+identifier(self),
			`create row policy or replace `+user+` on `+on(table.table)+` for select using `+of+` as permissive to `+user,
			`create row policy or replace `+identifier(readerOf(workspace)+"_alone")+` on `+on(table.table)+` for select using `+of+` as restrictive to `+user)
	}
	for _, view := range views {
		if !view.nobodys {
			statements = append(statements, `grant select on `+on(view.name)+` to `+user)
		}
	}
	for _, name := range innerViews {
		statements = append(statements, `grant select on `+on(name)+` to `+user)
	}
	for _, table := range erasables {
		statements = append(statements, `grant select on `+on(table.table)+` to `+user)
	}
	return statements
}

// identifier quotes a name.
func identifier(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}

// refusesAccess are the codes of ClickHouse's errors by which it refuses to manage users.
var refusesAccess = []int32{
	497, // ACCESS_DENIED
	514, // ACCESS_STORAGE_FOR_INSERTION_NOT_FOUND
}

func granting(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*clickhouse.Exception](err); ok && slices.Contains(refusesAccess, e.Code) {
		return fmt.Errorf("the user in --clickhouse may not make users: ClickHouse's access_management lets it, or grant it CREATE USER, ALTER USER, CREATE ROW POLICY, "+
			"and SELECT on its database with GRANT OPTION: %w", err)
	}
	return wrap(err, "granting")
}
