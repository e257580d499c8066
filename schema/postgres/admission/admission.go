// Package admission looks API keys up, and counts their requests of a minute.
package admission

import (
	"context"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Store looks keys up and counts their requests.
type Store struct {
	*db.DB
	uses *keyUses
}

// New starts storing when keys were used; that ends with the connections.
func New(d *db.DB) *Store {
	a := &Store{d, newKeyUses()}
	d.Workers.Go(a.keepKeyUses)
	return a
}

// Authenticate returns the key with that hash.
func (s *Store) Authenticate(ctx context.Context, hash [32]byte) (schema.Key, error) {
	var k schema.Key
	err := s.Pool.QueryRow(ctx, sql.Text(`
		select k.id, k.name, k.lineage, k.workspace_id, w.live_id is not null, k.permission,
			p.requests_per_minute, coalesce(p.posts_per_month, 0), k.suspended_until, k.networks, k.by_device, {unconfirmed_key}
		from api_keys k
		join workspaces w on w.id = k.workspace_id
		join workspaces live on live.id = coalesce(w.live_id, w.id)
		join plans p on p.name = live.plan
		where k.hash = $1 and w.deleting_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`),
		hash[:]).Scan((*[16]byte)(&k.ID), &k.Name, (*[16]byte)(&k.Lineage), (*[16]byte)(&k.Workspace), &k.Sandbox, &k.Permission, &k.RequestsPerMinute, &k.PostsPerMonth, db.OrZero(&k.SuspendedUntil), &k.Networks, &k.Device, &k.Unconfirmed)
	if err != nil {
		if err := db.OrNotFound(err, "key"); schema.KindOf(err) == schema.NotFound {
			return schema.Key{}, &schema.Error{Kind: schema.Unauthorized, Message: "the API key is not valid"}
		}
		return schema.Key{}, db.Wrap(err, "authenticating")
	}
	s.uses.note(k.ID, s.Now())
	return k, nil
}
