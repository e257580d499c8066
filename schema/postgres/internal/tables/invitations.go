package tables

import (
	"github.com/jackc/pgx/v5"

	"crier/schema/people"
)

// QueueInvitation queues the row of an invitation, with the hash of its token.
func QueueInvitation(b *pgx.Batch, i people.Invitation, hash [32]byte) {
	b.Queue(`
		insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		i.ID, i.Workspace, i.Email, int16(i.Role), hash[:], i.InvitedBy, i.CreatedAt, i.ExpiresAt)
}
