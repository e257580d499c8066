package postgres_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres"
)

// webhook makes a webhook of the workspace.
func (f *fixture) webhook(events ...schema.EventType) schema.Webhook {
	f.Helper()
	now := f.store.Now()
	hook := schema.Webhook{
		ID: schema.NewWebhookID(now), Workspace: f.workspace, URL: "https://hooks.example/secret", Secret: "s", Active: true, Events: events, CreatedAt: now,
	}
	if err := f.gateway.CreateWebhook(f.Context(), hook); err != nil {
		f.Fatal(err)
	}
	return hook
}

// claimedAll makes n deliveries to a webhook and claims them, all at once.
func (f *fixture) claimedAll(hook schema.Webhook, n int) []schema.NotifyResult {
	f.Helper()
	ids := make([]schema.DeliveryID, n)
	for i := range ids {
		ids[i] = schema.NewDeliveryID(f.store.Now())
		f.exec(fmt.Sprintf(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body) values ('%x', '%x', '%x', gen_random_uuid(), 'post.scheduled', '{}')`,
			ids[i][:], hook.ID[:], hook.Workspace[:]))
	}
	claimed, err := f.notify.Claim(f.Context(), ids)
	if err != nil || len(claimed) != n {
		f.Fatalf("claimed %d of %d, %v", len(claimed), n, err)
	}
	results := make([]schema.NotifyResult, n)
	for i, d := range claimed {
		results[i] = schema.NotifyResult{ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, Enablings: d.Enablings, State: schema.DeliveryFailed}
	}
	return results
}

// end ends deliveries in one batch, each as a letter says: f failed, d delivered.
func (f *fixture) end(results []schema.NotifyResult, as string) {
	f.Helper()
	for i, how := range as {
		if how == 'd' {
			results[i].State = schema.DeliveryDelivered
		}
	}
	f.must(f.notify.FinishTogether(f.Context(), results[:len(as)]...))
}

func (f *fixture) wantFailures(hook schema.Webhook, failures int, active bool) schema.Webhook {
	f.Helper()
	got, err := f.gateway.Webhook(f.Context(), f.workspace, hook.ID)
	if err != nil || got.ConsecutiveFailures != failures || got.Active != active {
		f.Errorf("%d failures in a row, active %t, %v; want %d, %t", got.ConsecutiveFailures, got.Active, err, failures, active)
	}
	return got
}

func TestOfDeliveriesThatEndTogetherTheTenthFailureInARowIsTheLastThatCounts(t *testing.T) {
	f := newFixture(t)
	hook, other := f.webhook(schema.PostScheduled), f.webhook(schema.WebhookDisabled)
	for _, tt := range []struct {
		ends     string
		failures int
	}{
		{"fffffffff", 9}, {"d", 0}, {"ffffdfff", 3}, {"ffffffdffffff", 6}, {"fffdff", 2}, {"fffffffd", 0},
	} {
		f.end(f.claimedAll(hook, len(tt.ends)), tt.ends)
		f.wantFailures(hook, tt.failures, true)
	}
	f.end(f.claimedAll(hook, 4), "ffff")
	before := len(f.events())
	under := f.claimedAll(hook, 16)
	f.end(under[:12], "ffffffffffff")
	got := f.wantFailures(hook, 10, false)
	f.end(under[12:], "fdff")
	if after := f.wantFailures(hook, 10, false); !after.DisabledAt.Equal(got.DisabledAt) || !after.LastDeliveredAt.Equal(got.LastDeliveredAt) {
		t.Errorf("what ended after the disabling made %+v of %+v", after, got)
	}
	var told []schema.EventBatch
	for _, b := range f.events()[before:] {
		if b.Events[0].Type == schema.WebhookDisabled {
			told = append(told, b)
		}
	}
	if len(told) != 1 || len(told[0].Events) != 1 || f.counted("crier_webhooks_disabled_total") != 1 {
		t.Fatalf("told of %v", told)
	}
	data := string(told[0].Events[0].Data)
	if !strings.Contains(data, hook.ID.String()) || !strings.Contains(data, `"host":"hooks.example"`) || strings.Contains(data, "secret") {
		t.Errorf("told %s", data)
	}
	messages, err := f.notify.Expand(t.Context(), told)
	if err != nil || len(messages) != 1 || messages[0].Webhook != other.ID {
		t.Errorf("the event goes to %v, %v, want the other webhook", messages, err)
	}
}

func TestATryOfBeforeTheEnablingCountsForNothing(t *testing.T) {
	f := newFixture(t)
	hook := f.webhook(schema.PostScheduled)
	under := f.claimedAll(hook, 16)
	f.end(under[:10], "ffffffffff")
	f.enable(hook, time.Time{})
	f.end(under[10:], "ffffff")
	f.wantFailures(hook, 0, true)
	f.end(f.claimedAll(hook, 2), "ff")
	f.wantFailures(hook, 2, true)
}

func (f *fixture) enable(hook schema.Webhook, since time.Time) {
	f.Helper()
	_, err := f.gateway.UpdateWebhook(f.Context(), f.workspace, hook.ID, func(w *schema.Webhook) error {
		w.Active, w.ConsecutiveFailures, w.DisabledAt, w.DisabledReason, w.RedeliverSince = true, 0, time.Time{}, "", since
		return nil
	})
	f.must(err)
}

func TestWhatFailedIsSentAgainAsFastAsItIsTaken(t *testing.T) {
	f := newFixture(t)
	hook, began := f.webhook(schema.PostScheduled), f.store.Now().Add(-time.Hour)
	made := func(from, to int, state schema.DeliveryState) {
		f.exec(fmt.Sprintf(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state)
			select (lpad(to_hex(%d + i), 12, '0') || '7000800000000000' || lpad(to_hex(i), 4, '0'))::uuid, w.id, w.workspace_id, gen_random_uuid(), 'post.scheduled', '{}', %d
			from generate_series(%d, %d) i, webhooks w`, began.UnixMilli(), state, from, to-1))
	}
	made(0, 5000, schema.DeliveryDelivered)
	made(5000, 7300, schema.DeliveryFailed)
	f.enable(hook, began)
	total := 0
	for range 20 {
		f.exec(`update redeliveries set looked_at = 'epoch'`)
		n, _, err := f.delay.Redeliver(t.Context())
		f.must(err)
		open, err := f.store.Count(t.Context(), `select count(*) from deliveries where state in (0, 1)`)
		f.must(err)
		if total += n; n > 1000 || open > 1500 {
			t.Fatalf("%d were made, %d are waiting", n, open)
		}
		if n == 0 { // wait, or went by what was delivered
			f.exec(`update deliveries set state = 2 where redelivers is not null and state = 0`)
		}
	}
	again, err := f.store.Count(t.Context(), `select count(distinct redelivers) from deliveries join jobs using (id)`)
	f.must(err)
	left, err := f.store.Count(t.Context(), `select count(*) from redeliveries`)
	if err != nil || total != 2300 || again != 2300 || left != 0 {
		t.Errorf("%d were made, of %d, %d webhooks are left, %v", total, again, left, err)
	}
	f.enable(hook, began)
	if n, _, err := f.delay.Redeliver(t.Context()); err != nil || n != 0 {
		t.Errorf("asked again, %d were made, %v", n, err)
	}
}

func TestAWebhookAndItsDeliveriesAreOfOneMoment(t *testing.T) {
	f := newFixture(t)
	hook, now := f.webhook(schema.PostFailed), f.store.Now()
	conn, err := pgx.Connect(t.Context(), f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := f.gateway.Deliveries(t.Context(), f.workspace, hook.ID, schema.DeliveryFilter{}); err != nil {
		t.Fatal(err) // its statements are known to the server now
	}
	exec(`begin`)
	exec(`lock table deliveries`)
	type reading struct {
		webhook schema.Webhook
		records []schema.DeliveryRecord
		err     error
	}
	read := make(chan reading)
	go func() {
		var r reading
		r.webhook, r.records, r.err = f.gateway.Deliveries(t.Context(), f.workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
		read <- r
	}()
	awaitWaiting(t, conn)
	exec(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, attempts) values ($1, $2, $3, $1, 'post.failed', '', 3, 4)`,
		[16]byte(schema.NewDeliveryID(now)), [16]byte(hook.ID), [16]byte(f.workspace))
	exec(`update webhooks set consecutive_failures = 1`)
	exec(`commit`)
	got := <-read
	if got.err != nil || len(got.records) != got.webhook.ConsecutiveFailures {
		t.Errorf("%d failed deliveries stand beside %d failures in a row, %v", len(got.records), got.webhook.ConsecutiveFailures, got.err)
	}
}

func TestDeliveriesMadeWhileTheirWebhookIsDeletedGo(t *testing.T) {
	f := newFixture(t)
	m := f.delivery()
	f.exec(`delete from webhooks`) // as one who had not seen the delivery
	claimed, err := f.notify.Claim(t.Context(), []schema.DeliveryID{m.Delivery})
	if err != nil || len(claimed) != 0 {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	if n := f.count(`select count(*) from deliveries`) + f.count(`select count(*) from jobs where kind = 3`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// CRIER_TEST_FULL has a webhook deleted that has 200,000 deliveries.
func TestWhatIsLeftOfADeletedWebhookGoesByAChore(t *testing.T) {
	const others = 3
	many := 2*5000 + 100
	if full() {
		many = 200_000
	}
	f := newFixture(t)
	m, other := f.delivery(), f.webhook(schema.PostFailed)
	f.exec(fmt.Sprintf(`
		with made as (
			insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state)
			select uuidv7(), case when n <= %[1]d then '%[2]x' else '%[3]x' end::uuid, '%[4]x', uuidv7(), 'post.failed', '', 0 from generate_series(1, %[5]d) n returning id
		)
		insert into jobs (id, kind, shard, due_at, payload) select id, 3, 0, now() + interval '1 hour', '{}' from made`,
		others, other.ID[:], m.Webhook[:], f.workspace[:], many))
	r := f.reader()
	gateway := postgres.NewGateway(r.store, plain{}, constraints)
	r.wantReads(10, func() {
		began := time.Now()
		f.must(gateway.DeleteWebhook(t.Context(), f.workspace, m.Webhook))
		t.Logf("a webhook with %d deliveries is deleted after %v", many, time.Since(began))
	})
	if claimed, err := f.notify.Claim(t.Context(), []schema.DeliveryID{m.Delivery}); err != nil || len(claimed) != 0 {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	if n := f.count(`select count(*) from deliveries`); n < many-1 {
		t.Errorf("the caller has waited until only %d deliveries were left", n)
	}
	f.chore(f.delay.ForgetWebhooks)
	if deliveries, jobs := f.count(`select count(*) from deliveries`), f.count(`select count(*) from jobs where kind = 3`); deliveries != others || jobs != others {
		t.Errorf("%d deliveries and %d jobs are left, want the %d of the other webhook", deliveries, jobs, others)
	}
	if n := f.count(`select count(*) from deleted_webhooks`); n != 0 {
		t.Errorf("%d webhooks are still to be cleared away", n)
	}
	wantKind(t, f.gateway.DeleteWebhook(t.Context(), f.workspace, m.Webhook), schema.NotFound)
}

// Whoever takes several deliveries locks them in the order of ids: while it waits for the first it
// holds none of the later ones.
func TestDeliveriesAreLockedInOneOrder(t *testing.T) {
	for name, begin := range map[string]func(*fixture, []schema.DeliveryID) (end func() error){
		"by the chore": func(f *fixture, _ []schema.DeliveryID) func() error {
			return func() error { _, _, err := f.delay.ForgetWebhooks(f.Context()); return err }
		},
		"by a claim of what is gone": func(f *fixture, ids []schema.DeliveryID) func() error {
			return func() error { _, err := f.notify.Claim(f.Context(), ids); return err }
		},
		"by a claim's end": func(f *fixture, ids []schema.DeliveryID) func() error {
			var results []schema.NotifyResult
			claimed, err := f.notify.Claim(f.Context(), ids)
			f.must(err)
			slices.SortFunc(claimed, func(a, b schema.NotifyDelivery) int { return bytes.Compare(b.ID[:], a.ID[:]) })
			for _, d := range claimed {
				results = append(results, schema.NotifyResult{ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, State: schema.DeliveryFailed})
			}
			return func() error { return f.notify.FinishTogether(f.Context(), results...) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			first := f.delivery()
			second := schema.NewDeliveryID(f.store.Now().Add(time.Second))
			f.exec(fmt.Sprintf(`
				insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
				select '%x', webhook_id, workspace_id, uuidv7(), event, body from deliveries`, second[:]))
			end := begin(f, []schema.DeliveryID{second, first.Delivery})
			f.must(f.gateway.DeleteWebhook(t.Context(), f.workspace, first.Webhook))
			conn, err := pgx.Connect(t.Context(), f.url)
			f.must(err)
			defer conn.Close(t.Context())
			_, err = conn.Exec(t.Context(), `begin`)
			f.must(err)
			_, err = conn.Exec(t.Context(), `select from deliveries where id = $1 for update`, [16]byte(first.Delivery))
			f.must(err)
			ended := make(chan error, 1)
			go func() { ended <- end() }()
			awaitWaiting(t, conn)
			if _, err := conn.Exec(t.Context(), `select from deliveries where id = $1 for update nowait`, [16]byte(second)); err != nil {
				t.Errorf("it waits for the first, and has the second: %v", err)
			}
			_, err = conn.Exec(t.Context(), `rollback`)
			f.must(err)
			f.must(<-ended)
			f.chore(f.delay.ForgetWebhooks)
			if n := f.count(`select count(*) from deliveries`); n != 0 {
				t.Errorf("%d deliveries are left", n)
			}
		})
	}
}

// awaitWaiting waits until somebody waits for a lock.
func awaitWaiting(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for deadline, waiting := time.Now().Add(patience), false; !waiting; time.Sleep(5 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), `select exists (select from pg_locks where not granted)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody waits for a lock")
		}
	}
}

func TestEventsForManyWebhooksAreExpandedBitByBit(t *testing.T) {
	f := newFixture(t)
	for range 60 {
		f.webhook(schema.PostScheduled)
	}
	for range 3 { // commits
		var posts []schema.Post
		for range 40 {
			posts = append(posts, f.uncapped(time.Hour))
		}
		_, err := f.gateway.Create(t.Context(), schema.Creation{Posts: posts})
		f.must(err)
	}
	messages, err := f.notify.Expand(t.Context(), f.events())
	f.must(err)
	const all = 3 * 40 * 60
	if n := f.count(`select count(*) from deliveries`); len(messages) != all || n != all || f.count(`select count(*) from outbox where owed & 1 <> 0`) != 0 {
		t.Errorf("%d deliveries are announced, %d are there, want %d", len(messages), n, all)
	}
	if n := f.count(`select max(n) from (select count(*) n from deliveries group by xmin::text) made`); n > 5000 {
		t.Errorf("%d deliveries were made in a transaction", n)
	}
}
