package maintenance_test

import (
	"fmt"
	"testing"
	"time"

	"crier/schema"
)

func TestWhatFailedIsSentAgainAsFastAsItIsTaken(t *testing.T) {
	f := newFixture(t)
	hook, began := f.NewWebhook(schema.PostScheduled), f.Store.Now().Add(-time.Hour)
	insert := func(from, to int, state schema.DeliveryState) {
		f.Exec(fmt.Sprintf(`insert into deliveries (id, webhook_id, workspace_id, event_id, event, body, state)
			select (lpad(to_hex(%d + i), 12, '0') || '7000800000000000' || lpad(to_hex(i), 4, '0'))::uuid, w.id, w.workspace_id, gen_random_uuid(), 'post.scheduled', '{}', %d
			from generate_series(%d, %d) i, webhooks w`, began.UnixMilli(), state, from, to-1))
	}
	insert(0, 5000, schema.DeliveryDelivered)
	insert(5000, 7300, schema.DeliveryFailed)
	f.EnableWebhook(hook, began)
	total := 0
	for range 20 {
		f.Exec(`update redeliveries set looked_at = 'epoch'`)
		n, _, err := f.Delay.Redeliver(t.Context())
		f.Must(err)
		open := f.Count(`select count(*) from deliveries where state in (0, 1)`)
		if total += n; n > 1000 || open > 1500 {
			t.Fatalf("%d were made, %d are waiting", n, open)
		}
		if n == 0 { // wait, or went by what was delivered
			f.Exec(`update deliveries set state = 2 where redelivers is not null and state = 0`)
		}
	}
	again := f.Count(`select count(distinct redelivers) from deliveries join jobs using (id)`)
	left := f.Count(`select count(*) from redeliveries`)
	if total != 2300 || again != 2300 || left != 0 {
		t.Errorf("%d were made, of %d, %d webhooks are left", total, again, left)
	}
	f.EnableWebhook(hook, began)
	if n, _, err := f.Delay.Redeliver(t.Context()); err != nil || n != 0 {
		t.Errorf("asked again, %d were made, %v", n, err)
	}
}
