package maintenance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"crier/schema"
)

func TestTheAuditLogGoesByTheMonth(t *testing.T) {
	f := newFixture(t)
	f.Exec(`
		create table audit_202001 partition of audit for values from ('2020-01-01Z') to ('2020-02-01Z');
		insert into audit (id, at, actor, actor_id, actor_name, address, action, subject, subject_id, subject_name, changes)
		select gen_random_uuid(), at, 1, '', '', '', '', '', '', '', '[]' from (values (timestamptz '2020-01-31 23:59:59Z'), (now())) v (at)`)
	if n := f.RunChore(f.Delay.ForgetAudit); n == 0 {
		t.Error("nothing is forgotten")
	}
	if n, left := f.Count(`select count(*) from pg_class where relname = 'audit_202001'`), f.Count(`select count(*) from audit`); n != 0 || left != 1 {
		t.Errorf("the month is there %d times, and %d rows are left", n, left)
	}
	if n := f.RunChore(f.Delay.ForgetAudit); n != 0 {
		t.Errorf("a month that is kept is forgotten")
	}
}

func TestMailsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.Exec(`
		insert into mails (id, kind, about, recipient, since, due_at, sent_at, expires_at)
		select gen_random_uuid(), kind, gen_random_uuid(), name, now(), due_at, sent_at, expires_at from (values
			('sent long ago', 5, null::timestamptz, now() - interval '2 hours', now() + interval '1 day'),
			('sent lately', 5, null, now(), now() + interval '1 day'),
			('a notice', 8, null, now() - interval '2 hours', now() + interval '1 day'),
			('an old notice', 8, null, now() - interval '2 hours', now() - interval '1 second'),
			('late', 2, now(), null, now() - interval '1 second'),
			('waits', 2, now(), null, now() + interval '1 hour')) v (name, kind, due_at, sent_at, expires_at);
		insert into mail_recipients (email, token, mailed_at) values ('old', 'a', now() - interval '401 days'), ('new', 'b', now())`)
	f.RunChore(f.Delay.ForgetMails)
	left := f.Texts(`select recipient from mails union all select email from mail_recipients order by 1`)
	if want := []string{"a notice", "new", "sent lately", "waits"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

func TestOldCountersAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.FillDay(f.Noon(1), 1)
	f.Exec(`insert into counters select subject, period - 70, 1, 20 from counters`)
	f.Exec(`insert into plan_usage select current_date - age, id, 1, 1, 4 from workspaces, unnest('{0,70}'::int[]) age`)
	f.RunChore(f.Delay.ForgetCounters)
	if months := f.Count(`select count(*) from plan_usage`); months != 1 {
		t.Errorf("%d months are left, want this one", months)
	}
	old, _ := f.Counter(f.Accounts[0], f.Noon(-69))
	if got := f.UnitsUsed(f.Accounts[0], f.Noon(1)); got != 1 || old != 0 {
		t.Errorf("%d and %d are left, want 1 and nothing", got, old)
	}
}

func TestOldReceiptsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.Exec(`insert into receipts (profile, native_id, owner, n, entry, seen_at)
		select 'p', i::text, gen_random_uuid(), 0, 0, now() - i * interval '1 second' - case when i > 1 then interval '9 days' else interval '0' end
		from generate_series(1, 25000) i`)
	f.RunChore(f.Delay.ForgetReceipts)
	if n := f.Count(`select count(*) from receipts`); n != 1 {
		t.Errorf("%d receipts are kept, want the young one", n)
	}
}

func TestOldDeliveriesAreForgotten(t *testing.T) {
	f := newFixture(t)
	hook := f.NewWebhook(schema.PostScheduled)
	for range 3 {
		f.Create(f.Post(1, time.Hour))
	}
	messages, err := f.Notify.Expand(t.Context(), f.Events())
	if err != nil || len(messages) != 3 {
		t.Fatalf("%d deliveries, %v", len(messages), err)
	}
	f.Deliver(messages[0], schema.DeliveryDelivered)
	f.Deliver(messages[1], schema.DeliveryFailed)
	f.Deliver(messages[2], schema.DeliveryDelivered)
	old := schema.NewID[schema.DeliveryID](f.Store.Now().Add(-schema.DeliveryRetention - time.Minute))
	older := schema.NewID[schema.DeliveryID](f.Store.Now().Add(-2 * schema.DeliveryRetention))
	f.Exec(fmt.Sprintf(`update deliveries set id = '%x' where id = '%x'`, old[:], messages[0].Delivery[:]))
	f.Exec(fmt.Sprintf(`update deliveries set id = '%x' where id = '%x'`, older[:], messages[1].Delivery[:]))
	f.RunChore(f.Delay.ForgetDeliveries)
	_, left, err := f.Gateway.Deliveries(t.Context(), f.Workspace, hook.ID, schema.DeliveryFilter{Limit: 10})
	if err != nil || len(left) != 1 || left[0].ID != messages[2].Delivery {
		t.Errorf("kept %v, %v; want the young one", left, err)
	}
}
