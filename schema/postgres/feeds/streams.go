package feeds

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
)

// monitorsChunk is how many monitors are read in one statement.
const monitorsChunk = 2000

// Listening returns the monitors of the live workspaces, or of the sandboxes, that are not
// paused and look at a platform, as long as their keywords have at most so many bytes together;
// left is how many are left out. Where there are more, those are of the workspaces with most: of
// each its oldest monitors stay, with as many bytes as all others may have.
func (s *Store) Listening(ctx context.Context, sandbox bool, platform schema.Platform, maxBytes int) (monitors []schema.Monitor, left int, err error) {
	share, err := s.keywordShare(ctx, sandbox, platform, maxBytes)
	if err != nil {
		return nil, 0, err
	}
	used := map[schema.WorkspaceID]int{}
	for after := (schema.MonitorID{}); ; {
		rows, err := s.Pool.Query(ctx, sql.Text(`
			select {monitor_columns} from monitors m left join searches s on s.monitor_id = m.id join workspaces w on w.id = m.workspace_id
			where {is_listening} and m.id > coalesce(@after::uuid, {no_id})
			order by m.id limit @limit`),
			pgx.StrictNamedArgs{"sandbox": sandbox, "platform": int16(platform), "after": after, "limit": monitorsChunk})
		chunk, err := db.Collect(rows, err, scanMonitor)
		if err != nil {
			return nil, 0, db.Wrap(err, "reading monitors")
		}
		for _, m := range chunk {
			bytes := m.KeywordBytes()
			used[m.Workspace] += bytes
			if maxBytes -= bytes; maxBytes < 0 || used[m.Workspace] > share {
				maxBytes += bytes
				left++
				continue
			}
			monitors = append(monitors, m)
		}
		if len(chunk) < monitorsChunk {
			return monitors, left, nil
		}
		after = chunk[len(chunk)-1].ID
	}
}

// LeftOut reports whether Listening leaves a monitor out of those of a platform.
func (s *Store) LeftOut(ctx context.Context, m schema.Monitor, platform schema.Platform, maxBytes int) (bool, error) {
	var sandbox bool
	var used int
	err := s.Pool.QueryRow(ctx, `
		select coalesce(bool_or(o.sandbox), false), coalesce(sum(octet_length(array_to_string(o.include || o.exclude, ''))), 0)
		from monitors m join monitors o on o.workspace_id = m.workspace_id and o.id <= m.id
		where m.id = $1 and m.workspace_id = $2 and not m.paused and $3::smallint = any(m.platforms) and not o.paused and $3 = any(o.platforms)`,
		m.ID, m.Workspace, int16(platform)).Scan(&sandbox, &used)
	if err != nil {
		return false, db.Wrap(err, "reading how many keywords a workspace has")
	}
	if used == 0 {
		return false, nil
	}
	workspaces, err := s.listeningWorkspaces(ctx, sandbox, platform)
	if err != nil || used*workspaces <= maxBytes { // its share is at least its part of all
		return false, err
	}
	share, err := s.keywordShare(ctx, sandbox, platform, maxBytes)
	return used > share, err
}

// listeningWorkspaces returns how many workspaces have a monitor that listens. It reads no keywords.
func (s *Store) listeningWorkspaces(ctx context.Context, sandbox bool, platform schema.Platform) (n int, err error) {
	err = s.Pool.QueryRow(ctx, sql.Text(`
		select count(distinct m.workspace_id) from monitors m join workspaces w on w.id = m.workspace_id where {is_listening}`),
		pgx.StrictNamedArgs{"sandbox": sandbox, "platform": int16(platform)}).Scan(&n)
	return n, db.Wrap(err, "reading how many workspaces listen")
}

// keywordShare returns how many bytes the keywords of a workspace may have where all have maxBytes
// together: those with less leave the others the rest, which is shared equally.
func (s *Store) keywordShare(ctx context.Context, sandbox bool, platform schema.Platform, maxBytes int) (share int, err error) {
	err = s.Pool.QueryRow(ctx, sql.Text(`
		with used as (
			select sum(octet_length(array_to_string(m.include || m.exclude, ''))) bytes
			from monitors m join workspaces w on w.id = m.workspace_id where {is_listening} group by m.workspace_id
		), ordered as ( -- by bytes: with all that have fewer, and how many have more
			select bytes, sum(bytes) over fewer total, count(*) over () - row_number() over fewer larger
			from used window fewer as (order by bytes rows unbounded preceding)
		)
		select coalesce(max((@most - total + bytes) / (larger + 1)) filter (where total + larger * bytes > @most), @most)::bigint from ordered`),
		pgx.StrictNamedArgs{"sandbox": sandbox, "platform": int16(platform), "most": maxBytes}).Scan(&share)
	return share, db.Wrap(err, "reading how many keywords there are")
}

// Revision returns a number that a change of a monitor raises.
func (s *Store) Revision(ctx context.Context, sandbox bool) (revision int64, err error) {
	err = s.Pool.QueryRow(ctx, `select revision from monitor_changes where sandbox = $1`, sandbox).Scan(&revision)
	return revision, db.Wrap(err, "reading whether monitors have changed")
}

// ClaimStream takes the right to read a stream; taken is false while another process has it. A
// process that was ended and begins again on its data folder has it at once.
func (s *Store) ClaimStream(ctx context.Context, stream string) (claim schema.StreamClaim, taken bool, err error) {
	claim.Stream = stream
	b := &pgx.Batch{}
	b.Queue(`insert into streams (name) values ($1) on conflict do nothing`, stream)
	b.Queue(`
		update streams set claim = claim + 1, node = $2, held_until = now() + $3::interval
		where name = $1 and (node is null or node = $2 or held_until < now())
		returning claim, host, read_until`, stream, s.Node, schema.StreamLease.String()).
		QueryRow(func(row pgx.Row) error {
			return row.Scan(&claim.Number, &claim.Place.Host, db.OrZero(&claim.Place.Time))
		})
	err = s.Pool.SendBatch(ctx, b).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		return claim, false, nil
	}
	if err != nil {
		return claim, false, db.Wrap(err, "claiming a stream")
	}
	return claim, true, nil
}

// ReleaseStream gives the right back.
func (s *Store) ReleaseStream(ctx context.Context, claim schema.StreamClaim) error {
	_, err := s.Pool.Exec(ctx, `update streams set node = null where name = $1 and claim = $2`, claim.Stream, claim.Number)
	return db.Wrap(err, "releasing a stream")
}

// Advance stores how far a stream was read and what was found until there, in one transaction
// that also prolongs the claim. What was found before is left out: found is how many posts are
// new. held is false, and nothing is stored, where another process has claimed the stream.
func (s *Store) Advance(ctx context.Context, claim schema.StreamClaim, finds []schema.Find) (found int, held bool, err error) {
	err = s.Announcing(ctx, "storing what a stream had", func(tx pgx.Tx) (announcement schema.Announcement, err error) {
		if held, err = advance(ctx, tx, claim); err != nil || !held {
			return announcement, err
		}
		found, announcement, err = s.keep(ctx, tx, finds)
		return announcement, err
	})
	if err != nil {
		found = 0 // nothing is stored
	}
	return found, held, err
}

// advance stores how far a stream was read, and prolongs the claim; held is false where it is lost.
func advance(ctx context.Context, tx pgx.Tx, claim schema.StreamClaim) (held bool, err error) {
	tag, err := tx.Exec(ctx, `
		update streams set host = @host, read_until = @until, held_until = now() + @lease::interval
		where name = @stream and claim = @claim`, pgx.StrictNamedArgs{
		"stream": claim.Stream, "claim": claim.Number, "host": claim.Place.Host, "until": db.OrNull(claim.Place.Time),
		"lease": schema.StreamLease.String(),
	})
	return err == nil && tag.RowsAffected() > 0, err
}

// keep stores finds that are new, of monitors that are there, with their events.
func (s *Store) keep(ctx context.Context, tx pgx.Tx, finds []schema.Find) (found int, announcement schema.Announcement, err error) {
	if len(finds) == 0 {
		return 0, announcement, nil
	}
	monitors, items, known := make([]schema.MonitorID, len(finds)), make([][16]byte, len(finds)), make([]int64, len(finds))
	for i := range finds {
		monitors[i], items[i], known[i] = finds[i].Item.Monitor, finds[i].Key, int64(finds[i].Known/time.Second)
	}
	rows, err := tx.Query(ctx, `
		with there as (
			select m.id from monitors m join workspaces w on w.id = m.workspace_id
			where m.id = any($1) and w.deleting_at is null order by m.id for key share of m
		), kept as (
			insert into found_items (monitor_id, item, forget_at)
			select f.monitor, f.item, now() + f.known * interval '1 second'
			from unnest($1::uuid[], $2::uuid[], $3::bigint[]) f (monitor, item, known) join there on there.id = f.monitor
			on conflict do nothing
			returning monitor_id, item
		)
		select monitor_id, item from kept`, db.IDColumn(monitors), items, known)
	type pair struct {
		monitor schema.MonitorID
		item    [16]byte
	}
	added, err := db.Collect(rows, err, func(row pgx.Row, p *pair) error { return row.Scan((*[16]byte)(&p.monitor), &p.item) })
	if err != nil {
		return 0, announcement, err
	}
	isNew := make(map[pair]bool, len(added))
	for _, p := range added {
		isNew[p] = true
	}
	var stored []*schema.Find
	for i := range finds {
		p := pair{finds[i].Item.Monitor, finds[i].Key}
		if isNew[p] {
			delete(isNew, p) // one may stand twice in a chunk
			stored = append(stored, &finds[i])
		}
	}
	b := &pgx.Batch{}
	now := s.Now()
	announcement.Events = append(tables.QueueFacts(b, factsOf(stored, now), now), tables.QueueEvents(b, matchesOf(stored, now), now)...)
	return len(stored), announcement, tx.SendBatch(ctx, b).Close()
}
