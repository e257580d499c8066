package maintenance_test

import (
	"context"
	"fmt"
	"testing"

	"crier/schema"
	"crier/schema/postgres/postgrestest"
)

// Two chores that each wait for a second connection wait for each other where there are but two.
func TestAChoreTakesOneConnection(t *testing.T) {
	r := newFixture(t).NewReader()
	d := r.Delay
	for name, chunk := range map[string]func(context.Context) (int, bool, error){
		"promote": d.Promote, "make partitions": d.MakePartitions, "drop partitions": d.DropPartitions,
		"archive": d.Archive, "archive unnoted": d.ArchiveUnnoted, "forget posts": d.ForgetPosts, "forget audit": d.ForgetAudit, "forget mails": d.ForgetMails,
		"forget keys": d.ForgetKeys, "forget receipts": d.ForgetReceipts, "forget deliveries": d.ForgetDeliveries,
		"forget attempts": d.ForgetAttempts, "forget counters": d.ForgetCounters, "forget turns": d.ForgetTurns, "forget replies": d.ForgetReplies, "forget inbox": d.ForgetInbox,
		"forget dead letters": d.ForgetDeadLetters, "forget webhooks": d.ForgetWebhooks, "redeliver": d.Redeliver, "resume": d.Resume,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), postgrestest.Patience)
			defer cancel()
			if _, _, err := chunk(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSweepsReadWhatIsOpen(t *testing.T) {
	const many = 20_000
	f := newFixture(t)
	f.Deliver(f.NewDelivery(), schema.DeliveryDelivered)
	f.AddUnrelatedRows(many)
	r := f.NewReader()
	pass := func(over schema.Sweep) func() {
		return func() {
			f.Exec(`update sweeps set ended_at = '-infinity'`)
			f.RunChore(func(ctx context.Context) (rows int, more bool, err error) {
				repaired, more, err := r.Delay.Sweep(ctx, over)
				return postgrestest.Sum(repaired), more, err
			})
		}
	}
	lost := f.Create(f.Post(1, 0))
	f.Exec(postgrestest.ForPost(lost, `delete from jobs where id = '$'`))
	for _, statistics := range []string{"select 1", "analyze"} { // none, and fresh ones
		f.Exec(statistics)
		r.WantReads(20, pass(schema.SweepPosts))
		r.WantReads(20, pass(schema.SweepRecentPosts))
		r.WantReads(many+100, pass(schema.SweepJobs))
	}
	if f.Count(postgrestest.ForPost(lost, `select count(*) from jobs where id = '$'`)) != 1 {
		t.Error("the post did not get its job")
	}
	r.WantReads(2*many+100, pass(schema.SweepDeliveries))
	r.WantReads(10, pass(schema.SweepDeliveries)) // of what has ended nothing is read again
	f.Exec(`
		insert into deliveries (id, webhook_id, workspace_id, event_id, event, body)
		select uuidv7(interval '-10 seconds'), webhook_id, workspace_id, uuidv7(), event, body from deliveries where state = 2 and webhook_id in (select id from webhooks)`)
	r.WantReads(20, pass(schema.SweepDeliveries))
	if f.Count(`select count(*) from jobs where kind = 3`) != 1 {
		t.Error("an open delivery did not get its job")
	}
}

func TestAStartBringsForwardWhatTheNodeHadClaimed(t *testing.T) {
	f := newFixture(t)
	r := f.NewReader()
	f.Store.Node, r.Store.Node = [16]byte{9}, [16]byte{9}
	_, err := f.Notify.Claim(t.Context(), []schema.DeliveryID{f.NewDelivery().Delivery})
	f.Must(err)
	_, err = f.Comment.Claim(t.Context(), []schema.CommentID{f.NewFirstComment()})
	f.Must(err)
	f.scatter(1, 100)
	f.Exec(`update targets set state = 1, node = '` + postgrestest.NodeID + `', lease_until = now() + interval '50 seconds' 
		where post_id in (select id from posts where scheduled_for < now() - interval '30 minutes')`)
	f.Exec(`insert into jobs (id, kind, shard, due_at, version, payload)
		select id, 1, row_number() over () % 2, now(), 1, '{}' 
		from posts p where scheduled_for < now() - interval '30 minutes'`) // of a shard more than a chunk takes
	const mine = 102
	f.Store.Node = [16]byte{8}
	other := f.Create(f.Post(1, 0))
	f.MustClaim(other, 0)
	f.AddUnrelatedRows(20_000)
	f.Exec(`update jobs set fires = 3, due_at = now() + case kind when 3 then interval '4 minutes' else interval '30 seconds' end where due_at < now() + interval '1 hour'`)

	began := f.Count(`select extract(epoch from now())::int`)
	r.WantReads(2000, func() { f.Must(r.Store.Recover(t.Context())) })
	if n := f.Count(fmt.Sprintf(`select count(*) from jobs where due_at between to_timestamp(%d) + interval '4 seconds' and now() + interval '6 seconds'`, began)); n != mine {
		t.Errorf("%d jobs are due after the settle time, want %d", n, mine)
	}
	if n := f.Count(`select (select count(*) from targets where state = 1 and lease_until > now()) + (select count(*) from comments where lease_until > now())
		+ (select count(*) from deliveries where lease_until > now())`); n != 1 {
		t.Errorf("%d leases run, want the other node's", n)
	}
	if n := f.Count(postgrestest.ForPost(other, `select count(*) from jobs where id = '$' and due_at > now() + interval '20 seconds'`)); n != 1 {
		t.Error("the job of the other node's claim was moved")
	}
}

func TestWhatIsOverdueIsHeldInChunks(t *testing.T) {
	f := newFixture(t)
	f.scatter(2, 3000)
	f.AddUnrelatedRows(20_000)
	r := f.NewReader()
	r.WantReads(6100, func() {
		if held, err := r.Store.HoldOverdue(t.Context()); err != nil || held != 6000 {
			t.Errorf("held %d, %v", held, err)
		}
	})
	if held, err := r.Store.HoldOverdue(t.Context()); err != nil || held != 0 {
		t.Errorf("held %d again, %v", held, err)
	}
}
