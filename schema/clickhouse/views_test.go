package clickhouse_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

const documents = "../../docs/analytics.md"

func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(documents)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A change here breaks dashboards that others have: a view that has to change in what it has
// gets a new name.
func TestViewsHaveTheColumnsThatAreDocumented(t *testing.T) {
	conn := raw(t, migrated(t))
	var columns []struct {
		View string `ch:"view"`
		Name string `ch:"column"`
		Type string `ch:"kind"`
	}
	if err := conn.Select(t.Context(), &columns, `
		select table as view, name as column, type as kind from system.columns
		where database = currentDatabase() and table like 'crier\\_v%' order by table, position`); err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, c := range columns {
		have = append(have, c.View+" "+c.Name+" "+c.Type)
	}
	var want []string
	for _, view := range strings.Split(document(t), "\n### ")[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(view, "`"), "`")
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(view, -1) {
			want = append(want, name+" "+row[1]+" "+row[2])
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(have, want) || len(want) == 0 {
		t.Errorf("the views have\n%s\ndocumented are\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

func TestEachDocumentedQuestionHasAnAnswer(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	account := schema.NewID[schema.AccountID](noon)
	failed := w.fact(noon)
	failed.Type, failed.Code = schema.TargetHasFailed, "refused"
	facts := []schema.Event{failed}
	for _, e := range w.oneOfEach(account, noon) {
		facts = append(facts, e)
	}
	insert(t, store, facts...)
	insert(t, store, facts...)
	questions := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(document(t), -1)
	if len(questions) != 10 {
		t.Fatalf("%d questions are documented", len(questions))
	}
	for n, question := range questions {
		rows := read(t, conn, question[1], uuid.UUID(w))
		if rows == 0 {
			t.Errorf("question %d has no answer", n+1)
		}
		if rows := read(t, conn, question[1], uuid.New()); rows != 0 {
			t.Errorf("question %d tells another workspace of %d rows", n+1, rows)
		}
	}
	// what came twice counts once
	if n := number(t, conn, `select toUInt64(sum(targets)) from crier_v1_outcomes_hourly`); n != 2 {
		t.Errorf("%d targets are counted, want 2", n)
	}
}

func read(t *testing.T, conn driver.Conn, query string, workspace uuid.UUID) (n int) {
	t.Helper()
	day := func(at time.Time) string { return at.Format(time.DateOnly) }
	rows, err := conn.Query(t.Context(), query, clickhouse.Named("workspace", workspace.String()),
		clickhouse.Named("from", day(noon.AddDate(0, 0, -1))), clickhouse.Named("to", day(noon.AddDate(0, 0, 1))))
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
