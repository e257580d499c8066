package client

import (
	"context"
	"iter"
	"time"

	"crier/client/internal/api"
)

type (
	// Key is an API key; its Secret is there only when it is made.
	Key = api.Key
	// Permission is what a key may do: read, write or admin.
	Permission = api.KeyCreatePermissions
)

// What a key may do; each includes those before it.
const (
	Read  = api.KeyCreatePermissionsRead
	Write = api.KeyCreatePermissionsWrite
	Admin = api.KeyCreatePermissionsAdmin
)

// KeyService makes API keys; it needs a key with the permission Admin.
type KeyService struct{ api *caller }

// NewKey is a key that is asked for.
type NewKey struct {
	Name       string
	Permission Permission // the highest it has
	Test       bool       // of the sandbox; a test key makes test keys alone
}

// Create makes a key. Its Secret is the key itself, which is shown this once.
func (k *KeyService) Create(ctx context.Context, key NewKey) (*Key, error) {
	return part(keyOf)(k.api.post(ctx, api.KeyCreate{Name: key.Name, Permissions: []Permission{key.Permission}, Test: key.Test}, "keys"))
}

// List iterates over the keys of the workspace.
func (k *KeyService) List(ctx context.Context) iter.Seq2[*Key, error] {
	params := api.ListKeysParams{Limit: pageSize(0)}
	return pages(func(cursor string) (Page[Key], error) {
		params.Page = pageNumber(cursor)
		return part(func(r *api.KeysResponse) Page[Key] { return Page[Key]{r.Keys, following(r.Pagination)} })(k.api.get(ctx, &params, "keys"))
	})
}

// Get reads a key, without its secret.
func (k *KeyService) Get(ctx context.Context, id string) (*Key, error) {
	return part(keyOf)(k.api.get(ctx, nil, "keys", id))
}

// Rotate makes a key in place of another, which works on for overlap, in whole seconds up to a week.
func (k *KeyService) Rotate(ctx context.Context, id string, overlap time.Duration) (*Key, error) {
	return part(keyOf)(k.api.post(ctx, api.KeyRotate{OverlapSeconds: new(int(overlap.Seconds()))}, "keys", id, "rotate"))
}

// Revoke ends a key.
func (k *KeyService) Revoke(ctx context.Context, id string) error {
	return done(k.api.delete(ctx, "keys", id))
}

func keyOf(r *api.KeyResponse) *Key { return &r.Key }
