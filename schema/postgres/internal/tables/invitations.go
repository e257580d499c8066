package tables

import (
	"github.com/jackc/pgx/v5"

	"crier/schema/people"
	"crier/schema/postgres/internal/db"
)

// QueueInvitation queues the row of an invitation, with the hash of its token.
func QueueInvitation(b *pgx.Batch, i people.Invitation, hash [32]byte) {
	b.Queue(`
		insert into invitations (id, workspace_id, email, role, brands, hash, invited_by, created_at, expires_at)
		values ($1, $2, $3, $4, coalesce($5::uuid[], '{}'), $6, $7, $8, $9)`,
		i.ID, i.Workspace, i.Email, int16(i.Role), db.IDColumn(i.Brands), hash[:], i.InvitedBy, i.CreatedAt, i.ExpiresAt)
}
