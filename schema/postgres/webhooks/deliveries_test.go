package webhooks_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

func TestAWebhookAndItsDeliveriesAreOfOneMoment(t *testing.T) {
	f := postgrestest.New(t)
	hook, now := f.NewWebhook(schema.PostFailed), f.Store.Now()
	conn, err := pgx.Connect(t.Context(), f.URL)
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
	if _, _, err := f.Gateway.Deliveries(t.Context(), f.Workspace, hook.ID, schema.DeliveryFilter{}); err != nil {
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
		r.webhook, r.records, r.err = f.Gateway.Deliveries(t.Context(), f.Workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
		read <- r
	}()
	postgrestest.AwaitLockWait(t, conn)
	exec(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state, attempts) values ($1, $2, $3, $1, 'post.failed', '', 3, 4)`,
		[16]byte(schema.NewID[schema.DeliveryID](now)), [16]byte(hook.ID), [16]byte(f.Workspace))
	exec(`update webhooks set consecutive_failures = 1`)
	exec(`commit`)
	got := <-read
	if got.err != nil || len(got.records) != got.webhook.ConsecutiveFailures {
		t.Errorf("%d failed deliveries stand beside %d failures in a row, %v", len(got.records), got.webhook.ConsecutiveFailures, got.err)
	}
}
