package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

func TestAWebhookAndItsDeliveriesAreOfOneMoment(t *testing.T) {
	f := newFixture(t)
	now := f.store.Now()
	hook := schema.Webhook{
		ID: schema.NewWebhookID(now), Workspace: f.workspace, URL: "https://x", Secret: "s", Active: true,
		Events: []schema.EventType{schema.PostFailed}, CreatedAt: now,
	}
	if err := f.gateway.CreateWebhook(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
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
	for deadline, waiting := time.Now().Add(10*time.Second), false; !waiting; time.Sleep(5 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), `select exists (select from pg_locks where not granted)`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("the reader waits for nothing")
		}
	}
	exec(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, attempts) values ($1, $2, $3, $1, 'post.failed', '', 3, 4)`,
		[16]byte(schema.NewDeliveryID(now)), [16]byte(hook.ID), [16]byte(f.workspace))
	exec(`update webhooks set consecutive_failures = 1`)
	exec(`commit`)
	got := <-read
	if got.err != nil || len(got.records) != got.webhook.ConsecutiveFailures {
		t.Errorf("%d failed deliveries stand beside %d failures in a row, %v", len(got.records), got.webhook.ConsecutiveFailures, got.err)
	}
}
