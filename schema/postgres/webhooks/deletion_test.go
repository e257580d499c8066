package webhooks_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/postgrestest"
	"crier/schema/secure/securetest"
)

// CRIER_TEST_FULL has a webhook deleted that has 200,000 deliveries.
func TestWhatIsLeftOfADeletedWebhookGoesByAChore(t *testing.T) {
	const others = 3
	many := 2*5000 + 100
	if postgrestest.FullSize() {
		many = 200_000
	}
	f := postgrestest.New(t)
	m, other := f.NewDelivery(), f.NewWebhook(schema.PostFailed)
	f.Exec(fmt.Sprintf(`
		with made as (
			insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state)
			select uuidv7(), case when n <= %[1]d then '%[2]x' else '%[3]x' end::uuid, '%[4]x', uuidv7(), 'post.failed', '', 0 from generate_series(1, %[5]d) n returning id
		)
		insert into jobs (id, kind, shard, due_at, payload) select id, 3, 0, now() + interval '1 hour', '{}' from made`,
		others, other.ID[:], m.Webhook[:], f.Workspace[:], many))
	r := f.NewReader()
	gateway := postgres.NewGateway(r.Store, securetest.PlainText{}, postgrestest.Constraints)
	r.WantReads(10, func() {
		began := time.Now()
		f.Must(gateway.DeleteWebhook(t.Context(), f.Workspace, m.Webhook))
		t.Logf("a webhook with %d deliveries is deleted after %v", many, time.Since(began))
	})
	if claimed, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{m.Delivery}); err != nil || len(claimed) != 0 {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	if n := f.Count(`select count(*) from deliveries`); n < many-1 {
		t.Errorf("the caller has waited until only %d deliveries were left", n)
	}
	f.RunChore(f.Delay.ForgetWebhooks)
	if deliveries, jobs := f.Count(`select count(*) from deliveries`), f.Count(`select count(*) from jobs where kind = 3`); deliveries != others || jobs != others {
		t.Errorf("%d deliveries and %d jobs are left, want the %d of the other webhook", deliveries, jobs, others)
	}
	if n := f.Count(`select count(*) from deleted_webhooks`); n != 0 {
		t.Errorf("%d webhooks are still to be cleared away", n)
	}
	postgrestest.WantKind(t, f.Gateway.DeleteWebhook(t.Context(), f.Workspace, m.Webhook), schema.NotFound)
}
