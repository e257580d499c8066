package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const (
	// readRows is how many rows each of the large tables has.
	readRows = 4000
	// readChunk is what statements get for each of their numbers: the size of their pages, among others.
	readChunk = 10
	// readsPerRow is how many rows a statement may read for each that it returns or changes.
	readsPerRow = 20
)

// smallTables have few rows in any installation: a statement may read them whole.
var smallTables = map[string]bool{
	"event_positions": true, "holds": true, "installation_keyset": true, "wall_secrets": true, "plans": true, "restores": true,
	"resumes": true, "sweeps": true, "deletions": true, "redeliveries": true, "streams": true, "dropped_keys": true, "app_turns": true,
	"app_quotas": true, "server_apps": true,
}

const (
	ofCatalog  = "the catalog of PostgreSQL, once in a while"
	ofPeople   = "users, their memberships and sessions: people, not posts; at their sign-in, or their end"
	ofOperator = "a command, or a start, that looks at everything"
	ofListener = "monitors are bounded, and held in memory by the one process that listens"
	ofDeletion = "what a deletion finds by no index, in chunks"
	ofChore    = "a chore's page; what it passes over is bounded by its own limits"
)

// readsMore are statements that may read more: by their place, what it is that they read.
var readsMore = map[string]string{
	"backup/backup.go describeTables":         ofCatalog,
	"backup/backup.go inOrderOfReference":     ofCatalog,
	"deletion/profiles.go ForgetProfiles":     ofChore,
	"deletion/scan.go relations":              ofCatalog,
	"deletion/scan.go outbox":                 ofDeletion,
	"deletion/stop.go queueStopAccounts":      ofDeletion,
	"feeds/searches.go DueSearches":           ofListener,
	"feeds/streams.go Listening":              ofListener,
	"feeds/streams.go listeningWorkspaces":    ofListener,
	"feeds/streams.go keywordShare":           ofListener,
	"internal/tables/charges.go queueMonths":  "versions of a month, of which there is one but for a moment",
	"internal/tables/charges.go ReadUsed":     "versions of a month, of which there is one but for a moment",
	"keys/devices.go CreateDevice":            "requests of devices, which last for minutes",
	"maintenance/observation.go Observe":      "accounts by platform, once in ten seconds and more",
	"maintenance/review.go holdPosts":         ofOperator,
	"maintenance/sweep_posts.go findSuspects": ofChore,
	"media/expiry.go ExpireMedia":             ofChore,
	"media/expiry.go RemovableMedia":          ofChore,
	"operation/release.go queueRelease":       ofOperator,
	"mail/outbox.go Claim":                    "mail that has expired, until a chore deletes it",
	"people/email.go ProveEmail":              "links to sign in, which last for an hour at most",
	"people/invitations.go mayInvite":         ofPeople,
	"people/links.go ownAtFirst":              ofPeople,
	"people/sessions.go beginSession":         ofPeople,
	"people/sign_in.go setPassword":           ofPeople,
	"people/users.go LastOf":                  ofOperator,
	"people/users.go Memberships":             ofPeople,
	"people/users.go RemoveUser":              ofPeople,
	"restores/findings.go ToLook":             ofOperator,
	"restores/mark.go Undone":                 ofOperator,
	"restores/posts.go Looks":                 ofOperator,
}

// TestStatementsReadLittle runs each of internal/sql/statements.sql on generated rows. A statement that reads a table whole, or
// more than a page for what it returns, becomes slow with the number of rows.
func TestStatementsReadLittle(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, f.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	f.RunChore(f.Delay.MakePartitions)
	fillTables(t, conn)
	ran := 0
	for _, s := range statementsOf(t) {
		reads, rows, err := readsOf(ctx, conn, s.text)
		switch {
		case errors.Is(err, errNotRun) || isPart(s.place):
			continue
		case err != nil:
			t.Errorf("%s: %v\n%s", s.place, err, s.text)
			continue
		}
		ran++
		if bound := readsPerRow * (rows + readChunk); reads > bound && readsMore[s.place] == "" {
			t.Errorf("%s reads %d rows for %d:\n%s", s.place, reads, rows, s.text)
		}
	}
	t.Logf("%d statements ran", ran)
}

// isPart is true of what is a part of a statement, or about a table that is there after a restore alone.
func isPart(place string) bool {
	return strings.HasPrefix(place, "posts/list") || strings.HasPrefix(place, "posts/search.go") || slices.Contains([]string{
		"backup/backup.go noteRestored", "restores/mark.go Adopt", "maintenance/promotion.go nextDay",
	}, place)
}

type namedStatement struct{ place, text string }

func statementsOf(t *testing.T) (all []namedStatement) {
	t.Helper()
	text, err := os.ReadFile("internal/sql/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n\n-- ")[1:] {
		place, statement, _ := strings.Cut(part, "\n")
		all = append(all, namedStatement{place, strings.TrimSuffix(strings.TrimSpace(statement), ";")})
	}
	return all
}

// fillTables fills what is large with rows that hang together: the nth of each has the nth id, and the workspace and
// the account of a hundred, or two hundred, that it shares.
func fillTables(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	ctx := t.Context()
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	exec(`create function nth(n bigint) returns uuid language sql immutable as $$
		select (lpad(to_hex(1795000000000 + n * 60000), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 5, 15))::uuid $$`)
	exec(`set session_replication_role = replica`) // without foreign keys
	rows, err := conn.Query(ctx, `
		select c.relname, string_agg(quote_ident(a.attname), ', ' order by a.attnum), array_agg(a.attname::text order by a.attnum),
			array_agg(format_type(a.atttypid, null) order by a.attnum)
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		  and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' group by c.relname order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	type table struct {
		name, list   string
		names, types []string
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x table, err error) {
		err = row.Scan(&x.name, &x.list, &x.names, &x.types)
		return x, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tables {
		if smallTables[x.name] || x.name == "goose_db_version" {
			continue
		}
		values := make([]string, len(x.names))
		for i, name := range x.names {
			values[i] = valueOf(x.name, name, x.types[i])
		}
		_, err := conn.Exec(ctx, fmt.Sprintf(`insert into %s (%s) select %s from generate_series(1, %d) n on conflict do nothing`, x.name, x.list, strings.Join(values, ", "), readRows))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	exec(`analyze`)
}

// valueOf is the value of a column in the nth row of a table.
func valueOf(table, name, kind string) string {
	if name == "reply_to" {
		return "null" // a comment is of a post, or replies to an item
	}
	switch kind {
	case "uuid":
		switch name {
		case "post_id":
			return "nth(n)"
		case "workspace_id":
			return "nth(n % 100 + 1)"
		case "account_id", "webhook_id", "user_id":
			return "nth(n % 200 + 1)"
		case "live_id":
			return "null"
		}
		return "nth(n)"
	case "smallint", "integer", "bigint":
		return "(n % 3 + 1)"
	case "boolean":
		return "n % 2 = 0"
	case "timestamp with time zone":
		if table == "jobs_far" {
			return "now() + n * interval '1 minute'"
		}
		switch name {
		case "ended_at":
			return "now() - n * interval '1 second'"
		case "disconnected_at", "deleting_at", "revoked_at":
			return "case when n % 2 = 0 then now() - n * interval '1 minute' end"
		}
		return "now() - n * interval '1 minute'"
	case "date":
		return "current_date - (n % 60)::int"
	case "interval":
		return "interval '1 minute'"
	case "json", "jsonb":
		return "'{}'"
	case "bytea":
		return "decode(md5(n::text), 'hex')"
	}
	if strings.HasSuffix(kind, "[]") {
		return "'{}'"
	}
	return "'x' || n"
}

var (
	errNotRun = errors.New("not run")
	atName    = regexp.MustCompile(`@([a-z_]+)`)
	notRun    = regexp.MustCompile(`(?i)^(create|alter|drop|truncate|begin|set|reset|copy|listen|lock)\b|pg_advisory|\{[a-z_]+\}`)
)

// readsOf runs a statement in a transaction that is rolled back, and returns how many rows of tables it reads, and
// how many it returns or changes.
func readsOf(ctx context.Context, conn *pgx.Conn, text string) (reads, rows int, err error) {
	if notRun.MatchString(text) {
		return 0, 0, errNotRun
	}
	names := pgx.NamedArgs{}
	for _, found := range atName.FindAllStringSubmatch(text, -1) {
		names[found[1]] = nil
	}
	if len(names) > 0 {
		if text, _, err = names.RewriteQuery(ctx, conn, text, nil); err != nil {
			return 0, 0, err
		}
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, tx.Rollback(ctx)) }()
	prepared, err := tx.Prepare(ctx, "", text)
	if err != nil {
		return 0, 0, err
	}
	values := make([][]byte, len(prepared.ParamOIDs))
	for i, oid := range prepared.ParamOIDs {
		if values[i], err = parameterOf(conn, oid); err != nil {
			return 0, 0, err
		}
	}
	result := conn.PgConn().ExecParams(ctx, `explain (analyze, timing off, summary off, format json) `+text, values, prepared.ParamOIDs, nil, nil).Read()
	if result.Err != nil {
		return 0, 0, result.Err
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal(result.Rows[0][0], &plans); err != nil {
		return 0, 0, err
	}
	return plans[0].Plan.reads(), plans[0].Plan.changes(), nil
}

// parameterOf is a value of a type, as text.
func parameterOf(conn *pgx.Conn, oid uint32) ([]byte, error) {
	kind, ok := conn.TypeMap().TypeForOID(oid)
	if !ok {
		return nil, fmt.Errorf("no type %d", oid)
	}
	const id = "01a1ee60-5f00-7c4c-8a42-3a0b923820dc"
	values := map[string]string{
		"uuid": id, "_uuid": "{" + id + "}", "int2": "2", "int4": fmt.Sprint(readChunk), "int8": fmt.Sprint(readChunk), "bool": "true",
		"text": "{}", "interval": "1 minute", "_interval": `{"1 minute"}`, "timestamptz": "2026-11-27 12:00Z", "_timestamptz": `{"2026-11-27 12:00Z"}`,
		"date": "2026-11-27", "_date": "{2026-11-27}", "_int2": "{2}", "_int4": "{2}", "_int8": "{2}", "_bool": "{t}", "_text": `{"{}"}`,
		"bytea": `\x00`, "_bytea": `{"\\x00"}`, "json": "{}", "jsonb": "{}", "_json": "{}", "tid": "(0,1)", "float8": "1", "_float8": "{1}", "cidr": "10.0.0.0/8", "_cidr": "{10.0.0.0/8}",
		"numeric": "1", "name": "x", "inet": "10.0.0.1", "varchar": "x", "regclass": "posts",
	}
	value, ok := values[kind.Name]
	if !ok {
		return nil, fmt.Errorf("no value of type %s", kind.Name)
	}
	return []byte(value), nil
}

// plan is a node of a plan that was carried out.
type plan struct {
	Node     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Recheck  float64 `json:"Rows Removed by Index Recheck"`
	Joined   float64 `json:"Rows Removed by Join Filter"`
	Plans    []plan
}

// reads is how many rows of tables are read.
func (p plan) reads() int {
	sum := 0.0
	if p.Relation != "" && strings.Contains(p.Node, "Scan") {
		sum = (p.Rows + p.Filtered + p.Recheck) * p.Loops
	}
	total := int(sum)
	for _, below := range p.Plans {
		total += below.reads()
	}
	return total
}

// changes is how many rows are returned or changed.
func (p plan) changes() int {
	total := int(p.Rows * p.Loops)
	for _, below := range p.Plans {
		if below.Node == "ModifyTable" {
			for _, source := range below.Plans {
				total += int(source.Rows * source.Loops)
			}
		}
	}
	if p.Node == "ModifyTable" && len(p.Plans) > 0 {
		total += int(p.Plans[0].Rows * p.Plans[0].Loops)
	}
	return total
}
