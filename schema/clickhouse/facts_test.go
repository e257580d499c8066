package clickhouse_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"crier/schema"
)

// raw is a connection past the store.
func raw(t testing.TB, url string) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func number(t testing.TB, conn driver.Conn, query string, args ...any) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func (w workspace) about(account schema.AccountID, t schema.EventType, at time.Time, data any) schema.Event {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return schema.Event{
		ID: schema.NewID[schema.EventID](at), Type: t, Workspace: schema.WorkspaceID(w), Post: schema.NewID[schema.PostID](at),
		Account: account, Platform: schema.LinkedIn, At: at, Data: encoded,
	}
}

func of[T any](v T) *T { return &v }

// oneOfEach is a fact for each table.
func (w workspace) oneOfEach(account schema.AccountID, at time.Time) map[string]schema.Event {
	process := uuid.NewString()
	who := schema.Author{ID: "urn:li:person:1", Handle: "ada", Name: "Ada", URL: "https://example.com/ada"}
	return map[string]schema.Event{
		"events": w.fact(at),
		"post_metrics": w.about(account, schema.FactPostMetrics, at, schema.PostMetrics{
			NativeID: "n", PostedAt: at.Add(-time.Hour), Slot: 3, Metrics: schema.Metrics{Likes: of(int64(3))},
		}),
		"followers":   w.about(account, schema.FactFollowers, at, schema.Followers{Day: at.Format(time.DateOnly), Followers: of(int64(9))}),
		"inbox_items": w.about(account, schema.FactInboxItem, at, schema.InboxItem{Kind: schema.InboxComment, NativeID: at.String(), Author: who, Text: "fine", WrittenAt: at, Revision: 1}),
		"feed_items": w.about(account, schema.FactFeedItem, at, schema.FeedItem{
			Monitor: schema.MonitorID{1}, NativeID: "f", Author: who, Text: "crier", WrittenAt: at, Keywords: []string{"crier"},
		}),
		"deliveries": w.about(account, schema.FactDelivery, at, schema.DeliveryFact{
			Delivery: schema.NewID[schema.DeliveryID](at), Claim: 1, Attempt: 1, Event: schema.PostPublished, Outcome: schema.TryDelivered, Code: 204, Seconds: 0.1, Lateness: 0.2,
		}),
		"platform_calls": w.about(account, schema.FactPlatformCalls, at, schema.PlatformCalls{
			Minute: at.Truncate(time.Minute), Process: process, Operation: "publish", Outcome: "ok", Calls: 7, Seconds: 1.5,
		}),
		"api_usage": w.about(account, schema.FactAPIUsage, at, schema.APIUsage{
			Minute: at.Truncate(time.Minute), Process: process, Key: schema.KeyID{1}, Method: "GET", Route: "/posts", Status: 200, Requests: 5, Seconds: 0.5,
		}),
	}
}

func TestEachFactCountsOnceHoweverOftenItIsInserted(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	facts := w.oneOfEach(schema.NewID[schema.AccountID](noon), noon)
	var all []schema.Event
	for _, e := range facts {
		all = append(all, e)
	}
	for range 3 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		insert(t, store, all...)
		insert(t, store, append(all[:1:1], all[:3]...)...)
	}
	for table := range facts {
		if n := number(t, conn, `select count() from `+table+` final`); n != 1 {
			t.Errorf("%s holds %d rows, want 1", table, n)
		}
	}
	if n := number(t, conn, `select count() from post_latest final where likes = 3 and isNull(views)`); n != 1 {
		t.Errorf("post_latest holds %d such rows, want 1", n)
	}
}

// What is found at the first look at an account may be of many years.
func TestOneBlockIsOfManyMonths(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	var all []schema.Event
	for n := range 240 {
		all = append(all, w.about(schema.AccountID{1}, schema.FactInboxItem, noon, schema.InboxItem{
			Kind: schema.InboxMention, NativeID: strconv.Itoa(n), Text: "fine", WrittenAt: noon.AddDate(0, -n, 0), Revision: 1,
		}))
	}
	insert(t, store, all...)
	if n := number(t, conn, `select count() from inbox_items final`); n != uint64(len(all)) {
		t.Errorf("%d rows, want %d", n, len(all))
	}
}

func TestTheLatestLookStandsInWhateverOrderTheyCome(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	account, post := schema.NewID[schema.AccountID](noon), schema.NewID[schema.PostID](noon)
	look := func(slot int16, likes int64) schema.Event {
		e := w.about(account, schema.FactPostMetrics, noon.Add(time.Duration(slot)*time.Hour), schema.PostMetrics{
			NativeID: "n", PostedAt: noon, Slot: slot, Metrics: schema.Metrics{Likes: &likes},
		})
		e.Post = post
		return e
	}
	insert(t, store, look(3, 30))
	insert(t, store, look(0, 1), look(1, 5))
	insert(t, store, look(2, 20))
	insert(t, store, look(3, 30))
	if likes := number(t, conn, `select toUInt64(sum(likes)) from post_latest final`); likes != 30 {
		t.Errorf("likes = %d, want those of the latest look", likes)
	}
	if looks := number(t, conn, `select count() from post_metrics final`); looks != 4 {
		t.Errorf("looks = %d, want 4", looks)
	}
}

func TestTheNewestRevisionStands(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	account := schema.NewID[schema.AccountID](noon)
	item := func(revision int64, text string) schema.Event {
		return w.about(account, schema.FactInboxItem, noon.Add(-time.Duration(revision)*time.Hour), schema.InboxItem{
			Kind: schema.InboxComment, NativeID: "c", Text: text, WrittenAt: noon, Revision: revision,
		})
	}
	insert(t, store, item(2, "edited"))
	insert(t, store, item(1, "first"))
	if n := number(t, conn, `select count() from inbox_items final where text = 'edited'`); n != 1 {
		t.Errorf("%d items are of the newest revision, want 1", n)
	}
}

func TestMalformedFactsAreRefused(t *testing.T) {
	store, w := open(t), newWorkspace()
	account := schema.NewID[schema.AccountID](noon)
	for name, e := range map[string]schema.Event{
		"no JSON":      {ID: schema.NewID[schema.EventID](noon), Type: schema.FactDelivery, At: noon, Data: json.RawMessage(`{`)},
		"no time":      w.about(account, schema.FactPostMetrics, noon, schema.PostMetrics{NativeID: "n"}),
		"no day":       w.about(account, schema.FactFollowers, noon, schema.Followers{Day: "soon"}),
		"no process":   w.about(account, schema.FactAPIUsage, noon, schema.APIUsage{Minute: noon}),
		"a far future": w.about(account, schema.FactInboxItem, noon, schema.InboxItem{WrittenAt: noon.AddDate(300, 0, 0)}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := store.Sink().Insert(t.Context(), []schema.Event{e}); err == nil || schema.KindOf(err) == schema.Unavailable {
				t.Errorf("Insert = %v, want a refusal for good", err)
			}
		})
	}
}

func TestMonthsThatAreKeptNoLongerGo(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	account := schema.NewID[schema.AccountID](noon)
	var all []schema.Event
	old, young := noon.AddDate(0, -3, 0), noon
	for _, at := range []time.Time{old, young} {
		for _, e := range w.oneOfEach(account, at) {
			all = append(all, e)
		}
	}
	insert(t, store, all...)
	forget := func(before time.Time) {
		for _, pass := range []func() (int, bool, error){
			func() (int, bool, error) { return store.Retention().ForgetFigures(t.Context(), before) },
			func() (int, bool, error) { return store.Retention().ForgetPeople(t.Context(), before) },
		} {
			for more := true; more; {
				var err error
				if _, more, err = pass(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	forget(old) // of its month some is younger
	for table := range w.oneOfEach(account, noon) {
		if n := number(t, conn, `select count() from `+table+` final`); n != 2 {
			t.Errorf("%s holds %d rows before it is time, want 2", table, n)
		}
	}
	forget(young)
	for table := range w.oneOfEach(account, noon) {
		if n := number(t, conn, `select count() from `+table+` final`); n != 1 {
			t.Errorf("%s holds %d rows, want the young one", table, n)
		}
	}
	if n := number(t, conn, `select count() from post_latest final`); n != 1 {
		t.Errorf("post_latest holds %d rows, want the young one", n)
	}
}

func TestWhoWroteIsForgottenAndTheRowStays(t *testing.T) {
	url := migrated(t)
	store, conn, w := openURL(t, url), raw(t, url), newWorkspace()
	account := schema.NewID[schema.AccountID](noon)
	old, young := w.oneOfEach(account, noon)["inbox_items"], w.oneOfEach(schema.NewID[schema.AccountID](noon), noon.Add(time.Hour))["inbox_items"]
	other := w.oneOfEach(account, noon)["inbox_items"]
	other.Platform, other.Account = schema.Bluesky, schema.NewID[schema.AccountID](noon)
	insert(t, store, old, young, other)
	n, err := store.Retention().ForgetPersons(t.Context(), schema.LinkedIn, noon.Add(time.Minute))
	if err != nil || n != 1 {
		t.Fatalf("forgot %d, %v; want 1", n, err)
	}
	if n := number(t, conn, `select count() from inbox_items final`); n != 3 {
		t.Errorf("%d rows are left, want all 3", n)
	}
	if n := number(t, conn, `select count() from inbox_items final where text = '' and author_id = '' and author_handle = '' and author_name = '' and author_url = ''`); n != 1 {
		t.Errorf("%d rows are blank, want the old one of linkedin", n)
	}
	if n, err := store.Retention().ForgetPersons(t.Context(), schema.LinkedIn, noon.Add(time.Minute)); err != nil || n != 0 {
		t.Errorf("it forgot %d again, %v", n, err)
	}
}

func TestErasingGoesOverAllTables(t *testing.T) {
	url := migrated(t)
	store, conn := openURL(t, url), raw(t, url)
	gone, stays := newWorkspace(), newWorkspace()
	account, other := schema.NewID[schema.AccountID](noon), schema.NewID[schema.AccountID](noon)
	for _, events := range []map[string]schema.Event{gone.oneOfEach(other, noon), stays.oneOfEach(account, noon), stays.oneOfEach(other, noon)} {
		for _, e := range events {
			insert(t, store, e)
		}
	}
	closeAll(t, store)
	erase := func(of schema.Erasure) {
		for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if n, err := store.Eraser().Erase(t.Context(), of); err != nil || time.Since(began) > patience {
				t.Fatalf("%d rows are left: %v", n, err)
			} else if n == 0 {
				return
			}
		}
	}
	erase(schema.Erasure{Workspaces: []schema.WorkspaceID{schema.WorkspaceID(gone)}})
	erase(schema.Erasure{Workspaces: []schema.WorkspaceID{schema.WorkspaceID(stays)}, Account: account})

	var tables []struct {
		Name       string `ch:"table"`
		HasAccount bool   `ch:"has_account"`
	}
	if err := conn.Select(t.Context(), &tables, `
		select c.table as table, countIf(c.name = 'account') > 0 as has_account
		from system.columns c join system.tables t on t.database = c.database and t.name = c.table
		where c.database = currentDatabase() and t.engine like '%MergeTree'
		group by c.table having countIf(c.name = 'workspace') > 0`); err != nil {
		t.Fatal(err)
	}
	if len(tables) < 8 {
		t.Fatalf("%d tables hold workspaces: %v", len(tables), tables)
	}
	for _, table := range tables {
		if n := number(t, conn, `select count() from `+table.Name+` where workspace = {gone:UUID}`, clickhouse.Named("gone", uuid.UUID(gone).String())); n != 0 {
			t.Errorf("%s holds %d rows of the workspace that is gone", table.Name, n)
		}
		if !table.HasAccount || table.Name == "events" {
			continue
		}
		if n := number(t, conn, `select count() from `+table.Name+` where account = {gone:UUID}`, clickhouse.Named("gone", uuid.UUID(account).String())); n != 0 {
			t.Errorf("%s holds %d rows of the account that is gone", table.Name, n)
		}
		if n := number(t, conn, `select count() from `+table.Name); n == 0 {
			t.Errorf("%s is empty: another's rows are gone", table.Name)
		}
	}
}

func TestInboxItemsAreReadByName(t *testing.T) {
	w := newWorkspace()
	store := open(t)
	account, other := schema.NewID[schema.AccountID](noon), schema.NewID[schema.AccountID](noon)
	item := func(account schema.AccountID, native, text string, revision int64) schema.Event {
		return w.about(account, schema.FactInboxItem, noon, schema.InboxItem{
			Kind: schema.InboxComment, NativeID: native, Text: text, Author: schema.Author{Handle: "ada"}, WrittenAt: noon, Revision: revision,
		})
	}
	insert(t, store, item(account, "a", "first", 1), item(account, "a", "edited", 2), item(other, "a", "other", 1), item(account, "b", "not asked", 1))
	for workspace, want := range map[schema.WorkspaceID]int{schema.WorkspaceID(w): 2, schema.NewID[schema.WorkspaceID](noon): 0} {
		got, err := store.Analytics().InboxItems(t.Context(), workspace, []schema.ItemName{{Account: account, NativeID: "a"}, {Account: other, NativeID: "a"}, {Account: account, NativeID: "c"}})
		if err != nil || len(got) != want {
			t.Fatalf("%d items, %v; want %d", len(got), err, want)
		}
		if entry := got[schema.ItemName{Account: account, NativeID: "a"}]; want > 0 && (entry.Text != "edited" || entry.Author.Handle != "ada" || entry.WrittenAt.Sub(noon).Abs() > time.Millisecond) {
			t.Errorf("item = %+v", entry)
		}
	}
}
