package analytics_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crier/analytics/dashboards"
	"crier/schema"
	"crier/schema/clickhouse"
)

func TestViewsAreReadByName(t *testing.T) {
	f := newFixture(t)
	const token = "a token for this test"
	now := f.postgres.Now().UTC()
	event := schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: schema.TargetHasFailed, Workspace: f.workspace, Post: schema.NewID[schema.PostID](now), Account: schema.NewID[schema.AccountID](now),
		Platform: schema.Bluesky, At: now.Add(-time.Minute), Code: "=refused",
	}
	look := schema.Event{
		ID: schema.NewID[schema.EventID](now), Type: schema.FactFollowers, Workspace: f.workspace, Account: event.Account, Platform: schema.Bluesky, At: now,
		Data: []byte(`{"day":"` + now.Format(time.DateOnly) + `","followers":7}`),
	}
	stranger := event
	stranger.ID, stranger.Workspace = schema.NewID[schema.EventID](now), schema.NewID[schema.WorkspaceID](now)
	for range 2 {
		if err := f.clickhouse.Sink().Insert(t.Context(), []schema.Event{event, look, stranger}); err != nil {
			t.Fatal(err)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /views/{file}", dashboards.New(dashboards.Config{Store: f.clickhouse.Views(), Token: token, Now: f.postgres.Now, Logger: f.logger}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	get := func(path, token string) (int, []byte, http.Header) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/views/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, body, response.Trailer
	}
	type table struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
		More    bool     `json:"more"`
	}
	read := func(path string) (rows table) {
		status, body, _ := get(path, token)
		if err := json.Unmarshal(body, &rows); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, status, body, err)
		}
		return rows
	}
	if all := read("crier_v1_outcomes.json"); len(all.Rows) != 2 || all.More {
		t.Errorf("all = %+v", all)
	}
	if some := read("crier_v1_outcomes.json?limit=1"); len(some.Rows) != 1 || !some.More {
		t.Errorf("one of two = %+v", some)
	}
	own := "?workspace=" + f.workspace.String()
	if rows := read("crier_v1_followers.json" + own); len(rows.Rows) != 1 || rows.Rows[0][5] != 7.0 || rows.Rows[0][6] != nil {
		t.Errorf("followers = %+v", rows)
	}
	if rows := read("crier_v1_outcomes.json" + own + "&to=" + now.AddDate(0, 0, -1).Format(time.DateOnly)); len(rows.Rows) != 0 {
		t.Errorf("outcomes of before = %+v", rows)
	}
	for _, view := range clickhouse.ViewNames() {
		read(view + ".json")
	}
	status, body, trailer := get("crier_v1_outcomes.csv"+own, token)
	lines, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil || status != http.StatusOK || len(lines) != 2 || lines[1][7] != "'=refused" || trailer.Get("X-More") != "false" {
		t.Errorf("csv = %d %v, %v; %v", status, lines, err, trailer)
	}
	for path, want := range map[string]int{
		"crier_v1_outcomes": 400, "crier_v1_outcomes.xml": 400, "events.json": 404, "crier_v1_outcomes.json?workspace=x": 400,
		"crier_v1_outcomes.json?from=2026-01-02&to=2026-01-01": 400, "crier_v1_outcomes.json?from=2016-01-01": 400, "crier_v1_outcomes.json?limit=0": 400,
		"crier_v1_outcomes.json?query=select": 400, "crier_v1_platform_calls.json" + own: 400, "crier_v1_outcomes.json?from=soon": 400,
	} {
		if status, body, _ := get(path, token); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	for _, wrong := range []string{"", "another token, as long"} {
		if status, _, _ := get("crier_v1_outcomes.json", wrong); status != http.StatusUnauthorized {
			t.Errorf("with the token %q: %d", wrong, status)
		}
	}
	f.clickhouseRelay.cut()
	if status, body, _ := get("crier_v1_outcomes.json", token); status != http.StatusServiceUnavailable {
		t.Errorf("without ClickHouse: %d %s", status, body)
	}
}
