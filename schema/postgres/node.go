package postgres

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/maintenance"
)

// nodeLock holds the identity of a node by an advisory lock of a session of its own: the
// lock is released once the process has ended, in any way, or was silent for nodeSilence.
type nodeLock struct {
	store    *Store
	name     string
	conn     *pgx.Conn // nil: the session has ended
	declared NodeKeys  // by the session
}

// NodeKeys is which keys of the keyset a process has.
type NodeKeys struct {
	Seals schema.SealingKey
	Opens []schema.SealingKey
}

const (
	nodeSilence = 20 * time.Second
	nodeBeat    = 2 * time.Second // between signs of life, and tries to get a lost lock back
	nodeAnswer  = 5 * time.Second // for one of them
	// nodePatience is how long the session of an earlier process may take to end.
	nodePatience = 2 * time.Second
	nodeRetry    = 100 * time.Millisecond
)

// TakeNode takes a node's identity, which the store's claims carry from now on, and holds
// it until the store closes. taken is false if another process holds it, whose data
// folder is a copy. It must be called before anything is claimed.
func (s *Store) TakeNode(ctx context.Context, node [16]byte) (taken bool, err error) {
	l := &nodeLock{store: s, name: hex.EncodeToString(node[:])}
	for until := time.Now().Add(nodePatience); ; {
		taken, err := l.take(ctx)
		if err != nil {
			return false, db.Wrap(err, "taking the identity of this node")
		}
		if taken {
			break
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false, ctx.Err()
		}
		time.Sleep(nodeRetry)
	}
	s.Node = node
	s.Workers.Go(l.keep)
	return true, nil
}

// take opens the session and tries to get the lock; without it the session ends.
func (l *nodeLock) take(ctx context.Context) (taken bool, err error) {
	config := l.store.Pool.Config().ConnConfig
	config.RuntimeParams["idle_session_timeout"] = nodeSilence.String()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	err = conn.QueryRow(ctx, `select pg_try_advisory_lock(hashtextextended('crier node ' || $1, 0))`, l.name).Scan(&taken)
	if err != nil || !taken {
		_ = conn.Close(ctx) // it holds nothing
		return false, err
	}
	l.conn, l.declared = conn, NodeKeys{}
	return true, nil
}

// TellKeys has the session that holds the node's identity tell which keys this process has, as
// keys returns them every few seconds: a rotation of the keyset waits for processes that have
// not read it yet.
func (s *Store) TellKeys(keys func(context.Context) NodeKeys) { s.keys.Store(&keys) }

// tellKeys holds a shared lock for each key, and one for that which seals.
func (l *nodeLock) tellKeys(ctx context.Context) error {
	keys := l.store.keys.Load()
	if keys == nil {
		return nil
	}
	now, before := (*keys)(ctx), l.declared
	if now.Seals == before.Seals && slices.Equal(now.Opens, before.Opens) {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`select pg_advisory_lock_shared($1, $2)`, tables.SealsLock, int32(now.Seals))
	for _, key := range now.Opens {
		b.Queue(`select pg_advisory_lock_shared($1, $2)`, tables.OpensLock, int32(key))
	}
	if before.Seals != 0 {
		b.Queue(`select pg_advisory_unlock_shared($1, $2)`, tables.SealsLock, int32(before.Seals))
	}
	for _, key := range before.Opens {
		b.Queue(`select pg_advisory_unlock_shared($1, $2)`, tables.OpensLock, int32(key))
	}
	if err := l.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	l.declared = now
	return nil
}

// keep holds the lock until the store closes. If the session is lost, it takes the lock
// again as soon as it can.
func (l *nodeLock) keep() {
	ticker := time.NewTicker(nodeBeat)
	defer ticker.Stop()
	for {
		select {
		case <-l.store.Closing:
			l.end()
			return
		case <-ticker.C:
			l.beat()
		}
	}
}

func (l *nodeLock) beat() {
	ctx, cancel := context.WithTimeout(context.Background(), nodeAnswer)
	defer cancel()
	if l.conn != nil {
		err := l.conn.Ping(ctx)
		if err == nil {
			err = l.tellKeys(ctx)
		}
		if err == nil {
			return
		}
		l.end()
	}
	taken, err := l.take(ctx)
	switch {
	case err != nil:
		l.store.Log.WarnContext(ctx, "holding the identity of this node failed", "err", err)
	case !taken:
		l.store.Log.ErrorContext(ctx, "another process has the identity of this node; the one that is started again gets another", "node", l.name)
	}
}

func (l *nodeLock) end() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), nodeAnswer)
	defer cancel()
	_ = l.conn.Close(ctx) // the server ends the session by itself, too
	l.conn = nil
}

// Recover brings forward what an earlier process of this node left claimed. That process
// is known to have ended, since this one holds its identity: its leases need not run out,
// only the settle time passes.
func (s *Store) Recover(ctx context.Context) error {
	return maintenance.Recover(ctx, s.DB, s.Node)
}
