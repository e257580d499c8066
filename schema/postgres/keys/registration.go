package keys

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
	"crier/schema/wording"
)

// Register makes a workspace with its first key, and an invitation of its owner. It is RateLimitExceeded where too many
// came from its network lately.
func (s *Store) Register(ctx context.Context, r people.Registration) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		err := s.count(ctx, tx, window{
			subject: "register " + r.Address, length: people.RegistrationWindow, most: people.MaxRegistrations, of: "registrations", by: "from this network",
		})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into workspaces (id, name, plan, email) values ($1, $2, $3, $4)`,
			r.Workspace.ID, registeredName(r.Workspace), r.Workspace.Plan, r.Email)
		if err != nil {
			return err
		}
		if err := insertKey(ctx, tx, r.Key, r.Hash); err != nil {
			return err
		}
		b := &pgx.Batch{}
		tables.QueueInvitation(b, r.Owner, r.OwnerHash)
		audit.Queue(ctx, b, s.Now(), audit.Entry{Workspace: r.Workspace.ID, Subject: audit.Of("workspace", r.Workspace.ID, r.Workspace.Name)})
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return fmt.Errorf("registering: %w", db.Unavailable(err))
	}
	return nil
}

// window counts what somebody may do so many times in a while.
type window struct {
	subject string
	length  time.Duration
	most    int
	of, by  string // what is counted, and of whom, in words
}

// count adds one to a window. It is RateLimitExceeded where there were too many.
func (s *Store) count(ctx context.Context, q db.Querier, w window) error {
	now := s.Now()
	var began time.Time
	var used int
	row := q.QueryRow(ctx, tables.CountInWindow, pgx.StrictNamedArgs{"subject": w.subject, "now": now, "length": w.length, "n": 1})
	if err := row.Scan(&began, &used); err != nil {
		return fmt.Errorf("counting %s: %w", w.of, err)
	}
	if used > w.most {
		return &schema.Error{
			Kind: schema.RateLimitExceeded, RetryAfter: began.Add(w.length).Sub(now),
			Message: fmt.Sprintf("more than %d %s within %s %s", w.most, w.of, wording.Duration(w.length), w.by),
		}
	}
	return nil
}

// registeredName tells those who registered from the workspaces that the operator knows by
// name: nobody can take a name that the operator will use.
func registeredName(w schema.Workspace) string { return w.Name + " (" + w.ID.String() + ")" }
