package posts_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// plain seals nothing: these tests are about rows.
type plain struct{}

func (plain) SealText(_, text string) ([]byte, error)     { return []byte(text), nil }
func (plain) OpenText(_ string, b []byte) (string, error) { return string(b), nil }

func constraints(p schema.Platform) schema.Constraints { return schema.Constraints{Platform: p} }

// fixture is a database with a workspace that has an account.
type fixture struct {
	*testing.T
	url     string
	conn    *pgx.Conn
	account schema.Account
	key     schema.KeyID
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, url: embeddedtest.PostgresWith(t, postgres.Migrate)}
	var err error
	f.conn, err = pgx.Connect(t.Context(), f.url)
	f.must(err)
	t.Cleanup(func() { _ = f.conn.Close(context.Background()) })
	store := f.open(f.url)
	admin := postgres.NewAdmin(store)
	w, err := admin.MakeWorkspace(t.Context(), "acme", "operator", false)
	f.must(err)
	f.account = schema.Account{Workspace: w.ID, Platform: schema.Mastodon, NativeID: "1", Name: "a", Sealed: []byte("x")}
	f.account.ID, err = admin.AccountID(t.Context(), f.account)
	f.must(err)
	f.must(admin.PutAccount(t.Context(), f.account))
	f.key = schema.NewKeyID(store.Now())
	return f
}

// open connects as a process of its own.
func (f *fixture) open(address string) *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{URL: address, MaxConns: 3, Logger: slog.New(slog.DiscardHandler)})
	f.must(err)
	f.Cleanup(store.Close)
	return store
}

func (f *fixture) post() schema.Post {
	now := time.Now().UTC().Truncate(time.Microsecond)
	return schema.Post{
		ID: schema.NewPostID(now), Workspace: f.account.Workspace, Version: 1, Status: schema.Scheduled,
		ScheduledFor: now.Add(time.Hour), Timezone: "UTC", FromAPI: true, CreatedAt: now, UpdatedAt: now,
		Content: schema.Content{Entries: []schema.Entry{{Text: "hello"}}},
		Targets: []schema.Target{{Account: f.account.ID, Platform: schema.Mastodon, FirstStep: schema.StepPublish}},
	}
}

func (f *fixture) exec(sql string) {
	f.Helper()
	_, err := f.conn.Exec(f.Context(), sql)
	f.must(err)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// cutAt returns a URL of the same server, whose connections are cut when a client sends a
// text, before it arrives.
func cutAt(t *testing.T, address, text string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { forward(t, client, server, text) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	u.Host = listener.Addr().String()
	return u.String()
}

func forward(t *testing.T, client net.Conn, server, text string) {
	defer client.Close()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		t.Error(err)
		return
	}
	defer upstream.Close()
	go func() { _, _ = io.Copy(client, upstream) }() // until either is closed
	buffer := make([]byte, 1<<20)
	for {
		n, err := client.Read(buffer)
		if err != nil || bytes.Contains(buffer[:n], []byte(text)) {
			return
		}
		if _, err := upstream.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestARepetitionThatCannotBeAnsweredFailsAlone(t *testing.T) {
	f := newFixture(t)
	gateway := postgres.NewGateway(f.open(cutAt(t, f.url, "select i.lineage, i.key")), plain{}, constraints)
	request := func(key string) schema.Creation {
		return schema.Creation{
			Posts: []schema.Post{f.post()}, Response: []byte("{}"),
			Idempotency: &schema.Idempotency{Lineage: f.key, Key: key},
		}
	}
	if _, err := gateway.Create(t.Context(), request("used")); err != nil {
		t.Fatal(err)
	}
	free := request("")
	free.Idempotency = nil
	errs := gateway.CreateTogether(t.Context(), free, request("new"), request("used"))
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("those whose posts are there are answered %v and %v", errs[0], errs[1])
	}
	if e, ok := errors.AsType[*schema.Error](errs[2]); !ok || e.Kind != schema.Unavailable {
		t.Errorf("the one that cannot be answered is answered %v", errs[2])
	}
	var n int
	f.must(f.conn.QueryRow(t.Context(), `select count(*) from posts`).Scan(&n))
	if n != 3 {
		t.Errorf("%d posts are there, want three", n)
	}
}

func TestACommitThatEndsWhileItIsLookedForIsSeen(t *testing.T) {
	f := newFixture(t)
	f.exec(`create schema slow`) // asking what the server does takes a while
	f.exec(`create view slow.pg_stat_activity as
		with waited as materialized (select pg_sleep(0.6) is null as never)
		select s.pid, s.state from waited, lateral pg_stat_get_activity(case when waited.never then 0 end) s where s.datid is not null`)
	f.exec(`do $$ begin execute format('alter database %I set search_path = slow, pg_catalog, public', current_database()); end $$`)
	gateway := postgres.NewGateway(f.open(f.url), plain{}, constraints)
	conn, err := pgx.Connect(t.Context(), f.url)
	f.must(err)
	defer conn.Close(t.Context())
	p := f.post()
	_, err = conn.Exec(t.Context(), `begin`)
	f.must(err)
	_, err = conn.Exec(t.Context(), `
		insert into public.posts (id, workspace_id, status, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		values ($1, $2, 2, 'UTC', true, 1, '{}', 1, now(), now())`, p.ID.Bytes(), p.Workspace.Bytes())
	f.must(err)
	var committing sync.WaitGroup
	defer committing.Wait()
	committing.Go(func() {
		time.Sleep(200 * time.Millisecond)
		if _, err := conn.Exec(t.Context(), `commit`); err != nil {
			t.Error(err)
		}
	})
	if err := gateway.Confirm(t.Context(), conn, p); err != nil {
		t.Errorf("the post is there, and it is said: %v", err)
	}
}
