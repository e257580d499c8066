package accounts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/postgres/internal/audit"
	"crier/schema/postgres/internal/db"
	"crier/schema/postgres/internal/sql"
	"crier/schema/postgres/internal/tables"
	"crier/schema/wording"
)

// openConsents is how many consents of a workspace may be open, and of an account that is
// connected again.
const openConsents = 1000

// BeginConsent stores a consent under the hash of its first token. It is RateLimitExceeded
// where very many are open.
func (s *Store) BeginConsent(ctx context.Context, token [32]byte, c schema.Consent) error {
	full := &schema.Error{
		Kind: schema.RateLimitExceeded, RetryAfter: schema.ConsentLife,
		Message: fmt.Sprintf("%d consents are open; each ends after %s", openConsents, wording.Duration(schema.ConsentLife)),
	}
	err := db.ExecOr(ctx, s.Pool, full, `
		insert into consents (token_hash, workspace_id, platform, server, brand_id, account_id, made_by, key_id, redirect, stage, sealed, expires_at)
		select @token, @workspace, @platform, @server, @brand, @account, @user::uuid, @key::uuid, @redirect, @stage, @sealed, @expires
		where @most > (select count(*) from (
			select from consents
			where workspace_id = @workspace and account_id is not distinct from @account::uuid and expires_at > @now limit @most) open)`,
		pgx.StrictNamedArgs{
			"token": token[:], "workspace": c.Workspace, "platform": c.Platform, "server": c.Server, "brand": c.Brand, "account": c.Account, "user": c.User, "key": c.Key,
			"redirect": c.Redirect, "stage": c.Stage, "sealed": c.Sealed, "expires": c.ExpiresAt, "now": s.Now(), "most": openConsents,
		})
	return db.Wrap(err, "storing a consent")
}

func scanConsent(row pgx.Row, c *schema.Consent) error {
	return row.Scan((*[16]byte)(&c.Workspace), &c.Platform, &c.Server, &c.Sandbox, (*[16]byte)(&c.Brand),
		(*[16]byte)(&c.Account), (*[16]byte)(&c.User), (*[16]byte)(&c.Key), &c.Redirect, &c.Stage, &c.Sealed, &c.ExpiresAt, &c.WorkspaceName)
}

// TakeConsent uses up the token with which a person comes back from their platform. NotFound
// where it is unknown, was used, or has expired.
func (s *Store) TakeConsent(ctx context.Context, p schema.Platform, token [32]byte) (schema.Consent, error) {
	var c schema.Consent
	err := scanConsent(s.Pool.QueryRow(ctx, sql.Text(`
		update consents c set stage = @taken, expires_at = @until::timestamptz
		from workspaces w left join workspaces l on l.id = w.live_id
		where c.token_hash = @token and c.platform = @platform and c.stage = @pending and c.expires_at > @now and w.id = c.workspace_id
		returning {consent_columns}`),
		pgx.StrictNamedArgs{
			"token": token[:], "platform": p, "pending": schema.ConsentPending, "taken": schema.ConsentTaken,
			"now": s.Now(), "until": s.Now().Add(schema.ConsentLife),
		}), &c)
	return c, db.OrNotFound(err, "consent")
}

// Consent returns the consent of a platform that waits at a stage under a token, or NotFound.
func (s *Store) Consent(ctx context.Context, p schema.Platform, token [32]byte, stage schema.ConsentStage) (schema.Consent, error) {
	var c schema.Consent
	err := scanConsent(s.Pool.QueryRow(ctx, sql.Text(`
		select {consent_columns} from consents c join workspaces w on w.id = c.workspace_id left join workspaces l on l.id = w.live_id
		where c.token_hash = $1 and c.platform = $2 and c.stage = $3 and c.expires_at > $4`), token[:], p, stage, s.Now()), &c)
	return c, db.OrNotFound(err, "consent")
}

// MoveConsent brings a consent from the stage of one token to that of another. NotFound where
// another request was first.
func (s *Store) MoveConsent(ctx context.Context, from schema.ConsentStage, old, token [32]byte, c schema.Consent) error {
	err := db.ExecOr(ctx, s.Pool, db.NotFound("consent"), `
		update consents set token_hash = @token, stage = @stage, sealed = @sealed, expires_at = @expires
		where token_hash = @old and stage = @from`,
		pgx.StrictNamedArgs{"token": token[:], "stage": c.Stage, "sealed": c.Sealed, "expires": c.ExpiresAt, "old": old[:], "from": from})
	return db.Unavailable(err)
}

// EndConsent forgets a consent.
func (s *Store) EndConsent(ctx context.Context, token [32]byte) error {
	_, err := s.Pool.Exec(ctx, `delete from consents where token_hash = $1`, token[:])
	return db.OrNotFound(err, "consent")
}

// serverAppLife is how long a registration is used for further consents: servers forget those
// that nobody has used for a day.
const serverAppLife = 12 * time.Hour

// ServerApp returns the sealed app that crier is registered as with a server for a callback,
// nil where there is none that is young enough. It is named by platform and server.
func (s *Store) ServerApp(ctx context.Context, name, callback string) ([]byte, error) {
	var sealed []byte
	err := s.Pool.QueryRow(ctx, `
		select coalesce((select sealed from server_apps where name = $1 and callback = $2 and registered_at > $3), '')`,
		name, callback, s.Now().Add(-serverAppLife)).Scan(&sealed)
	return sealed, db.Wrap(err, "reading an app")
}

// PutServerApp stores the app that crier was registered as with a server, in place of an older
// one.
func (s *Store) PutServerApp(ctx context.Context, name, callback string, sealed []byte) error {
	_, err := s.Pool.Exec(ctx, `
		insert into server_apps (name, callback, sealed, registered_at) values ($1, $2, $3, $4)
		on conflict (name) do update set
			callback = excluded.callback, sealed = excluded.sealed, registered_at = excluded.registered_at`,
		name, callback, sealed, s.Now())
	return db.Wrap(err, "storing an app")
}

// Redirects returns where people of a workspace may be sent after they connected.
func (s *Store) Redirects(ctx context.Context, workspace schema.WorkspaceID) (allowed []string, err error) {
	err = s.Pool.QueryRow(ctx, `select connect_redirects from workspaces where id = $1`, workspace).Scan(&allowed)
	return allowed, db.OrNotFound(err, "workspace")
}

// PutRedirects replaces them.
func (s *Store) PutRedirects(ctx context.Context, workspace schema.WorkspaceID, allowed []string) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var before []string
		var name string
		err := tx.QueryRow(ctx, `select connect_redirects, name from workspaces where id = $1 for no key update`, workspace).Scan(&before, &name)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update workspaces set connect_redirects = $2 where id = $1`, workspace, allowed); err != nil {
			return err
		}
		return audit.Write(ctx, tx, s.Now(), audit.Entry{Workspace: workspace, Subject: audit.Of("workspace", workspace, name), Changes: audit.Differences(
			people.Change{Field: "redirects", Before: strings.Join(before, ", "), After: strings.Join(allowed, ", ")},
		)})
	})
	return db.OrNotFound(err, "workspace")
}

// ReconnectToken returns what names an account in the address at which it is connected again.
// It stays the same.
func (s *Store) ReconnectToken(ctx context.Context, workspace schema.WorkspaceID, id schema.AccountID) (token [16]byte, err error) {
	err = s.Pool.QueryRow(ctx, `
		update accounts set reconnect = coalesce(reconnect, gen_random_uuid()) where workspace_id = $1 and id = $2
		returning reconnect`, workspace, id).Scan(&token)
	return token, db.OrNotFound(err, "account")
}

// AccountToReconnect returns the account that such a token names; NotFound where it names none.
func (s *Store) AccountToReconnect(ctx context.Context, token [16]byte) (schema.Account, error) {
	var a schema.Account
	row := s.Pool.QueryRow(ctx, sql.Text(`select {account_columns} from accounts a join workspaces w on w.id = a.workspace_id
		where a.reconnect = $1 and a.disconnected_at is null`), token)
	return a, db.OrNotFound(tables.ScanAccount(row, &a), "account")
}

// ConnectedIn reports whether the account's workspace has its profile connected, and whether
// another live workspace has.
func (s *Store) ConnectedIn(ctx context.Context, a schema.Account) (here, elsewhere bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		select coalesce(bool_or(o.workspace_id = $4), false), coalesce(bool_or(o.workspace_id <> $4 and w.live_id is null), false)
		from accounts o join workspaces w on w.id = o.workspace_id
		where o.platform = $1 and o.native_id = $2 and o.server = $3 and o.disconnected_at is null`,
		a.Platform, a.NativeID, a.Server, a.Workspace).Scan(&here, &elsewhere)
	return here, elsewhere, db.Wrap(err, "looking for an account")
}
