package tables

import (
	"github.com/jackc/pgx/v5"

	"crier/schema"
	"crier/schema/lists"
)

// Resealer seals once more, with the primary key, what it has sealed with any; connectors.Vault
// is one.
type Resealer interface {
	Reseal(account schema.Account) ([]byte, error)
	ResealText(aad string, sealed []byte) ([]byte, error)
}

// SealedColumn is a column whose values the vault has sealed.
type SealedColumn struct {
	Table, Column string
	Key, KeyType  string // what pages go by: unique, and its type
	// Owner is the columns that tell what a value is sealed for. read takes them of a row, behind
	// the key as text and the value, and returns these and how the value is sealed once more.
	Owner string
	read  func(pgx.Row) (SealedValue, error)
}

// SealedValue is a value of a sealed column.
type SealedValue struct {
	Key    string // of the row
	Sealed []byte
	Reseal func(Resealer) ([]byte, error)
}

// Name is how people are told of the column.
func (c SealedColumn) Name() string { return c.Table + "." + c.Column }

// Columns is what Read reads.
func (c SealedColumn) Columns() string { return c.Key + "::text, " + c.Column + ", " + c.Owner }

// Read reads a value.
func (c SealedColumn) Read(row pgx.Row, v *SealedValue) (err error) {
	*v, err = c.read(row)
	return err
}

// FirstKey is before the key of any row.
func (c SealedColumn) FirstKey() string {
	if c.KeyType == "uuid" {
		return "00000000-0000-0000-0000-000000000000"
	}
	return ""
}

// Classes of the advisory locks by which a process tells, for as long as it lives, which key it
// seals with and which ones it opens with: shared ones, of the key's id.
const (
	SealsLock = 0x6b657973 // keys
	OpensLock = 0x6b65796f // keyo
)

// KeyIDs is keys as installation_keyset has them.
func KeyIDs(keys []schema.SealingKey) []int64 {
	return lists.Map(keys, func(key schema.SealingKey) int64 { return int64(key) })
}

// SealedColumns returns every column that holds something sealed. Each has a trigger that calls
// refuse_dropped_key, and is sealed again when the keyset is rotated.
func SealedColumns() []SealedColumn {
	return []SealedColumn{
		{"accounts", "sealed", "id", "uuid", "id, workspace_id, platform", readSealedAccount},
		{"webhooks", "secret", "id", "uuid", "id", readSealedWebhook(SecretData)},
		{"webhooks", "previous_secret", "id", "uuid", "id", readSealedWebhook(previousData)},
		{"consents", "sealed", "token_hash", "bytea", "workspace_id, platform", readSealedConsent},
		{"server_apps", "sealed", "name", "text", "name", readSealedApp},
	}
}

func readSealedAccount(row pgx.Row) (v SealedValue, err error) {
	var a schema.Account
	err = row.Scan(&v.Key, &a.Sealed, (*[16]byte)(&a.ID), (*[16]byte)(&a.Workspace), &a.Platform)
	v.Sealed = a.Sealed
	v.Reseal = func(by Resealer) ([]byte, error) { return by.Reseal(a) }
	return v, err
}

func readSealedWebhook(data func(schema.WebhookID) string) func(pgx.Row) (SealedValue, error) {
	return func(row pgx.Row) (v SealedValue, err error) {
		var id schema.WebhookID
		err = row.Scan(&v.Key, &v.Sealed, (*[16]byte)(&id))
		v.Reseal = func(by Resealer) ([]byte, error) { return by.ResealText(data(id), v.Sealed) }
		return v, err
	}
}

func readSealedConsent(row pgx.Row) (v SealedValue, err error) {
	var c schema.Consent
	err = row.Scan(&v.Key, &v.Sealed, (*[16]byte)(&c.Workspace), &c.Platform)
	v.Reseal = func(by Resealer) ([]byte, error) { return by.ResealText(c.SealedFor(), v.Sealed) }
	return v, err
}

func readSealedApp(row pgx.Row) (v SealedValue, err error) {
	var name string
	err = row.Scan(&v.Key, &v.Sealed, &name)
	v.Reseal = func(by Resealer) ([]byte, error) { return by.ResealText(name, v.Sealed) }
	return v, err
}
