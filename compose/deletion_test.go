package compose_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded"
	"crier/connectors/catalog"
	"crier/schema"
	"crier/schema/postgres"
)

// What the workspace has that is deleted, and of it what goes out at once.
var (
	deletedPosts = bySize(1_000, 200_000)
	deletedDue   = bySize(500, 40_000)
)

// TestAWorkspaceIsDeletedWhileItPublishes looks for what went out after the answer, for what is
// left anywhere, and at how late others are meanwhile.
func TestAWorkspaceIsDeletedWhileItPublishes(t *testing.T) {
	besideOthers(t)
	w := newWorldWith(t, childConfig{Raced: true, Kafka: testKafka(t), Late: 10 * time.Second}) // looks that had begun end within it
	quiet := w.in("quiet")
	others := quiet.connect(schema.Bluesky, bySize(0, 40))
	accounts := w.connect(schema.Mastodon, bySize(5, 50))
	w.callTest(w.key, "POST", "/keys", map[string]any{"name": "sandbox", "permissions": []string{"read"}, "test": true})
	w.receive("post.published")
	files := w.publishFiles(accounts[0])
	posts := w.createMany(accounts)
	var alone, beside time.Duration
	if full() {
		alone = quiet.lateness("alone", others[:len(others)/2], nil)
	}
	w.eventually(60*time.Second, "it publishes", func() bool { return len(w.simulated()) > deletedDue/100 })

	ids := append(w.namesOf(posts), w.keptAs(files)...)
	var begun struct {
		Deletion     struct{ ID string }
		Confirmation string
		Contents     struct{ Posts, OpenPosts int }
	}
	if status := w.call(http.MethodPost, "/deletions", map[string]any{"workspace": true}, &begun); status != http.StatusCreated || begun.Contents.Posts != deletedPosts+len(files) {
		t.Fatalf("asked: %d, %+v", status, begun)
	}
	path := "/deletions/" + begun.Deletion.ID
	var answered, done time.Time
	deleting := func() {
		began := time.Now()
		var status int
		for status = 0; status != http.StatusAccepted; {
			if status = w.call(http.MethodPost, path+"/confirm", map[string]any{"confirmation": begun.Confirmation}, nil); status == http.StatusUnauthorized {
				t.Error("the confirmation wants a key")
				return
			}
		}
		answered = time.Now()
		t.Logf("the answer took %v", answered.Sub(began))
		is := func(status string) func() bool {
			return func() bool {
				var now struct{ Deletion struct{ Status string } }
				w.call(http.MethodGet, path, nil, &now)
				return now.Deletion.Status == status || now.Deletion.Status == "done"
			}
		}
		if !full() { // where others' lateness is measured
			w.eventually(time.Minute, "it is being removed", is("removing"))
			time.Sleep(300 * time.Millisecond) // the claims of a process that dies sooner have to run out
			w.kill()
			w.start()
		}
		w.eventually(10*time.Minute, "nothing is left", is("done"))
		done = time.Now()
	}
	if full() {
		beside = quiet.lateness("beside", others[len(others)/2:], deleting)
	} else {
		deleting()
	}
	t.Logf("%d posts were gone %v after the answer; p99 of others' lateness: %v alone, %v beside", deletedPosts, done.Sub(answered), alone, beside)
	if limit := 2*alone + 100*time.Millisecond; beside > limit {
		t.Errorf("others' p99 is %v while it is deleted, want at most %v", beside, limit)
	}

	out := 0
	for _, s := range w.simulated() {
		if strings.HasPrefix(s.Text, "to be deleted 0") {
			if out++; s.CreatedAt.After(answered) {
				t.Errorf("%q went out %v after the answer", s.Text, s.CreatedAt.Sub(answered))
			}
		}
	}
	if out == 0 || out >= deletedDue {
		t.Errorf("%d of %d went out: it was not deleted while it published", out, deletedDue)
	}
	w.wantNothingOf(ids)
}

// publishFiles uploads a picture and a film, and has a post of each: one goes out, the other is
// of another day. It returns the uploads.
func (w *world) publishFiles(account schema.AccountID) (uploads []string) {
	w.Helper()
	for i, upload := range []string{w.upload(), w.uploadFilm(64)} {
		body := map[string]any{
			"content": "to be deleted with its file", "mediaItems": []any{map[string]any{"mediaId": upload}},
			"platforms": []any{map[string]any{"platform": "mastodon", "accountId": account}},
		}
		if body["publishNow"] = i == 0; i > 0 {
			delete(body, "publishNow")
			body["scheduledFor"] = time.Now().Add(48 * time.Hour)
		}
		if status := w.call(http.MethodPost, "/posts", body, nil); status != http.StatusCreated {
			w.Fatalf("creating a post with a file: %d", status)
		}
		uploads = append(uploads, upload)
	}
	return uploads
}

// keptAs returns how uploads are called in rows and in the media store, in which they are.
func (w *world) keptAs(uploads []string) (names []string) {
	w.Helper()
	for _, upload := range uploads {
		id, err := schema.ParseID[schema.MediaID](upload)
		if err != nil {
			w.Fatal(err)
		}
		names = append(names, upload, uuidOf(id))
	}
	if there := w.inStore(names); len(there) != len(uploads) {
		w.Fatalf("the media store has %v", there)
	}
	return names
}

// inStore returns the files of the media store that are called by one of some names.
func (w *world) inStore(names []string) (there []string) {
	w.Helper()
	err := filepath.WalkDir(filepath.Join(w.config.Data, "media"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.ContainsFunc(names, func(name string) bool { return strings.Contains(path, name) }) {
			there = append(there, path)
		}
		return nil
	})
	if err != nil {
		w.Error(err)
	}
	return there
}

// uuidOf is how an id stands in rows.
func uuidOf(id [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func (w *world) callTest(key, method, path string, body any) {
	w.Helper()
	if status, err := w.tryRequest(method, path, key, body, nil); err != nil || status >= 300 {
		w.Fatalf("%s %s: %d, %v", method, path, status, err)
	}
}

// running is where the parts of crier's own process are.
func (w *world) running() embedded.Addresses {
	w.Helper()
	running, err := embedded.Neighbour(w.config.Data)
	if err != nil {
		w.Fatal(err)
	}
	return running
}

// createMany creates posts past the daily caps: some due over the next seconds, the others over
// the next days.
func (w *world) createMany(accounts []schema.AccountID) (ids []schema.PostID) {
	w.Helper()
	store, err := postgres.Open(w.Context(), postgres.Config{
		URL: w.running().Postgres, MaxConns: 4, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close()
	creator := postgres.NewGateway(store, nil, func(p schema.Platform) schema.Constraints {
		c := catalog.Constraints(p)
		c.DailyCap = 0
		return c
	})
	workspace, err := postgres.NewAdmin(store).WorkspaceOfAccount(w.Context(), accounts[0])
	if err != nil {
		w.Fatal(err)
	}
	var posts []schema.Post
	now := store.Now()
	for i := range deletedPosts {
		due := now.Add(time.Duration(i) * time.Minute)
		if i < deletedDue {
			due = now.Add(bySize(time.Second, 15*time.Second) + time.Duration(i)*bySize(30*time.Second, 4*time.Minute)/time.Duration(deletedDue))
		}
		posts = append(posts, schema.Post{
			ID: schema.NewID[schema.PostID](now), Workspace: workspace, Version: 1, Status: schema.Scheduled, ScheduledFor: due, Timezone: "UTC",
			FromAPI: true, CreatedAt: now, UpdatedAt: now, Content: schema.Content{Entries: []schema.Entry{{Text: fmt.Sprintf("to be deleted %06d", i)}}},
			Targets: []schema.Target{{Account: accounts[i%len(accounts)], Platform: schema.Mastodon, FirstStep: schema.StepPublish}},
		})
		ids = append(ids, posts[len(posts)-1].ID)
	}
	chunks := make(chan []schema.Post)
	var creating sync.WaitGroup
	for range 4 {
		creating.Go(func() {
			for chunk := range chunks {
				if _, err := creator.Create(w.Context(), schema.Creation{Posts: chunk}); err != nil {
					w.Error(err)
				}
			}
		})
	}
	for chunk := range slices.Chunk(posts, 250) {
		chunks <- chunk
	}
	close(chunks)
	creating.Wait()
	return ids
}

// namesOf returns how the ids of the workspace stand in rows, and of posts every hundredth's.
func (w *world) namesOf(posts []schema.PostID) (ids []string) {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.running().Postgres)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(w.Context())
	rows, err := conn.Query(w.Context(), `
		select id::text from workspaces where name = $1
		union all select a.id::text from accounts a join workspaces w on w.id = a.workspace_id where w.name = $1
		union all select k.id::text from api_keys k join workspaces w on w.id = k.workspace_id where w.name = $1`, w.workspace)
	if err != nil {
		w.Fatal(err)
	}
	if ids, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(ids) < 5 {
		w.Fatalf("ids = %v, %v", ids, err)
	}
	for i := 0; i < len(posts); i += max(len(posts)/100, 1) {
		id := posts[i]
		ids = append(ids, id.String(), uuidOf(id))
	}
	return ids
}

// wantNothingOf looks through every table of PostgreSQL, ClickHouse and the folder of media.
func (w *world) wantNothingOf(ids []string) {
	w.Helper()
	ctx := context.WithoutCancel(w.Context())
	conn, err := pgx.Connect(ctx, w.running().Postgres)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select oid::regclass::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`)
	if err != nil {
		w.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.Fatal(err)
	}
	wanted := "'" + strings.Join(ids, "|") + "'"
	for _, table := range tables {
		text := `t::text`
		if document := map[string]string{"outbox": "payload", "deliveries": "body", "dead_letters": "value"}[table]; document != "" {
			text += ` || encode(` + document + `, 'escape')`
		}
		var n int
		if err := conn.QueryRow(ctx, `select count(*) from `+table+` t where `+text+` ~ `+wanted).Scan(&n); err != nil || n > 0 {
			w.Errorf("table %s has %d rows that name what was deleted, %v", table, n, err)
		}
	}
	options, err := clickhouse.ParseDSN(w.running().ClickHouse)
	if err != nil {
		w.Fatal(err)
	}
	events, err := clickhouse.Open(options)
	if err != nil {
		w.Fatal(err)
	}
	defer events.Close()
	var n uint64
	if err := events.QueryRow(ctx, `select count() from events where toString(workspace) in (`+quotedList(ids)+`) or toString(account) in (`+quotedList(ids)+`)
		or toString(post) in (`+quotedList(ids)+`)`).Scan(&n); err != nil || n > 0 {
		w.Errorf("ClickHouse has %d events of what was deleted, %v", n, err)
	}
	if there := w.inStore(ids); len(there) > 0 {
		w.Errorf("%v are left", there)
	}
}

func quotedList(all []string) string { return "'" + strings.Join(all, "','") + "'" }
