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
	"crier/schema/postgres/postgrestest"
)

func TestEventsBecomeDeliveriesOnce(t *testing.T) {
	f := newFixture(t)
	hook := f.NewWebhook(schema.PostScheduled)
	f.Create(f.Post(1, time.Hour))
	var messages []schema.NotifyMessage
	for range 2 {
		more, err := f.Notify.Expand(t.Context(), f.Events())
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, more...)
	}
	if len(messages) != 1 {
		t.Fatalf("%d deliveries of one event", len(messages))
	}
	claimed, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{messages[0].Delivery})
	if err != nil || len(claimed) != 1 || claimed[0].Secrets[0] != "s" {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	result := schema.NotifyResult{ID: claimed[0].ID, Webhook: hook.ID, Claim: claimed[0].Claim, State: schema.DeliveryDelivered, ResponseCode: 200}
	if err := f.Notify.Finish(t.Context(), result); err != nil {
		t.Fatal(err)
	}
	_, records, err := f.Gateway.Deliveries(t.Context(), f.Workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
	if err != nil || len(records) != 1 || records[0].State != schema.DeliveryDelivered {
		t.Fatalf("records %+v, %v", records, err)
	}
	if err := f.Analytics.Stored(t.Context(), f.Events()[:1]); err != nil {
		t.Fatal(err)
	}
	if n := f.Count(`select count(*) from outbox`); n != 0 {
		t.Errorf("%d batches are still owed", n)
	}
}

func TestAWebhookIsDisabledAfterTenFailedDeliveries(t *testing.T) {
	f := newFixture(t)
	hook := f.NewWebhook(schema.PostScheduled)
	for range 12 {
		f.Create(f.Post(1, time.Hour))
	}
	messages, err := f.Notify.Expand(t.Context(), f.Events())
	if err != nil || len(messages) != 12 {
		t.Fatalf("%d deliveries, %v", len(messages), err)
	}
	for i, m := range messages[:10] {
		if got, err := f.Gateway.Webhook(t.Context(), f.Workspace, hook.ID); err != nil || !got.Active || got.ConsecutiveFailures != i {
			t.Fatalf("after %d failures: %+v, %v", i, got, err)
		}
		f.Deliver(m, schema.DeliveryFailed)
	}
	got, err := f.Gateway.Webhook(t.Context(), f.Workspace, hook.ID)
	if err != nil || got.Active || got.DisabledAt.IsZero() || got.DisabledReason != "10 deliveries in a row failed" {
		t.Fatalf("after ten failures: %+v, %v", got, err)
	}
	if n := f.counted("crier_webhooks_disabled_total"); n != 1 {
		t.Errorf("%v webhooks are counted as disabled, want one", n)
	}
	f.Create(f.Post(1, time.Hour))
	if more, err := f.Notify.Expand(t.Context(), f.Events()); err != nil || len(more) != 0 {
		t.Errorf("%d deliveries to a disabled webhook, %v", len(more), err)
	}
}

// claimedAll makes n deliveries to a webhook and claims them, all at once.
func (f *fixture) claimedAll(hook schema.Webhook, n int) []schema.NotifyResult {
	f.Helper()
	ids := make([]schema.DeliveryID, n)
	for i := range ids {
		ids[i] = schema.NewID[schema.DeliveryID](f.Store.Now())
		f.Exec(fmt.Sprintf(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body) values ('%x', '%x', '%x', gen_random_uuid(), 'post.scheduled', '{}')`,
			ids[i][:], hook.ID[:], hook.Workspace[:]))
	}
	claimed, err := f.Notify.Claim(f.Context(), ids)
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
	f.Must(f.Notify.FinishTogether(f.Context(), results[:len(as)]...))
}

func (f *fixture) wantFailures(hook schema.Webhook, failures int, active bool) schema.Webhook {
	f.Helper()
	got, err := f.Gateway.Webhook(f.Context(), f.Workspace, hook.ID)
	if err != nil || got.ConsecutiveFailures != failures || got.Active != active {
		f.Errorf("%d failures in a row, active %t, %v; want %d, %t", got.ConsecutiveFailures, got.Active, err, failures, active)
	}
	return got
}

func TestOfDeliveriesThatEndTogetherTheTenthFailureInARowIsTheLastThatCounts(t *testing.T) {
	f := newFixture(t)
	hook, other := f.NewWebhook(schema.PostScheduled), f.NewWebhook(schema.WebhookDisabled)
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
	before := len(f.Events())
	under := f.claimedAll(hook, 16)
	f.end(under[:12], "ffffffffffff")
	got := f.wantFailures(hook, 10, false)
	f.end(under[12:], "fdff")
	if after := f.wantFailures(hook, 10, false); !after.DisabledAt.Equal(got.DisabledAt) || !after.LastDeliveredAt.Equal(got.LastDeliveredAt) {
		t.Errorf("what ended after the disabling made %+v of %+v", after, got)
	}
	var disabled []schema.EventBatch
	for _, b := range f.Events()[before:] {
		if b.Events[0].Type == schema.WebhookDisabled {
			disabled = append(disabled, b)
		}
	}
	if len(disabled) != 1 || len(disabled[0].Events) != 1 || f.counted("crier_webhooks_disabled_total") != 1 {
		t.Fatalf("told of %v", disabled)
	}
	data := string(disabled[0].Events[0].Data)
	if !strings.Contains(data, hook.ID.String()) || !strings.Contains(data, `"host":"hooks.example"`) || strings.Contains(data, "secret") {
		t.Errorf("told %s", data)
	}
	messages, err := f.Notify.Expand(t.Context(), disabled)
	if err != nil || len(messages) != 1 || messages[0].Webhook != other.ID {
		t.Errorf("the event goes to %v, %v, want the other webhook", messages, err)
	}
}

func TestATryOfBeforeTheEnablingCountsForNothing(t *testing.T) {
	f := newFixture(t)
	hook := f.NewWebhook(schema.PostScheduled)
	under := f.claimedAll(hook, 16)
	f.end(under[:10], "ffffffffff")
	f.EnableWebhook(hook, time.Time{})
	f.end(under[10:], "ffffff")
	f.wantFailures(hook, 0, true)
	f.end(f.claimedAll(hook, 2), "ff")
	f.wantFailures(hook, 2, true)
}

func TestDeliveriesMadeWhileTheirWebhookIsDeletedGo(t *testing.T) {
	f := newFixture(t)
	m := f.NewDelivery()
	f.Exec(`delete from webhooks`) // as one who had not seen the delivery
	claimed, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{m.Delivery})
	if err != nil || len(claimed) != 0 {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	if n := f.Count(`select count(*) from deliveries`) + f.Count(`select count(*) from jobs where kind = 3`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// Whoever takes several deliveries locks them in the order of ids: while it waits for the first it
// holds none of the later ones.
func TestDeliveriesAreLockedInOneOrder(t *testing.T) {
	for name, begin := range map[string]func(*fixture, []schema.DeliveryID) (end func() error){
		"by the chore": func(f *fixture, _ []schema.DeliveryID) func() error {
			return func() error { _, _, err := f.Delay.ForgetWebhooks(f.Context()); return err }
		},
		"by a claim of what is gone": func(f *fixture, ids []schema.DeliveryID) func() error {
			return func() error { _, err := f.Notify.Claim(f.Context(), ids); return err }
		},
		"by a claim's end": func(f *fixture, ids []schema.DeliveryID) func() error {
			var results []schema.NotifyResult
			claimed, err := f.Notify.Claim(f.Context(), ids)
			f.Must(err)
			slices.SortFunc(claimed, func(a, b schema.NotifyDelivery) int { return bytes.Compare(b.ID[:], a.ID[:]) })
			for _, d := range claimed {
				results = append(results, schema.NotifyResult{ID: d.ID, Webhook: d.Webhook, Claim: d.Claim, State: schema.DeliveryFailed})
			}
			return func() error { return f.Notify.FinishTogether(f.Context(), results...) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			first := f.NewDelivery()
			second := schema.NewID[schema.DeliveryID](f.Store.Now().Add(time.Second))
			f.Exec(fmt.Sprintf(`
				insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
				select '%x', webhook_id, workspace_id, uuidv7(), event, body from deliveries`, second[:]))
			end := begin(f, []schema.DeliveryID{second, first.Delivery})
			f.Must(f.Gateway.DeleteWebhook(t.Context(), f.Workspace, first.Webhook))
			conn, err := pgx.Connect(t.Context(), f.URL)
			f.Must(err)
			defer conn.Close(t.Context())
			_, err = conn.Exec(t.Context(), `begin`)
			f.Must(err)
			_, err = conn.Exec(t.Context(), `select from deliveries where id = $1 for update`, [16]byte(first.Delivery))
			f.Must(err)
			ended := make(chan error, 1)
			go func() { ended <- end() }()
			postgrestest.AwaitLockWait(t, conn)
			if _, err := conn.Exec(t.Context(), `select from deliveries where id = $1 for update nowait`, [16]byte(second)); err != nil {
				t.Errorf("it waits for the first, and has the second: %v", err)
			}
			_, err = conn.Exec(t.Context(), `rollback`)
			f.Must(err)
			f.Must(<-ended)
			f.RunChore(f.Delay.ForgetWebhooks)
			if n := f.Count(`select count(*) from deliveries`); n != 0 {
				t.Errorf("%d deliveries are left", n)
			}
		})
	}
}

func TestEventsForManyWebhooksAreExpandedBitByBit(t *testing.T) {
	f := newFixture(t)
	for range 60 {
		f.NewWebhook(schema.PostScheduled)
	}
	for range 3 { // commits
		var posts []schema.Post
		for range 40 {
			posts = append(posts, f.UncappedPost(time.Hour))
		}
		_, err := f.Gateway.Create(t.Context(), schema.Creation{Posts: posts})
		f.Must(err)
	}
	messages, err := f.Notify.Expand(t.Context(), f.Events())
	f.Must(err)
	const all = 3 * 40 * 60
	if n := f.Count(`select count(*) from deliveries`); len(messages) != all || n != all || f.Count(`select count(*) from outbox where owed & 1 <> 0`) != 0 {
		t.Errorf("%d deliveries are announced, %d are there, want %d", len(messages), n, all)
	}
	if n := f.Count(`select max(n) from (select count(*) n from deliveries group by xmin::text) made`); n > 5000 {
		t.Errorf("%d deliveries were made in a transaction", n)
	}
}
