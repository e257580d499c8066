package keys

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/tables"
)

// Register makes a workspace with its first key, and an invitation of its owner, and reports whether that goes by
// mail too. It is RateLimitExceeded where too many came from its network lately.
func (s *Store) Register(ctx context.Context, r people.Registration) (mailed bool, err error) {
	err = s.InTx(ctx, "registering", func(tx pgx.Tx) error {
		err := tables.Window{
			Subject: "register " + r.Address, Length: people.RegistrationWindow, Max: people.MaxRegistrations,
			Refusal: fmt.Sprintf("more than %d registrations from this network", people.MaxRegistrations),
		}.Count(ctx, tx, s.Now())
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
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		mailed, err = tables.PutMail(ctx, s.DB, tx, people.Mail{Kind: people.MailInvitation, About: r.Workspace.ID, Recipient: r.Owner.Email})
		return err
	})
	return mailed, err
}

// registeredName tells those who registered from the workspaces that the operator knows by
// name: nobody can take a name that the operator will use.
func registeredName(w schema.Workspace) string { return w.Name + " (" + w.ID.String() + ")" }
