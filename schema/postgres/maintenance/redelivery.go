package maintenance

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

const (
	// redeliveryChunk is how many deliveries are made at a time, for one webhook.
	redeliveryChunk = 1000
	// redeliveryPage is how many old ones are looked at for it.
	redeliveryPage = 2000
)

// redelivery is how far a webhook's failed deliveries are sent again.
type redelivery struct {
	webhook      schema.WebhookID
	workspace    schema.WorkspaceID
	after, until schema.DeliveryID
	from         schema.DeliveryID // the least of the last chunk of new deliveries; zero: none yet
	finished     bool
}

// Redeliver makes the next deliveries of a webhook whose failed ones are to be sent again, once
// it has taken most of those before: what waits for a receiver stays bounded. It goes from
// webhook to webhook; more says that another one waits for its turn.
func (s *Store) Redeliver(ctx context.Context) (rows int, more bool, err error) {
	var announcement schema.Announcement
	err = s.Alone(ctx, "redeliver", func(tx pgx.Tx) error {
		r, err := nextRedelivery(ctx, tx)
		if err != nil || r == nil {
			return err
		}
		if announcement.Notify, err = s.redeliverChunk(ctx, tx, r); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sql.Text(`select exists (select from redeliveries where {redelivery_turn})`)).Scan(&more)
	})
	if err != nil {
		return 0, false, db.Wrap(err, "sending failed deliveries again")
	}
	s.Announce(announcement)
	return len(announcement.Notify), more, nil
}

// nextRedelivery locks the webhook that waits longest, as whoever sends its deliveries again
// does; nil where none waits. One that is gone, or not active any more, is done with.
func nextRedelivery(ctx context.Context, tx pgx.Tx) (*redelivery, error) {
	var r redelivery
	var active bool
	err := tx.QueryRow(ctx, sql.Text(`select webhook_id from redeliveries where {redelivery_turn} order by looked_at limit 1`)).Scan((*[16]byte)(&r.webhook))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = tx.QueryRow(ctx, `select workspace_id, active from webhooks where id = $1 for no key update`, r.webhook).
		Scan((*[16]byte)(&r.workspace), &active)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	if !active {
		r.finished = true
		return &r, nil
	}
	// Whoever asks for it again holds the webhook's lock too: the row stays.
	return &r, tx.QueryRow(ctx, sql.Text(`select after_id, until_id, coalesce(made_from, {no_id}) from redeliveries where webhook_id = $1`), r.webhook).
		Scan((*[16]byte)(&r.after), (*[16]byte)(&r.until), (*[16]byte)(&r.from))
}

// redeliverChunk makes the next deliveries of a webhook, where it is their time, and notes how
// far that went.
func (s *Store) redeliverChunk(ctx context.Context, tx pgx.Tx, r *redelivery) (messages []schema.NotifyMessage, err error) {
	b := &pgx.Batch{}
	if !r.finished {
		var waiting int
		err := tx.QueryRow(ctx, waitingRedeliveries, r.webhook, [16]byte(r.from), 2*redeliveryChunk).Scan(&waiting)
		if err != nil {
			return nil, err
		}
		if waiting > redeliveryChunk/2 {
			_, err := tx.Exec(ctx, `update redeliveries set looked_at = now() where webhook_id = $1`, r.webhook)
			return nil, err
		}
		again, err := r.choose(ctx, tx)
		if err != nil {
			return nil, err
		}
		if len(again) > 0 {
			now := s.Now()
			r.from = schema.FirstID[schema.DeliveryID](now)
			messages = tables.QueueRedeliveries(b, r.workspace, r.webhook, again, now)
		}
	}
	if r.finished {
		b.Queue(`delete from redeliveries where webhook_id = $1`, r.webhook)
	} else {
		// Where nothing was to be sent again there is nothing to wait for.
		b.Queue(`
			update redeliveries set after_id = $2, made_from = $3, looked_at = now() - case when $4 then interval '0' else interval '500 milliseconds' end
			where webhook_id = $1`, r.webhook, r.after, r.from, len(messages) > 0)
	}
	return messages, tx.SendBatch(ctx, b).Close()
}

var waitingRedeliveries = sql.Text(`
	select count(*) filter (where redelivers is not null and state in {open_deliveries}) from (
		select redelivers, state from deliveries where webhook_id = $1 and id >= $2::uuid order by id limit $3
	) made`)

// choose returns the next failed deliveries whose event no other delivery has sent or is to
// send, oldest first, and moves the cursor behind them.
func (r *redelivery) choose(ctx context.Context, tx pgx.Tx) (again []schema.DeliveryID, err error) {
	rows, err := tx.Query(ctx, sql.Text(`
		select p.id, p.state = {delivery_failed} and not exists (
			select from deliveries o
			where o.event_id = p.event_id and o.webhook_id = $1 and (o.state <> {delivery_failed} or o.id > p.id))
		from (select id, event_id, state from deliveries where webhook_id = $1 and id > $2 and id < $3 order by id limit $4) p
		order by p.id`), r.webhook, [16]byte(r.after), [16]byte(r.until), redeliveryPage)
	if err != nil {
		return nil, err
	}
	var id schema.DeliveryID
	var failed bool
	looked := 0
	_, err = pgx.ForEachRow(rows, []any{(*[16]byte)(&id), &failed}, func() error {
		if len(again) == redeliveryChunk {
			return nil
		}
		looked++
		r.after = id
		if failed {
			again = append(again, id)
		}
		return nil
	})
	r.finished = looked < redeliveryPage && len(again) < redeliveryChunk
	return again, err
}
