package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// Finish stores the result of a step, with its events and the move of the post's job, in
// one transaction with other results. If another claim has followed, only the receipt is
// stored: the entry is published all the same. A look that found what belongs to another
// entry is refused with schema.ErrReceiptTaken.
func (p *Publish) Finish(ctx context.Context, r schema.Result) error {
	err := p.finishes.Do(ctx, &r)
	if errors.Is(err, schema.ErrReceiptTaken) {
		p.arrivals.takenByLook.Inc()
	}
	return db.Wrap(err, "finishing a target")
}

// commitFinishes stores results. It can be called again with results that it has stored.
func (p *Publish) commitFinishes(ctx context.Context, batch []*schema.Result) error {
	for _, round := range roundsOf(batch) {
		if err := p.commitRound(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

// roundsOf sorts results by target and divides them into rounds with each target at most
// once: if several claims of a target end together, each sees what the one before it has
// stored.
func roundsOf(batch []*schema.Result) [][]*schema.Result {
	slices.SortFunc(batch, func(a, b *schema.Result) int {
		return cmp.Or(bytes.Compare(a.Ref.Post[:], b.Ref.Post[:]), cmp.Compare(a.Ref.N, b.Ref.N), cmp.Compare(a.Claim, b.Claim))
	})
	var rounds [][]*schema.Result
	place := 0
	for i, r := range batch {
		place++
		if i == 0 || keyOfTarget(batch[i-1].Ref) != keyOfTarget(r.Ref) {
			place = 0
		}
		if place == len(rounds) {
			rounds = append(rounds, make([]*schema.Result, 0, len(batch)-i))
		}
		rounds[place] = append(rounds[place], r)
	}
	return rounds
}

func (p *Publish) commitRound(ctx context.Context, round []*schema.Result) error {
	var announcement schema.Announcement
	err := p.OnConnection(ctx, func(conn *pgx.Conn) error {
		done, err := p.applyResults(ctx, conn, round)
		if err != nil {
			return err
		}
		if err := p.keepReceipts(ctx, conn, done.late(round), &done); err != nil {
			return err
		}
		announcement, err = p.recordEffects(ctx, conn, done)
		return err
	})
	if err == nil {
		p.Announce(announcement)
	}
	return err
}

// applied is the effect of a round: which targets took their result, and which posts have
// ended.
type applied struct {
	taken   map[targetKey]time.Time        // by target, the day whose unit of a daily cap it holds; zero: none
	changed []schema.PostID                // of the targets
	waiting []schema.PostID                // of them, those with a target that goes on later
	posts   map[schema.PostID]*schema.Post // that have ended, with their targets
	ended   []*schema.Result               // of targets that are done by it
	// amended are results of targets that had ended before: their comments may follow.
	amended []*schema.Result
	// uncounted are results of targets that had given their unit of a daily cap back.
	uncounted []*schema.Result
	attempts  tables.AttemptRows // of what was taken
}

// late returns the results of a round that were not taken and have a receipt.
func (a *applied) late(round []*schema.Result) []*schema.Result {
	var late []*schema.Result
	for _, r := range round {
		if _, taken := a.taken[keyOfTarget(r.Ref)]; r.Receipt != nil && !taken {
			late = append(late, r)
		}
	}
	return late
}

type targetKey struct {
	post schema.PostID
	n    int16
}

func keyOfTarget(ref schema.TargetRef) targetKey { return targetKey{ref.Post, ref.N} }

// applyResults writes the targets' new state, counts it on the posts, records the receipts,
// and reads the posts that have ended, whose jobs it deletes: the first trip. Rows of posts are
// locked in order of id before anything else; without that, counters deadlock and lose.
func (p *Publish) applyResults(ctx context.Context, conn *pgx.Conn, round []*schema.Result) (applied, error) {
	var receipts receiptRows
	for _, r := range round {
		receipts.add(r)
	}
	changed := lists.Map(round, postOf)
	done := applied{
		taken: make(map[targetKey]time.Time, len(round)), changed: changed, waiting: waiting(round), posts: map[schema.PostID]*schema.Post{},
	}
	var recorded int64
	b := &pgx.Batch{}
	b.Queue("begin")
	db.QueueGenericPlans(b)
	b.Queue(tables.LockPosts, changed)
	queueResults(b, round).Query(done.readTaken)
	receipts.queue(b, &recorded)
	done.queueEnded(b, changed)
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return applied{}, err
	}
	if err := p.settleTaken(ctx, conn, &receipts, recorded); err != nil {
		return applied{}, err
	}
	for _, r := range round {
		if _, taken := done.taken[keyOfTarget(r.Ref)]; !taken {
			continue
		}
		done.attempts.Add(r.Ref.Post, r.Attempt)
		if r.Terminal() {
			done.ended = append(done.ended, r)
		}
	}
	return done, nil
}

func (a *applied) readTaken(rows pgx.Rows) error {
	var key targetKey
	var charged time.Time
	_, err := pgx.ForEachRow(rows, []any{(*[16]byte)(&key.post), &key.n, db.OrZero(&charged)}, func() error {
		a.taken[key] = charged
		return nil
	})
	return err
}

func (a *applied) readPosts(rows pgx.Rows) error {
	ended, err := db.Collect(rows, nil, tables.ScanPost)
	for i := range ended {
		a.posts[ended[i].ID] = &ended[i]
	}
	return err
}

// readTargets reads those of the posts that were read.
func (a *applied) readTargets(rows pgx.Rows) error {
	targets, err := db.Collect(rows, nil, tables.ScanTarget)
	for _, t := range targets {
		post := a.posts[t.Post]
		post.Targets = append(post.Targets, t.Target)
	}
	return err
}

// queueEnded adds the statements for posts whose targets have changed: those that have ended are
// read and lose their job.
func (a *applied) queueEnded(b *pgx.Batch, changed []schema.PostID) {
	b.Queue(selectDonePosts, changed).Query(a.readPosts)
	b.Queue(selectDoneTargets, changed).Query(a.readTargets)
	b.Queue(`
		delete from jobs j using posts p
		where j.id = any($1) and p.id = j.id and p.left_n = 0`, changed)
}

// open returns the posts that have changed and go on.
func (a *applied) open() (open []schema.PostID) {
	for _, id := range a.changed {
		if a.posts[id] == nil {
			open = append(open, id)
		}
	}
	return open
}

var (
	selectDonePosts   = sql.Text(`select {post_columns} from posts p where p.id = any($1) and p.left_n = 0`)
	selectDoneTargets = sql.Text(`
		select {target_columns} from posts p join targets t on t.post_id = p.id
		where p.id = any($1) and p.left_n = 0 order by t.post_id, t.n`)
)

var moveProcessing = tables.MoveJobs(`({post_processing})`)

// recordEffects writes what follows from the results that were taken, moves the jobs of the posts
// that go on, and commits: the second trip. It returns what to announce.
func (p *Publish) recordEffects(ctx context.Context, conn *pgx.Conn, done applied) (announcement schema.Announcement, err error) {
	now := p.Now()
	b := &pgx.Batch{}
	var moved []schema.Job
	if open := done.open(); len(open) > 0 {
		tables.QueueMove(b, moveProcessing, open, done.waiting, &moved)
	}
	var events []schema.Event
	var comments commentRows
	var caps capRows
	finished := map[schema.PostID]string{} // with the trace of what ended it
	for _, r := range done.ended {
		if charged, ok := done.taken[keyOfTarget(r.Ref)]; ok {
			caps.refund(r, charged)
		}
		events = append(events, tables.TargetFact(r, now))
		comments.add(r, now)
		done.attempts.AddSkipped(r, now)
		finished[r.Ref.Post] = r.Trace
	}
	for _, r := range done.amended {
		comments.add(r, now)
	}
	for _, r := range done.uncounted {
		caps.charge(r, schema.DayOf(now))
	}
	for id, trace := range finished {
		if post := done.posts[id]; post != nil {
			post.Trace = trace
			events = append(events, tables.DoneEvents(post, now)...)
		}
	}
	announcement.Jobs = comments.queue(b, now)
	done.attempts.Queue(b)
	announcement.Events = tables.QueueEvents(b, events, now)
	caps.queue(b)
	b.Queue("commit")
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return schema.Announcement{}, err
	}
	announcement.Jobs = append(announcement.Jobs, tables.Soon(moved, now)...)
	return announcement, nil
}
