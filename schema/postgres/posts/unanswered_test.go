package posts_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

// open connects as a process of its own.
func (f *fixture) open(address string) *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{URL: address, MaxConns: 3, Logger: slog.New(slog.DiscardHandler)})
	f.Must(err)
	f.Cleanup(store.Close)
	return store
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
	gateway := postgres.NewGateway(f.open(cutAt(t, f.URL, "select i.lineage, i.key")), securetest.PlainText{}, postgrestest.Constraints)
	request := func(key string) schema.Creation {
		return schema.Creation{
			Posts: []schema.Post{f.Post(1, time.Hour)}, Response: []byte("{}"),
			Idempotency: &schema.Idempotency{Lineage: f.Key, Key: key},
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
	if n := f.Count(`select count(*) from posts`); n != 3 {
		t.Errorf("%d posts are there, want three", n)
	}
}

func TestACommitThatEndsWhileItIsLookedForIsSeen(t *testing.T) {
	f := newFixture(t)
	f.Exec(`create schema slow`) // asking what the server does takes a while
	f.Exec(`create view slow.pg_stat_activity as
		with waited as materialized (select pg_sleep(0.6) is null as never)
		select s.pid, s.state from waited, lateral pg_stat_get_activity(case when waited.never then 0 end) s where s.datid is not null`)
	f.Exec(`do $$ begin execute format('alter database %I set search_path = slow, pg_catalog, public', current_database()); end $$`)
	gateway := postgres.NewGateway(f.open(f.URL), securetest.PlainText{}, postgrestest.Constraints)
	conn, err := pgx.Connect(t.Context(), f.URL)
	f.Must(err)
	defer conn.Close(t.Context())
	p := f.Post(1, time.Hour)
	_, err = conn.Exec(t.Context(), `begin`)
	f.Must(err)
	_, err = conn.Exec(t.Context(), `
		insert into public.posts (id, workspace_id, status, timezone, from_api, platforms, content, left_n, created_at, updated_at)
		values ($1, $2, 2, 'UTC', true, 1, '{}', 1, now(), now())`, p.ID.Bytes(), p.Workspace.Bytes())
	f.Must(err)
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
