package collection_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
)

// Several processes have things collected at once, of accounts that were connected and of those
// that have posted: each takes them in the order of their ids, whatever their reason.
func TestCollectionsAreMadeInOneOrder(t *testing.T) {
	f := postgrestest.New(t)
	slices.SortFunc(f.Accounts, func(a, b schema.AccountID) int { return bytes.Compare(a[:], b[:]) })
	first, second := f.Accounts[0], f.Accounts[1]
	f.Must(f.Analytics.Report(t.Context(), []schema.Event{
		{Type: schema.TargetWasPosted, Platform: schema.Mastodon, Workspace: f.Workspace, Account: second, Post: schema.NewID[schema.PostID](f.Store.Now())},
		{Type: schema.AccountConnected, Platform: schema.Mastodon, Workspace: f.Workspace, Account: first},
	}))
	batches := f.Events()

	conn, err := pgx.Connect(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hold := func(a schema.AccountID) {
		_, err := tx.Exec(t.Context(), `insert into collections (id, account_id, workspace_id, what) values (gen_random_uuid(), $1, $2, 1)`, a, f.Workspace)
		if err != nil {
			t.Fatal(err)
		}
	}
	hold(first)
	stored := make(chan error, 1)
	go func() { stored <- f.Analytics.Stored(t.Context(), batches[len(batches)-1:]) }()
	for waiting := false; !waiting; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-stored:
			t.Fatalf("nothing waited for the first account: %v", err)
		default:
		}
		if err := tx.QueryRow(t.Context(), `
			select exists (select from pg_locks where not granted and locktype = 'transactionid' and transactionid = pg_current_xact_id()::xid)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	hold(second) // what waits for the first holds none after it
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Must(<-stored)
}

// A platform's limit puts off what is read of several accounts, in the order in which it came, while
// what is to be read of them is made.
func TestWhatIsPutOffIsLockedInTheOrderOfAccounts(t *testing.T) {
	f := postgrestest.New(t)
	slices.SortFunc(f.Accounts, func(a, b schema.AccountID) int { return bytes.Compare(a[:], b[:]) })
	var ids []schema.CollectionID
	for _, a := range f.Accounts[:2] {
		id := schema.CollectionID(schema.NewID[schema.PostID](f.Store.Now()))
		f.Exec(`insert into collections (id, account_id, workspace_id, what, due_at) values ('` + postgrestest.UUIDText(schema.PostID(id)) + `', '` + postgrestest.AccountUUIDText(a) + `', '` +
			postgrestest.UUIDText(schema.PostID(f.Workspace)) + `', 3, now() - interval '1 minute')`)
		ids = append(ids, id)
	}
	tx, err := pgx.Connect(t.Context(), f.URL)
	f.Must(err)
	defer tx.Close(t.Context())
	lock := func(id schema.CollectionID) error {
		_, err := tx.Exec(t.Context(), `select from collections where id = $1 for update`, [16]byte(id))
		return err
	}
	_, err = tx.Exec(t.Context(), `begin`)
	f.Must(err)
	f.Must(lock(ids[0]))
	put := make(chan error, 1)
	go func() {
		off, err := postgres.NewCollection(f.Store, f.Store.Now).Postpone(t.Context(), []schema.CollectionID{ids[1], ids[0]}, []time.Duration{time.Hour, time.Hour})
		if err == nil && len(off) != 2 {
			t.Errorf("put %d off", len(off))
		}
		put <- err
	}()
	for f.Count(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) == 0 {
		time.Sleep(time.Millisecond)
	}
	f.Must(lock(ids[1]))
	_, err = tx.Exec(t.Context(), `commit`)
	f.Must(err)
	f.Must(<-put)
}

// Comments on a post are looked for when it is some minutes old, however often its account publishes
// until then: also where it was published while the account was being read, which does not know it.
func TestAPostIsLookedForCommentsUnderInTime(t *testing.T) {
	f := postgrestest.New(t)
	account := f.Accounts[0]
	collection := postgres.NewCollection(f.Store, f.Store.Now)
	posted := func() {
		t.Helper()
		f.Must(f.Analytics.Report(t.Context(), []schema.Event{
			{Type: schema.TargetWasPosted, Platform: schema.Mastodon, Workspace: f.Workspace, Account: account, Post: schema.NewID[schema.PostID](f.Store.Now())},
		}))
		f.Must(f.Analytics.Stored(t.Context(), f.Events()[len(f.Events())-1:]))
	}
	look := func() (id schema.CollectionID, due time.Time) {
		t.Helper()
		f.Must(f.Store.Pool.QueryRow(t.Context(), `
			select c.id, c.due_at from collections c join jobs j on j.id = c.id and j.due_at = c.due_at where c.account_id = $1 and c.what = 3`, account).
			Scan((*[16]byte)(&id), &due))
		return id, due
	}
	began := f.Store.Now()
	posted()
	id, first := look()
	// The store's clock is only near to PostgreSQL's.
	if wait := first.Sub(began).Round(time.Second); wait < schema.FirstCommentLook || wait > schema.FirstCommentLook+time.Minute {
		t.Fatalf("it is looked for comments after %v, want %v", wait, schema.FirstCommentLook)
	}
	posted()
	if _, due := look(); !due.Equal(first) {
		t.Errorf("another post moved the look by %v", due.Sub(first))
	}

	f.Exec(`update collections set due_at = now() where what = 3`)
	claimed, err := collection.Claim(t.Context(), []schema.CollectionID{id})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	began = f.Store.Now()
	posted()
	f.Must(collection.Finish(t.Context(), schema.CollectionResult{Collection: claimed[0], NextAt: began.Add(24 * time.Hour)}))
	if _, due := look(); due.Sub(began) > schema.FirstCommentLook+time.Minute {
		t.Errorf("what was posted during a look is looked at after %v", due.Sub(began))
	}
}
