package operation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
)

// Bare is what a sandbox twin may lack: accounts of platforms, each of one native id.
type Bare struct {
	Platforms []schema.Platform
	NativeID  string
	Limit     int // of workspaces that are looked at
}

// BareTwin is a sandbox twin that never had an account of some platforms.
type BareTwin struct {
	Workspace schema.WorkspaceID
	Missing   []schema.Platform
}

// BareTwins looks at the workspaces after an id, in their order, and returns those that lack
// something, and the last that was looked at; it is zero where there are none.
func (a *Admin) BareTwins(ctx context.Context, after schema.WorkspaceID, wanted Bare) (twins []BareTwin, last schema.WorkspaceID, err error) {
	rows, err := a.Pool.Query(ctx, sql.Text(`
		select w.id, case when w.live_id is null or w.deleting_at is not null then '{}' else array(
			select p from unnest(@platforms::int2[]) p where not exists (
				select from accounts a where a.workspace_id = w.id and a.platform = p and a.native_id = @native and a.server = ''))
			end as missing
		from workspaces w where w.id > coalesce(@after::uuid, {no_id}) order by w.id limit @limit`),
		pgx.StrictNamedArgs{"platforms": wanted.Platforms, "native": wanted.NativeID, "after": after, "limit": wanted.Limit})
	looked, err := db.Collect(rows, err, func(row pgx.Row, t *BareTwin) error {
		return row.Scan((*[16]byte)(&t.Workspace), &t.Missing)
	})
	if err != nil {
		return nil, last, db.Wrap(err, "looking for sandboxes that lack accounts")
	}
	for _, twin := range looked {
		last = twin.Workspace
		if len(twin.Missing) > 0 {
			twins = append(twins, twin)
		}
	}
	return twins, last, nil
}

// WallSecret returns what makes the addresses of walls. It is of the installation.
func (a *Admin) WallSecret(ctx context.Context) ([]byte, error) {
	var secret []byte
	err := a.Pool.QueryRow(ctx, `select secret from wall_secrets`).Scan(&secret)
	return secret, db.Wrap(err, "reading the secret of walls")
}
