package clickhouse_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

// dashboard is a file of Grafana's, as far as it asks ClickHouse.
type dashboard struct {
	Templating struct {
		List []struct{ Query string }
	}
	Panels []struct {
		Title   string
		Targets []struct{ RawSQL string }
	}
}

// asGrafana fills in what Grafana and its plugin of ClickHouse do.
func asGrafana(query string, workspace uuid.UUID) string {
	from, to := noon.AddDate(0, 0, -1), noon.AddDate(0, 0, 1)
	query = strings.ReplaceAll(query, "${workspace}", workspace.String())
	query = regexp.MustCompile(`\$__timeFilter\((\w+)\)`).ReplaceAllString(query,
		"$1 >= toDateTime('"+from.Format(time.DateTime)+"', 'UTC') and $1 <= toDateTime('"+to.Format(time.DateTime)+"', 'UTC')")
	return regexp.MustCompile(`\$__dateFilter\((\w+)\)`).ReplaceAllString(query,
		"$1 >= toDate('"+from.Format(time.DateOnly)+"') and $1 <= toDate('"+to.Format(time.DateOnly)+"')")
}

func TestEachQueryOfGrafanaHasAnAnswer(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	failed := w.fact(noon)
	failed.Type, failed.Code = schema.TargetHasFailed, "refused"
	facts := []schema.Event{failed}
	for _, e := range w.oneOfEach(schema.NewID[schema.AccountID](noon), noon) {
		facts = append(facts, e)
	}
	insert(t, store, facts...)
	files, err := filepath.Glob("../../compose/grafana/dashboards/*.json")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	queries := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, variable := range d.Templating.List {
			read(t, conn, variable.Query, uuid.UUID(w))
		}
		for _, panel := range d.Panels {
			for _, target := range panel.Targets {
				if target.RawSQL == "" {
					continue
				}
				queries++
				if n := read(t, conn, asGrafana(target.RawSQL, uuid.UUID(w)), uuid.UUID(w)); n == 0 {
					t.Errorf("%s: %s has no answer", path, panel.Title)
				}
				if n := read(t, conn, asGrafana(target.RawSQL, uuid.New()), uuid.UUID(w)); n != 0 {
					t.Errorf("%s: %s tells another workspace of %d rows", path, panel.Title, n)
				}
			}
		}
	}
	if queries < 10 {
		t.Errorf("%d queries were tried", queries)
	}
}
