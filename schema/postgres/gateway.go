package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
)

// Gateway is the store of the REST API.
type Gateway struct {
	*Store
	creations   *group[creation]
	uses        *keyUses
	sealer      Sealer
	constraints func(schema.Platform) schema.Constraints
	full        *fullCounters
}

// Sealer seals and opens a text with associated data; connectors.Vault is one.
type Sealer interface {
	SealText(aad, text string) ([]byte, error)
	OpenText(aad string, sealed []byte) (string, error)
}

// Sizes of group commit, in posts: large enough to share a flush among all who wait,
// small enough to hold a transaction for some milliseconds only.
const (
	createBatch = 512
	committers  = 2
)

// NewGateway starts the committers of creations and the keeper of keys' uses; they end
// with the store.
func NewGateway(s *Store, sealer Sealer, constraints func(schema.Platform) schema.Constraints) *Gateway {
	g := &Gateway{Store: s, sealer: sealer, constraints: constraints, full: newFullCounters(), uses: newKeyUses()}
	g.creations = startGroup(s, &group[creation]{
		work:   "create",
		max:    createBatch,
		weight: func(c *creation) int { return len(c.Posts) },
		commit: g.commitCreations,
	}, committers)
	s.workers.Go(g.keepKeyUses)
	return g
}

// Authenticate returns the key with that hash.
func (g *Gateway) Authenticate(ctx context.Context, hash [32]byte) (schema.Key, error) {
	var k schema.Key
	var suspended *time.Time
	err := g.pool.QueryRow(ctx, `
		select k.id, k.lineage, k.workspace_id, w.live_id is not null, k.permission,
			p.requests_per_minute, coalesce(p.posts_per_month, 0), k.suspended_until
		from api_keys k
		join workspaces w on w.id = k.workspace_id
		join workspaces live on live.id = coalesce(w.live_id, w.id)
		join plans p on p.name = live.plan
		where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
		hash[:]).Scan((*[16]byte)(&k.ID), (*[16]byte)(&k.Lineage), (*[16]byte)(&k.Workspace), &k.Sandbox, &k.Permission, &k.RequestsPerMinute, &k.PostsPerMonth, &suspended)
	if err != nil {
		if err := orNotFound(err, "key"); isNotFound(err) {
			return schema.Key{}, &schema.Error{Kind: schema.Unauthorized, Message: "the API key is not valid"}
		}
		return schema.Key{}, fmt.Errorf("authenticating: %w", unavailable(err))
	}
	k.SuspendedUntil = fromNull(suspended)
	g.uses.note(k.ID, g.Now())
	return k, nil
}

// listedAccounts are the connected accounts with the names of their brands.
const listedAccounts = `select ` + accountColumns + `, coalesce(b.name, '') from accounts a
	join workspaces w on w.id = a.workspace_id
	left join brands b on b.id = a.brand_id
	where a.workspace_id = $1 and a.disconnected_at is null`

// Accounts returns the connected accounts of a workspace, by id.
func (g *Gateway) Accounts(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error) {
	rows, err := g.pool.Query(ctx, listedAccounts+` order by a.id`, workspace)
	accounts, err := collect(rows, err, func(rows pgx.Rows, a *schema.Account) error { return scanAccount(rows, a, &a.BrandName) })
	if err != nil {
		return nil, fmt.Errorf("reading accounts: %w", unavailable(err))
	}
	return accounts, nil
}

// Account returns a connected account of a workspace.
func (g *Gateway) Account(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (schema.Account, error) {
	var a schema.Account
	row := g.pool.QueryRow(ctx, listedAccounts+` and a.id = $2`, workspace, id)
	return a, orNotFound(scanAccount(row, &a, &a.BrandName), "account")
}

func isNotFound(err error) bool {
	e, ok := errors.AsType[*schema.Error](err)
	return ok && e.Kind == schema.NotFound
}

// within tells whether a job is due soon enough to stand in jobs, not in jobs_far.
func within(due, now time.Time) bool { return due.Before(now.Add(nearHorizon)) }

// nearHorizon is how far ahead jobs are kept in the indexed table.
const nearHorizon = 24 * time.Hour
