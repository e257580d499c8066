package postgrestest

import (
	"errors"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crier/compose/embedded/embeddedtest"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/secure/securetest"
)

// FullSize reports whether tests run at their full size.
func FullSize() bool { return os.Getenv("CRIER_TEST_FULL") != "" }

// MaxLateness is how late the stores of these tests publish.
const MaxLateness = 24 * time.Hour

// Patience is how long what takes a moment may take: machines stand still, for more than a minute
// at times.
const Patience = 3 * time.Minute

// Constraints are those of every platform of these tests.
func Constraints(p schema.Platform) schema.Constraints {
	return schema.Constraints{Platform: p, DailyCap: DailyCap, FirstComment: schema.CommentLimit{Supported: true}, Thread: schema.ThreadLimit{Supported: true, Pause: time.Second}}
}

// Fixture is a fresh database with a workspace and three accounts, and the stores on it.
type Fixture struct {
	*testing.T
	URL       string // of the database
	Registry  *prometheus.Registry
	Store     *postgres.Store
	Gateway   *postgres.Gateway
	Publish   *postgres.Publish
	Comment   *postgres.Comment
	Delay     *postgres.Delay
	Notify    *postgres.Notify
	Analytics *postgres.Analytics
	Workspace schema.WorkspaceID
	Accounts  []schema.AccountID
	Key       schema.KeyID
	Began     time.Time // by the store's clock

	mu        sync.Mutex
	announced []schema.Announcement
}

// New returns a fixture on a database of its own. The test runs beside others, except at full size, where it measures.
func New(t *testing.T) *Fixture {
	t.Helper()
	if !FullSize() {
		t.Parallel()
	}
	ctx := t.Context()
	url := embeddedtest.PostgresWith(t, postgres.Migrate)
	f := &Fixture{T: t, URL: url, Registry: prometheus.NewRegistry()}
	store := f.open(10, f.Registry, f.announce)
	f.Store, f.Began = store, store.Now()
	f.Gateway, f.Publish = postgres.NewGateway(store, securetest.PlainText{}, Constraints), postgres.NewPublish(store, Constraints)
	f.Comment, f.Delay = postgres.NewComment(store, Constraints), postgres.NewDelay(store)
	f.Notify, f.Analytics = postgres.NewNotify(store, securetest.PlainText{}), postgres.NewAnalytics(store)
	admin := postgres.NewAdmin(store)
	w, err := admin.MakeWorkspace(ctx, "acme", "operator", false)
	f.Must(err)
	f.Workspace, f.Key = w.ID, schema.NewID[schema.KeyID](store.Now())
	for i := range 3 {
		a := schema.Account{
			Workspace: w.ID, Platform: schema.Mastodon, NativeID: strconv.Itoa(i), Name: "a" + strconv.Itoa(i), Sealed: []byte("x"),
		}
		a.ID, err = admin.AccountID(ctx, a)
		f.Must(err)
		f.Must(admin.PutAccount(ctx, a))
		f.Accounts = append(f.Accounts, a.ID)
	}
	return f
}

// Must fails the test where there is an error.
func (f *Fixture) Must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// open opens a store on the database, until the end of the test.
func (f *Fixture) open(conns int32, registry *prometheus.Registry, announce func(schema.Announcement)) *postgres.Store {
	f.Helper()
	store, err := postgres.Open(f.Context(), postgres.Config{
		URL: f.URL, MaxConns: conns, MaxLateness: MaxLateness, Logger: slog.New(slog.DiscardHandler), Registerer: registry, Announce: announce,
	})
	f.Must(err)
	f.Cleanup(store.Close)
	return store
}

// WantDue fails the test unless a time is a while, from a minimum to a maximum, after one between since and now, which are
// of the store's clock. A second is for what that is off.
func (f *Fixture) WantDue(at, since time.Time, minimum, maximum time.Duration) {
	f.Helper()
	now := f.Store.Now()
	if at.Before(since.Add(minimum-time.Second)) || at.After(now.Add(maximum+time.Second)) {
		f.Errorf("due at %v, want %v to %v after a time from %v to %v", at, minimum, maximum, since, now)
	}
}

// WantKind fails the test unless an error is of a kind.
func WantKind(t *testing.T, err error, kind schema.ErrorKind) {
	t.Helper()
	e, ok := errors.AsType[*schema.Error](err)
	if !ok || e.Kind != kind {
		t.Errorf("err = %v, want kind %d", err, kind)
	}
}
