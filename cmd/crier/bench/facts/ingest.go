package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"

	"crier/schema"
)

const (
	ingestBlocks = 20
	ingestRows   = 10_000 // of a block: as many as the sink's has at most
)

// ingest measures how fast facts are stored as the sink stores them, against a plain insertion of
// the same rows into tables from which nothing else is made, by the same client, in turn.
func (b *bench) ingest(ctx context.Context) (err error) {
	for _, table := range []string{"events", "post_metrics"} {
		if err := b.conn.Exec(ctx, `drop table if exists plain_`+table); err != nil { // of a run that was cut off
			return fmt.Errorf("removing a table to compare with: %w", err)
		}
		if err := b.conn.Exec(ctx, `create table plain_`+table+` as `+table); err != nil {
			return fmt.Errorf("making a table to compare with: %w", err)
		}
		defer func() { err = errors.Join(err, b.conn.Exec(ctx, `drop table plain_`+table)) }()
	}
	random := rand.New(rand.NewPCG(1, 2))
	var sink, plain time.Duration
	for n := range ingestBlocks {
		events := ingestBlock(random, n)
		began := time.Now()
		if err := b.store.Sink().Insert(ctx, events); err != nil {
			return fmt.Errorf("storing facts: %w", err)
		}
		sink += time.Since(began)
		began = time.Now()
		if err := b.insertPlainly(ctx, events); err != nil {
			return fmt.Errorf("inserting plainly: %w", err)
		}
		plain += time.Since(began)
	}
	const all = ingestBlocks * ingestRows
	return b.Report(Result{Name: "ingest", Value: all / sink.Seconds(), Unit: "rows/s", Control: all / plain.Seconds()})
}

// ingestBlock is a block of facts of some minutes: ends of targets, and looks at posts.
func ingestBlock(random *rand.Rand, n int) []schema.Event {
	at := begin.AddDate(1, 0, 0).Add(time.Duration(n) * time.Minute)
	events := make([]schema.Event, ingestRows)
	for i := range events {
		workspace := schema.WorkspaceID(uuid.NewSHA1(uuid.Nil, fmt.Append(nil, "workspace", random.IntN(1000))))
		e := schema.Event{
			ID: schema.NewID[schema.EventID](at), Type: schema.TargetWasPosted, Workspace: workspace, Post: schema.NewID[schema.PostID](at),
			Account: schema.NewID[schema.AccountID](at), Platform: schema.Mastodon, At: at.Add(time.Duration(i) * time.Millisecond), Lateness: random.Float64(),
		}
		if i%2 == 0 {
			likes, views := random.Int64N(1000), random.Int64N(10_000)
			look := schema.PostMetrics{
				NativeID: strconv.FormatUint(random.Uint64(), 10), PostedAt: e.At.Add(-24 * time.Hour), Slot: int16(i / 2 % 7),
				Metrics: schema.Metrics{Likes: &likes, Views: &views, Comments: &likes, Shares: &likes},
			}
			e.Type = schema.FactPostMetrics
			e.Data, _ = json.Marshal(look) // numbers and texts always can be
		}
		events[i] = e
	}
	return events
}

// insertPlainly inserts facts as they are, into tables of the same columns.
func (b *bench) insertPlainly(ctx context.Context, events []schema.Event) (err error) {
	ends, err := b.conn.PrepareBatch(ctx, `insert into plain_events (id, type, workspace, post, account, platform, at, lateness, code, data, position)`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ends.Close()) }()
	looks, err := b.conn.PrepareBatch(ctx, `insert into plain_post_metrics (workspace, account, platform, post, target, native_id, posted_at, slot, at, gone,
		impressions, reach, views, likes, comments, shares, saves, clicks, watch_seconds)`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, looks.Close()) }()
	for i := range events {
		e := &events[i]
		if e.Type == schema.FactPostMetrics {
			var f schema.PostMetrics
			if err := json.Unmarshal(e.Data, &f); err != nil {
				return err
			}
			m := f.Metrics
			err = looks.Append(uuid.UUID(e.Workspace), uuid.UUID(e.Account), e.Platform.String(), uuid.UUID(e.Post), f.Target, f.NativeID, f.PostedAt, f.Slot, e.At, f.Gone,
				m.Impressions, m.Reach, m.Views, m.Likes, m.Comments, m.Shares, m.Saves, m.Clicks, m.WatchSeconds)
		} else {
			err = ends.Append(uuid.UUID(e.ID), string(e.Type), uuid.UUID(e.Workspace), uuid.UUID(e.Post), uuid.UUID(e.Account),
				e.Platform.String(), e.At, e.Lateness, e.Code, string(e.Data), e.Position)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(ends.Send(), looks.Send())
}
