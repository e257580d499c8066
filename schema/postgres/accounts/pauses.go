package accounts

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/tables"
)

// PauseAccount holds what goes out on an account from now on, for its workspace: until ResumeAccount or Disconnect, or
// until it is too late for it; calls in hand go on. A pause of what is paused has a new reason, if one is given.
func (s *Store) PauseAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, reason string) (schema.Account, error) {
	return s.changePause(ctx, workspace, id, func(tx pgx.Tx, a schema.Account, pauses []schema.Hold) error {
		var before string
		if i := slices.IndexFunc(pauses, isOfMember); i >= 0 {
			if before = pauses[i].Reason; reason == "" || reason == before {
				return nil
			}
		}
		if err := tables.Pause(ctx, tx, memberPause(id, reason)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), tables.AccountEntry(a, people.Change{Field: "reason", Before: before, After: reason}))
	})
}

// ResumeAccount lifts the pause of PauseAccount, if there is one; a chore makes due what it held. While the operator's
// stands it lifts nothing: PausedByOperator.
func (s *Store) ResumeAccount(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	return s.changePause(ctx, workspace, id, func(tx pgx.Tx, a schema.Account, pauses []schema.Hold) error {
		if len(pauses) == 0 {
			return nil
		}
		if !isOfMember(pauses[0]) {
			return &schema.Error{Kind: schema.PausedByOperator, Message: "the operator has paused this account, and alone resumes it"}
		}
		if _, _, err := tables.Lift(ctx, tx, memberPause(id, "")); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), tables.AccountEntry(a, people.Change{Field: "reason", Before: pauses[0].Reason}))
	})
}

// changePause runs change with an account locked and its pauses, the operator's first, and returns the account as it is
// then.
func (s *Store) changePause(
	ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID, change func(tx pgx.Tx, a schema.Account, pauses []schema.Hold) error,
) (schema.Account, error) {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		a, err := lockAccount(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, tables.LockHolds); err != nil { // before it reads them: the operator's may begin meanwhile
			return err
		}
		pauses, err := tables.Pauses(ctx, tx, id)
		if err != nil {
			return err
		}
		return change(tx, a, pauses)
	})
	if err != nil {
		return schema.Account{}, db.OrNotFound(err, "account")
	}
	return s.Account(ctx, workspace, id)
}

func isOfMember(h schema.Hold) bool { return h.Kind == schema.AccountPausedByMember }

func memberPause(id schema.AccountID, reason string) schema.Hold {
	return schema.Hold{Kind: schema.AccountPausedByMember, Account: id, Reason: reason}
}
