package clickhouse

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
)

func TestAReaderGetsItsWorkspaceAlone(t *testing.T) {
	t.Parallel()
	config := Config{URL: embeddedtest.ClickHouse(t)}
	if err := Migrate(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	store, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	workspace := schema.NewID[schema.WorkspaceID](time.Now())
	statements := grantStatements("cri`er", "o'ther", workspace, "hunter2' or '1")
	all := strings.Join(statements, "\n")
	if strings.Contains(all, "hunter2") {
		t.Error("the password is in a statement")
	}
	for _, sql := range statements { // the embedded engine has no users, and knows the language
		if rows, err := store.conn.Query(t.Context(), `explain ast `+sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if err := rows.Close(); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}

	// What it may read is what the views are made of; each table of that has both policies first.
	granted := map[string]bool{}
	for _, grant := range regexp.MustCompile("(?m)^grant select on `cri\\\\`er`\\.`(\\w+)` to `crier_ws_\\w+`$").FindAllStringSubmatch(all, -1) {
		granted[grant[1]] = true
	}
	var tables []struct {
		Name  string `ch:"name"`
		Kind  string `ch:"engine"`
		Query string `ch:"query"`
		Whose bool   `ch:"whose"`
	}
	if err := store.conn.Select(t.Context(), &tables, `
		select name, engine, as_select as query,
			name in (select table from system.columns where database = currentDatabase() and name = 'workspace') as whose
		from system.tables where database = currentDatabase()`); err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(tables))
	for i, table := range tables {
		names[i] = table.Name
	}
	for _, table := range tables {
		switch {
		case !granted[table.Name]:
			if strings.HasPrefix(table.Name, "crier_v1_") && table.Whose {
				t.Errorf("%s may not be read", table.Name)
			}
			continue
		case !table.Whose:
			t.Errorf("%s may be read, and belongs to no workspace", table.Name)
		}
		if table.Kind == "View" {
			for _, part := range regexp.MustCompile(`(?i)\b(?:from|join)\s+(?:\w+\.)?(\w+)`).FindAllStringSubmatch(table.Query, -1) {
				if slices.Contains(names, part[1]) && !granted[part[1]] {
					t.Errorf("%s may be read, and not %s, of which it is made", table.Name, part[1])
				}
			}
			continue
		}
		of := "using workspace = toUUID('" + uuid.UUID(workspace).String() + "') as "
		for _, kind := range []string{"permissive", "restrictive"} {
			policy := slices.IndexFunc(statements, func(s string) bool {
				return strings.HasPrefix(s, "create row policy or replace") && strings.Contains(s, ".`"+table.Name+"` ") && strings.Contains(s, of+kind+" to `crier_ws_")
			})
			grant := slices.IndexFunc(statements, func(s string) bool {
				return strings.HasPrefix(s, "grant ") && strings.Contains(s, ".`"+table.Name+"` ")
			})
			if policy < 0 || grant < policy {
				t.Errorf("%s has its %s policy at %d, and is granted at %d", table.Name, kind, policy, grant)
			}
		}
	}
}
