package operation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crier/connectors"
	"crier/schema"
	"crier/schema/postgres"
	"crier/schema/postgres/internal/tables"
	"crier/schema/postgres/operation"
	"crier/schema/postgres/postgrestest"
)

// A column of bytes is either in the list of what is sealed, and guarded, or known not to be.
func TestEverySealedColumnIsRotated(t *testing.T) {
	f := newFixture(t)
	var sealed []string
	for _, c := range tables.SealedColumns() {
		sealed = append(sealed, c.Name())
	}
	clear := []string{
		"api_keys.hash", "idempotency.fingerprint", "idempotency.response", "outbox.payload", "deliveries.body", "deliveries.key",
		"dead_letters.key", "dead_letters.value", "receipts.profile", "dropped_keys.prefix", "consents.token_hash",
		"deletions.token_hash", "accounts.person", "inbox.digest", "sessions.hash", "sign_in_links.hash", "invitations.hash", "invitations.mail_hash", "email_changes.hash", "device_requests.device_hash", "device_requests.user_hash", "ceremonies.hash", // hashes
		"passkeys.credential_id", "passkeys.public_key", // which browsers and authenticators have
		"wall_secrets.secret", // of addresses in the sandbox
	}
	for column, guarded := range f.byteColumns() {
		isSealed, isClear := slices.Contains(sealed, column), slices.Contains(clear, column)
		switch {
		case !isSealed && !isClear:
			t.Errorf("%s holds bytes: if they are sealed, add it to tables.SealedColumns, with a trigger, else name it here", column)
		case isSealed != guarded:
			t.Errorf("%s: sealed %t, and a trigger refuses dropped keys: %t", column, isSealed, guarded)
		}
		sealed = slices.DeleteFunc(sealed, func(c string) bool { return c == column })
	}
	if len(sealed) > 0 {
		t.Errorf("there are no columns %v", sealed)
	}
}

// byteColumns returns the columns of bytes, and whether refuse_dropped_key watches each.
func (f *fixture) byteColumns() map[string]bool {
	f.Helper()
	columns := f.Texts(`
		select c.relname || '.' || a.attname || case when exists (
			select from pg_trigger g join pg_proc p on p.oid = g.tgfoid
			where g.tgrelid = c.oid and p.proname = 'refuse_dropped_key' and g.tgenabled = 'O' and g.tgtype::int & 22 = 22
			  and encode(g.tgargs, 'escape') = a.attname || '\000' and g.tgattr::text = a.attnum::text
		) then ' guarded' else '' end
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		  and a.atttypid = 'bytea'::regtype and a.attnum > 0 and not a.attisdropped`)
	found := map[string]bool{}
	for _, column := range columns {
		name, guarded := strings.CutSuffix(column, " guarded")
		found[name] = guarded
	}
	return found
}

// rotating is a store with many sealed accounts and some webhooks, and the vault that sealed
// them, whose keyset has a new primary key by now.
type rotating struct {
	*fixture
	admin    *operation.Admin
	vault    *connectors.Vault
	file     string
	old, new schema.SealingKey
	consent  schema.Consent
}

var consentToken = schema.HashConsentToken("token")

const sealedAccounts, sealedWebhooks = 250, 3 // more than a chunk

func newRotating(t *testing.T) *rotating {
	t.Helper()
	r := &rotating{fixture: newFixture(t), file: filepath.Join(t.TempDir(), "keyset.json")}
	r.admin = postgres.NewAdmin(r.Store)
	var err error
	r.vault, err = connectors.OpenVault(r.file)
	r.Must(err)
	r.old = r.vault.Keyset().Primary
	_, err = r.Store.BindKeyset(t.Context(), r.vault.Keyset().All())
	r.Must(err)
	var connections []schema.Connection
	for i := range sealedAccounts {
		connections = append(connections, schema.Connection{
			Account: schema.Account{Platform: schema.Mastodon, NativeID: fmt.Sprint("rotated ", i), Name: "r"},
			Seal: func(a schema.Account) ([]byte, bool, error) {
				sealed, err := r.vault.Seal(a, credentialsOf(a))
				return sealed, true, err
			},
		})
	}
	_, err = r.admin.Connect(t.Context(), r.Workspace, connections)
	r.Must(err)
	gateway := postgres.NewGateway(r.Store, r.vault, postgrestest.Constraints)
	for i := range sealedWebhooks {
		w := schema.Webhook{ID: schema.NewID[schema.WebhookID](r.Store.Now()), Workspace: r.Workspace, URL: "https://receiver.test", Secret: fmt.Sprint("first ", i), CreatedAt: r.Store.Now()}
		r.Must(gateway.CreateWebhook(t.Context(), w))
		_, err := gateway.RotateSecret(t.Context(), r.Workspace, w.ID, fmt.Sprint("second ", i), 1e12)
		r.Must(err)
	}
	r.consent = schema.Consent{Workspace: r.Workspace, Platform: schema.Mastodon, Stage: schema.ConsentPending, ExpiresAt: r.Store.Now().Add(schema.ConsentLife)}
	r.consent.Sealed, err = r.vault.SealText(r.consent.SealedFor(), "verifier")
	r.Must(err)
	r.Must(gateway.BeginConsent(t.Context(), consentToken, r.consent))
	app, err := r.vault.SealText("app of a server", "secret")
	r.Must(err)
	r.Must(gateway.PutServerApp(t.Context(), "app of a server", "callback", app))
	r.new, err = connectors.AddKey(r.file)
	r.Must(err)
	r.Must(connectors.PromoteKey(r.file, r.new))
	r.Must(r.vault.Reload())
	return r
}

func credentialsOf(a schema.Account) schema.Credentials {
	return schema.Credentials{AccessToken: "of " + a.ID.String()}
}

// uses returns what a key has sealed, by column.
func (r *rotating) uses(key schema.SealingKey) map[string]int64 {
	r.Helper()
	all, err := r.admin.KeyUses(r.Context())
	r.Must(err)
	found := map[string]int64{}
	for _, use := range all {
		if use.Key == key {
			found[use.Column] = use.Rows
		}
	}
	return found
}

func TestARotationIsCutOffAndGoesOn(t *testing.T) {
	r := newRotating(t)
	want := map[string]int64{"accounts.sealed": sealedAccounts, "webhooks.secret": sealedWebhooks, "webhooks.previous_secret": sealedWebhooks, "consents.sealed": 1, "server_apps.sealed": 1}
	if got := r.uses(r.old); !maps.Equal(got, want) {
		t.Fatalf("the old key has sealed %v, want %v", got, want)
	}
	rotation, err := r.admin.BeginRotation(t.Context())
	r.Must(err)
	if _, err := r.admin.BeginRotation(t.Context()); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second rotation begins: %v", err)
	}
	dying, kill := context.WithCancel(t.Context())
	_, err = rotation.Reseal(dying, r.vault, []schema.SealingKey{r.old}, func(int) { kill() })
	if err == nil {
		t.Fatal("it went on after the kill")
	}
	rotation.End()
	if done := r.uses(r.new)["accounts.sealed"]; done == 0 || done >= sealedAccounts {
		t.Fatalf("%d accounts are sealed again at the kill, want one chunk of them", done)
	}
	r.opens(r.vault) // both keys, as a running process has them
	r.isBoundTo(r.old)

	rotation, err = r.admin.BeginRotation(t.Context())
	for errors.Is(err, operation.ErrRotating) { // until the server has seen the end of that session
		time.Sleep(10 * time.Millisecond)
		rotation, err = r.admin.BeginRotation(t.Context())
	}
	r.Must(err)
	defer rotation.End()
	r.Must(rotation.Know(t.Context(), r.vault.Keyset().All()))
	r.isBoundTo(r.old, r.new)
	if needed, err := rotation.Drop(t.Context(), []schema.SealingKey{r.old}, func() error { return errors.New("dropped") }); err != nil || len(needed) == 0 {
		t.Errorf("a key that rows need is dropped: %v, %v", needed, err)
	}
	failed, err := rotation.Reseal(t.Context(), r.vault, []schema.SealingKey{r.old}, func(int) {})
	if err != nil || len(failed) > 0 {
		t.Fatalf("Reseal = %v, %v", failed, err)
	}
	needed, err := rotation.Drop(t.Context(), []schema.SealingKey{r.old}, func() error { return connectors.DropKeys(r.file, []schema.SealingKey{r.old}) })
	if err != nil || len(needed) > 0 {
		t.Fatalf("Drop = %v, %v", needed, err)
	}
	if got := r.uses(r.new); !maps.Equal(got, want) || len(r.uses(r.old)) > 0 {
		t.Errorf("the new key has sealed %v, want %v", got, want)
	}
	r.isBoundTo(r.new)
	restarted, err := connectors.OpenVault(r.file)
	r.Must(err)
	r.opens(restarted)
}

// isBoundTo fails where the installation knows other keys than these.
func (r *rotating) isBoundTo(want ...schema.SealingKey) {
	r.Helper()
	bound, err := r.Store.KeysetKeys(r.Context())
	r.Must(err)
	slices.Sort(want)
	if slices.Sort(bound); !slices.Equal(bound, want) {
		r.Errorf("the installation is bound to the keys %v, want %v", bound, want)
	}
}

// opens fails where an account or a webhook does not open, or opens to another's.
func (r *rotating) opens(vault *connectors.Vault) {
	r.Helper()
	accounts, err := r.admin.Accounts(r.Context(), r.Workspace)
	r.Must(err)
	opened := 0
	for _, a := range accounts {
		if !strings.HasPrefix(a.NativeID, "rotated ") {
			continue
		}
		if credentials, err := vault.Open(a); err != nil || credentials != credentialsOf(a) {
			r.Errorf("account %s: %v, %v", a.ID, credentials.AccessToken, err)
		}
		opened++
	}
	if opened != sealedAccounts {
		r.Errorf("%d accounts are sealed, want %d", opened, sealedAccounts)
	}
	gateway := postgres.NewGateway(r.Store, vault, postgrestest.Constraints)
	consent, err := gateway.Consent(r.Context(), r.consent.Platform, consentToken, r.consent.Stage)
	r.Must(err)
	if text, err := vault.OpenText(consent.SealedFor(), consent.Sealed); err != nil || text != "verifier" {
		r.Errorf("the consent holds %q, %v", text, err)
	}
	app, err := gateway.ServerApp(r.Context(), "app of a server", "callback")
	r.Must(err)
	if text, err := vault.OpenText("app of a server", app); err != nil || text != "secret" {
		r.Errorf("the app holds %q, %v", text, err)
	}
	webhooks, err := gateway.Webhooks(r.Context(), r.Workspace)
	r.Must(err)
	for _, w := range webhooks {
		if !strings.HasPrefix(w.Secret, "second ") || len(w.Previous) != 1 || !strings.HasPrefix(w.Previous[0].Secret, "first ") {
			r.Errorf("webhook %s has other secrets", w.ID)
		}
	}
}

func TestAKeyIsKeptWhileSomethingNeedsIt(t *testing.T) {
	r := newRotating(t)
	rotation, err := r.admin.BeginRotation(t.Context())
	r.Must(err)
	defer rotation.End()
	r.Must(rotation.Know(t.Context(), r.vault.Keyset().All()))
	r.Exec(`update accounts set sealed = substring(sealed for 20) where native_id = 'rotated 7'`)
	failed, err := rotation.Reseal(t.Context(), r.vault, []schema.SealingKey{r.old}, func(int) {})
	if err != nil || len(failed) != 1 || !strings.Contains(failed[0].Error(), "accounts.sealed of ") {
		t.Errorf("Reseal = %v, %v; want the damaged account told", failed, err)
	}
	old := []schema.SealingKey{r.old}
	needed, err := rotation.Drop(t.Context(), old, func() error { return errors.New("dropped") })
	if err != nil || len(needed) != 1 || needed[0].Rows != 1 {
		t.Errorf("Drop = %v, %v; want the damaged account to need the key", needed, err)
	}
	r.Exec(`update accounts set sealed = '' where native_id = 'rotated 7'`)

	needed, err = rotation.Drop(t.Context(), old, func() error { return connectors.DropKeys(r.file, old) })
	if err != nil || len(needed) > 0 {
		t.Fatalf("Drop = %v, %v", needed, err)
	}
	stale := append(r.old.Prefix(), "sealed before the drop"...)
	_, err = r.admin.Connect(t.Context(), r.Workspace, []schema.Connection{{
		Account: schema.Account{Platform: schema.Mastodon, NativeID: "late", Name: "late"},
		Seal:    func(schema.Account) ([]byte, bool, error) { return stale, true, nil },
	}})
	if !errors.Is(err, schema.ErrKeyDropped) {
		t.Errorf("what a dropped key has sealed is stored: %v", err)
	}
	postgrestest.WantKind(t, err, schema.Unavailable)
}
