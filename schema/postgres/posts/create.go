package posts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// creation is one request on its way through group commit, and what came of it.
type creation struct {
	schema.Creation
	audited  *people.Audited                 // for the audit log; nil: it has none of it
	demands  []*tables.Demand                // what each of the posts takes of daily caps and plan
	dropped  map[schema.PostID]*schema.Error // posts that were refused while the others go on
	result   schema.Created
	conflict bool
	refused  *schema.Error // there is no room for it
	settled  bool          // it was answered
	failed   error         // why it alone cannot be answered
}

// Create makes the posts of one request, or answers it with what its first sending
// was answered. It returns after the commit. Nothing happens where ctx has ended before: whoever
// asked has gone.
func (s *Store) Create(ctx context.Context, c schema.Creation) (schema.Created, error) {
	if err := ctx.Err(); err != nil {
		return schema.Created{}, &schema.Error{Kind: schema.Unavailable, Message: "the time of the request is over; nothing was made", Err: err}
	}
	request := &creation{Creation: c, demands: s.demandsOf(c)}
	if audited, is := people.AuditedOf(ctx); is {
		request.audited = &audited
	}
	var err error
	if s.full.any(request.demands, s.Now()) {
		err = s.refuse(ctx, []*creation{request})
	}
	if err == nil && !request.settled {
		err = s.creations.Do(ctx, request)
	}
	return request.answer(err)
}

// answer is what the request is answered once its batch has ended, with an error or not.
func (c *creation) answer(err error) (schema.Created, error) {
	switch {
	case err != nil:
		return schema.Created{}, db.Wrap(err, "creating posts")
	case c.failed != nil:
		return schema.Created{}, db.Wrap(c.failed, "answering a repeated request")
	case c.conflict:
		return schema.Created{}, tables.ErrKeyConflict()
	case c.refused != nil:
		return schema.Created{}, c.refused
	}
	return c.result, nil
}

// tryCreations makes the posts of a batch of requests in one transaction, in two trips:
// the idempotency rows, then what only the first sender of a key makes. It returns those
// too, whatever the error.
func (s *Store) tryCreations(ctx context.Context, batch []*creation) (winners []*creation, err error) {
	conn, err := s.Inserts.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()

	keyed, free := splitByKey(batch)
	if len(keyed) == 0 {
		return free, s.insert(ctx, conn.Conn(), free, "begin")
	}
	firsts, repeats := splitRepeats(keyed)
	taken, err := takeKeys(ctx, conn.Conn(), firsts)
	if err != nil {
		return nil, s.Abandon(ctx, conn.Conn(), err)
	}
	winners = free
	for _, c := range firsts {
		if _, ok := taken[keyOf(c)]; ok {
			winners = append(winners, c)
		} else {
			repeats = append(repeats, c)
		}
	}
	if err := s.insert(ctx, conn.Conn(), winners, ""); err != nil {
		return winners, err
	}
	s.replay(ctx, conn.Conn(), repeats)
	return winners, nil
}

// idempotencyKey is a key with what it is scoped to.
type idempotencyKey struct {
	lineage schema.KeyID
	key     string
}

func keyOf(c *creation) idempotencyKey {
	return idempotencyKey{c.Idempotency.Lineage, c.Idempotency.Key}
}

func splitByKey(batch []*creation) (keyed, free []*creation) {
	for _, c := range batch {
		if c.Idempotency != nil {
			keyed = append(keyed, c)
		} else {
			free = append(free, c)
		}
	}
	return keyed, free
}

// splitRepeats sorts the requests by key, so that committers take keys in one order and
// cannot deadlock, and sets aside those whose key stands in the batch already.
func splitRepeats(keyed []*creation) (firsts, repeats []*creation) {
	slices.SortStableFunc(keyed, func(a, b *creation) int {
		return cmp.Or(bytes.Compare(a.Idempotency.Lineage[:], b.Idempotency.Lineage[:]),
			cmp.Compare(a.Idempotency.Key, b.Idempotency.Key))
	})
	for i, c := range keyed {
		if i > 0 && keyOf(keyed[i-1]) == keyOf(c) {
			repeats = append(repeats, c)
		} else {
			firsts = append(firsts, c)
		}
	}
	return firsts, repeats
}

// takeKeys begins the transaction and returns the keys that nobody has used in the last
// 24 hours. A key whose first request is not committed yet is waited for.
func takeKeys(ctx context.Context, conn *pgx.Conn, firsts []*creation) (map[idempotencyKey]struct{}, error) {
	n := len(firsts)
	lineages, keys := make([]schema.KeyID, n), make([]string, n)
	prints, responses := make([][]byte, n), make([][]byte, n)
	for i, c := range firsts {
		lineages[i], keys[i] = c.Idempotency.Lineage, c.Idempotency.Key
		prints[i], responses[i] = c.Idempotency.Fingerprint[:], c.Response
	}
	taken := make(map[idempotencyKey]struct{}, n)
	batch := &pgx.Batch{}
	batch.Queue("begin")
	tables.InsertKeys.Queue(batch, pgx.StrictNamedArgs{
		"lineages": db.IDColumn(lineages), "keys": keys, "fingerprints": prints, "responses": responses,
	}).Query(func(rows pgx.Rows) error {
		var k idempotencyKey
		_, err := pgx.ForEachRow(rows, []any{(*[16]byte)(&k.lineage), &k.key}, func() error {
			taken[k] = struct{}{}
			return nil
		})
		return err
	})
	return taken, conn.SendBatch(ctx, batch).Close()
}

// insert makes the posts of the winners, commits, and announces what follows.
func (s *Store) insert(ctx context.Context, conn *pgx.Conn, winners []*creation, begin string) error {
	var posts []schema.Post
	taken := tables.Charges{}
	for _, c := range winners {
		posts = append(posts, c.Posts...)
		for _, d := range c.demands {
			taken.Add(d.Charges...)
		}
	}
	batch := &pgx.Batch{}
	if begin != "" {
		batch.Queue(begin)
	}
	announcement := s.queueInserts(batch, posts)
	taken.Queue(batch)
	for _, c := range winners {
		if c.audited == nil {
			continue
		}
		for i := range c.Posts {
			audit.Queue(people.WithAudited(ctx, *c.audited), batch, s.Now(), entry(&c.Posts[i]))
		}
	}
	batch.Queue("commit")
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		if err := s.confirm(ctx, conn, posts, s.Abandon(ctx, conn, err)); err != nil {
			return err
		}
	}
	for _, c := range winners {
		c.result = schema.Created{Response: c.Response}
	}
	s.Announce(announcement)
	return nil
}

// queueInserts adds the statements that make posts: rows, targets, jobs and events.
func (s *Store) queueInserts(batch *pgx.Batch, posts []schema.Post) schema.Announcement {
	if len(posts) == 0 {
		return schema.Announcement{}
	}
	now := s.Now()
	rows := make([]*schema.Post, len(posts))
	var jobs tables.JobRows
	var events []schema.Event
	var announcement schema.Announcement
	for i := range posts {
		p := &posts[i]
		rows[i] = p
		if p.Status != schema.Scheduled {
			continue
		}
		events = append(events, tables.ScheduledEvents(p, now)...)
		job := tables.PostJob(p)
		if job.DueAt.After(now) {
			jobs.Add(job, now)
			if job.DueAt.Before(now.Add(schema.AnnounceWindow)) {
				announcement.Jobs = append(announcement.Jobs, job)
			}
			continue
		}
		announcement.Publish = append(announcement.Publish, tables.PostMessages(p)...)
		job.DueAt = now.Add(schema.AnnounceTimeout)
		jobs.Add(job, now)
	}
	tables.QueuePosts(batch, rows)
	tables.QueueTargets(batch, rows...)
	jobs.Queue(batch)
	tables.QueueUses(batch, rows...)
	announcement.Events = append(announcement.Events, tables.QueueEvents(batch, events, now)...)
	return announcement
}

// replay answers requests whose key was used before with the answer of its first use.
// Where that cannot be read they fail alone: what the others made is committed.
func (s *Store) replay(ctx context.Context, conn *pgx.Conn, repeats []*creation) {
	if len(repeats) == 0 {
		return
	}
	known, err := readAnswers(ctx, conn, repeats)
	for _, c := range repeats {
		first, ok := known[keyOf(c)]
		switch {
		case err != nil:
			c.failed = err
		case !ok:
			c.failed = errors.New("an idempotency key was taken and is not there")
		default:
			c.repeat(first)
		}
	}
}

// storedResponse is the response to the first request of a key.
type storedResponse struct{ fingerprint, response []byte }

// repeat answers a request with the answer of the first of its key.
func (c *creation) repeat(first storedResponse) {
	c.settled = true
	if !bytes.Equal(first.fingerprint, c.Idempotency.Fingerprint[:]) {
		c.conflict = true
		return
	}
	c.result = schema.Created{Replayed: true, Response: first.response}
}

const selectAnswers = `
	select i.lineage, i.key, i.fingerprint, i.response
	from unnest($1::uuid[], $2::text[]) u (lineage, key)
	join idempotency i on i.lineage = u.lineage and i.key = u.key`

// readAnswers returns what is kept of the keys of requests.
func readAnswers(ctx context.Context, q db.Querier, requests []*creation) (map[idempotencyKey]storedResponse, error) {
	n := len(requests)
	lineages, keys := make([]schema.KeyID, n), make([]string, n)
	for i, c := range requests {
		lineages[i], keys[i] = c.Idempotency.Lineage, c.Idempotency.Key
	}
	rows, err := q.Query(ctx, selectAnswers, db.IDColumn(lineages), keys)
	return db.CollectMap(rows, err, func(row pgx.Row, k *idempotencyKey, a *storedResponse) error {
		return row.Scan((*[16]byte)(&k.lineage), &k.key, &a.fingerprint, &a.response)
	})
}

// confirm finds out whether a transaction whose COMMIT was not answered took place, by a
// post it would have made; nil means that it did. It waits until the server's process
// that ran it is gone: before that, "not there" means nothing. Where the server does not
// answer in time, nobody knows, and the error says so.
func (s *Store) confirm(ctx context.Context, conn *pgx.Conn, posts []schema.Post, lost error) error {
	if len(posts) == 0 || !db.IsConnectionError(lost) {
		return lost
	}
	pid := conn.PgConn().PID()
	for wait := 50 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, time.Second) {
		running, there, err := s.tookPlace(ctx, pid, posts[0].ID)
		switch {
		case err == nil && there:
			return nil
		case err == nil && !running:
			return lost
		}
		time.Sleep(wait)
	}
	return &schema.Error{Kind: schema.Unknown, Message: "the database went away before it confirmed the request", Err: lost}
}

// tookPlace reports whether the server's process of that number runs something, and whether
// a post is there. The one is asked before the other: under one snapshot the process might
// have ended and its post not be seen.
func (s *Store) tookPlace(ctx context.Context, pid uint32, post schema.PostID) (running, there bool, err error) {
	err = s.Pool.QueryRow(ctx, `select exists (select from pg_stat_activity where pid = $1 and state <> 'idle')`, pid).Scan(&running)
	if err != nil {
		return false, false, err
	}
	err = s.Pool.QueryRow(ctx, `select exists (select from posts where id = $1)`, post).Scan(&there)
	return running, there, err
}

// Answer returns what the first request of that key was answered, if there was one in
// the last 24 hours.
func (s *Store) Answer(ctx context.Context, request schema.Idempotency) (response []byte, known bool, err error) {
	var fingerprint []byte
	err = s.Pool.QueryRow(ctx, `
		select fingerprint, response from idempotency
		where lineage = $1 and key = $2 and created_at >= now() - interval '24 hours'`, request.Lineage, request.Key).
		Scan(&fingerprint, &response)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, db.Wrap(err, "reading an earlier answer")
	case !bytes.Equal(fingerprint, request.Fingerprint[:]):
		return nil, false, tables.ErrKeyConflict()
	}
	return response, true, nil
}

// entry is what the audit log says of a post, whose texts are its own history's.
func entry(p *schema.Post, changes ...people.Change) audit.Entry {
	return audit.Entry{Workspace: p.Workspace, Subject: audit.Of("post", p.ID, ""), Changes: audit.Differences(append(changes,
		people.Change{Field: "status", After: p.Status.String()}, people.Change{Field: "scheduled for", After: audit.Time(p.ScheduledFor)},
	)...)}
}
