package keys

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// Store is all that keys and registration ask of the database.
type Store interface {
	reader
	writer
	registrar
}

// reader reads the keys of a workspace and, of a live one, those of its sandbox twin.
type reader interface {
	// Keys returns a page, newest first, and how many there are in all.
	Keys(ctx context.Context, workspace schema.WorkspaceID, limit, offset int) ([]schema.KeyRecord, int, error)
	// Key returns one, or NotFound.
	Key(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) (schema.KeyRecord, error)
}

// writer makes and ends keys. Each call is one transaction.
type writer interface {
	// CreateKey is InvalidState if the workspace has as many keys as it may.
	CreateKey(ctx context.Context, key schema.KeyRecord, hash [32]byte) error
	// RotateKey returns the successor of a key. It is InvalidState if the key was revoked or
	// has expired.
	RotateKey(ctx context.Context, workspace schema.WorkspaceID, rotation schema.KeyRotation) (schema.KeyRecord, error)
	// EndKey revokes a key; InvalidState for the last that could manage keys.
	EndKey(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) error
	// Unsuspend ends the suspension of a key, if it is suspended.
	Unsuspend(ctx context.Context, workspace schema.WorkspaceID, id schema.KeyID) (schema.KeyRecord, error)
}

// Sandboxes makes the workspaces of test keys.
type Sandboxes interface {
	// Twin returns the sandbox twin of a live workspace, and creates it at the first
	// call.
	Twin(ctx context.Context, live schema.WorkspaceID) (schema.WorkspaceID, error)
}

// Config is what keys are served with.
type Config struct {
	Store             Store
	Sandboxes         Sandboxes
	AllowRegistration bool // of keys, by those who have none
	Now               func() time.Time
	Random            io.Reader
}

// Routes returns the operations of keys and of registration.
func Routes(c Config) []admission.Route {
	return append((&keys{c}).routes(), (&registration{c}).routes()...)
}

// keys is the resource of API keys.
type keys struct{ Config }

func (k *keys) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/keys", schema.Admin, body.WithForm(k.create)),
		admission.Handle(http.MethodGet, "/keys", schema.Admin, k.list),
		admission.Handle(http.MethodGet, "/keys/:id", schema.Admin, body.WithID("key", k.get)),
		admission.Handle(http.MethodPost, "/keys/:id/rotate", schema.Admin, body.WithID("key", k.rotate)),
		admission.Handle(http.MethodPost, "/keys/:id/unsuspend", schema.Admin, body.WithID("key", k.unsuspend)),
		admission.Handle(http.MethodDelete, "/keys/:id", schema.Admin, body.WithID("key", k.revoke)),
	}
}

// create makes a key. Only this answer shows it.
func (k *keys) create(c *gin.Context, f *body.Form) error {
	wanted, err := readKey(f, admission.RequestOf(c).Key, k.Now())
	if err != nil {
		return err
	}
	if err := mayGive(c, wanted.Permission); err != nil {
		return err
	}
	if wanted.Workspace, err = k.workspaceOf(c, wanted.Sandbox); err != nil {
		return err
	}
	secret, err := k.generate(&wanted)
	if err != nil {
		return err
	}
	wanted.Lineage = wanted.ID
	if err := k.Store.CreateKey(c.Request.Context(), wanted, schema.HashAPIKey(secret)); err != nil {
		return err
	}
	return k.answer(c, http.StatusCreated, wanted, secret, f.Report.Warnings)
}

// readKey reads the fields of the new key. A test key can make test keys only.
func readKey(f *body.Form, maker schema.Key, now time.Time) (schema.KeyRecord, error) {
	wanted := schema.KeyRecord{Name: f.GivenName(), Permission: formPermission(f), Sandbox: maker.Sandbox, MadeBy: maker.User}
	f.Require("name")
	if test, ok := f.Boolean("test"); ok {
		wanted.Sandbox = test
	}
	wanted.Networks, wanted.ExpiresAt = formNetworks(f), formEnd(f, now)
	if err := f.Finish(); err != nil {
		return wanted, err
	}
	if maker.Sandbox && !wanted.Sandbox {
		return wanted, &schema.Error{Kind: schema.Forbidden, Message: "a test key makes test keys only"}
	}
	return wanted, nil
}

// formPermission reads permissions and returns the highest, which includes the others.
func formPermission(f *body.Form) schema.Permission {
	f.Require("permissions")
	names, ok := f.List("permissions", len(schema.Admin.Names()))
	if ok && len(names) == 0 {
		f.Fail("permissions", body.CodeRequired, "must name at least one of read, write, admin")
	}
	var highest schema.Permission
	for i, name := range names {
		permission, err := schema.ParsePermission(name.Text)
		if name.Kind != body.Text || err != nil {
			f.Fail(body.Indexed("permissions", i), body.CodeInvalidValue, "must be read, write or admin")
		}
		highest = max(highest, permission)
	}
	return highest
}

// formNetworks reads where the key may be used from.
func formNetworks(f *body.Form) []netip.Prefix {
	texts, _ := f.List("networks", schema.MaxNetworks)
	networks := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		var err error
		if networks[i], err = schema.ParseNetwork(text.Text); text.Kind != body.Text || err != nil {
			f.Fail(body.Indexed("networks", i), body.CodeInvalidValue, "must be a network, such as 203.0.113.0/24 or 2001:db8:1:2::/64, of IPv6 a /64 at least")
		}
	}
	return networks
}

// formEnd reads when the key ends; zero: never.
func formEnd(f *body.Form, now time.Time) time.Time {
	end := f.Time("expiresAt")
	if !end.IsZero() && !end.After(now) {
		f.Fail("expiresAt", body.CodeInvalidValue, "must be in the future")
	}
	return end
}

// mayGive refuses a member who would get by a key what their role does not reach: one with the permission
// admin also ends the workspace, which an owner does.
func mayGive(c *gin.Context, permission schema.Permission) error {
	session := admission.RequestOf(c).Session
	if permission < schema.Admin || session == nil || session.Role == people.Owner {
		return nil
	}
	return &schema.Error{Kind: schema.Forbidden, Message: "only an owner makes or rotates keys with the permission admin"}
}

// workspaceOf returns the workspace of a new key: the caller's, or its sandbox twin.
func (k *keys) workspaceOf(c *gin.Context, sandbox bool) (schema.WorkspaceID, error) {
	maker := admission.RequestOf(c).Key
	if sandbox == maker.Sandbox {
		return maker.Workspace, nil
	}
	return k.Sandboxes.Twin(c.Request.Context(), maker.Workspace)
}

// generate makes a key and returns it; r gets what is stored of it except its hash.
func (k *keys) generate(r *schema.KeyRecord) (secret string, err error) {
	if secret, err = schema.NewAPIKey(k.Random, r.Sandbox); err != nil {
		return "", fmt.Errorf("making a key: %w", err)
	}
	r.CreatedAt = k.Now().UTC().Truncate(time.Millisecond)
	r.ID, r.Prefix = schema.NewID[schema.KeyID](r.CreatedAt), schema.APIKeyPrefix(secret)
	return secret, nil
}

// list answers with a page of keys.
func (k *keys) list(c *gin.Context) error {
	q := body.NewQuery(c)
	page := q.Page()
	if err := q.Finish(); err != nil {
		return err
	}
	found, total, err := k.Store.Keys(c.Request.Context(), admission.RequestOf(c).Key.Workspace, page.Limit, page.Offset())
	if err != nil {
		return err
	}
	views := lists.Map(found, func(r schema.KeyRecord) keyView { return viewKey(r, admission.RequestOf(c).Key.ID, k.Now()) })
	return answer.Page(c, "keys", views, page.Of(total, page.Offset()+len(found) < total), q.Report.Warnings)
}

func (k *keys) get(c *gin.Context, id schema.KeyID) error {
	found, err := k.Store.Key(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	return k.answer(c, http.StatusOK, found, "", nil)
}

// rotate makes the successor of a key. Only this answer shows it. The old key keeps
// working for the overlap.
func (k *keys) rotate(c *gin.Context, id schema.KeyID) error {
	overlap, warnings, err := body.ReadOverlap(c)
	if err != nil {
		return err
	}
	old, err := k.Store.Key(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	if err := mayGive(c, old.Permission); err != nil {
		return err
	}
	successor := schema.KeyRecord{Sandbox: old.Sandbox, MadeBy: admission.RequestOf(c).Key.User}
	secret, err := k.generate(&successor)
	if err != nil {
		return err
	}
	successor, err = k.Store.RotateKey(c.Request.Context(), admission.RequestOf(c).Key.Workspace, schema.KeyRotation{
		Key: id, Successor: successor, Hash: schema.HashAPIKey(secret), Overlap: overlap,
	})
	if err != nil {
		return err
	}
	return k.answer(c, http.StatusOK, successor, secret, warnings)
}

// unsuspend ends the suspension of a key before its time.
func (k *keys) unsuspend(c *gin.Context, id schema.KeyID) error {
	r, err := k.Store.Unsuspend(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id)
	if err != nil {
		return err
	}
	return k.answer(c, http.StatusOK, r, "", nil)
}

// revoke revokes a key for good.
func (k *keys) revoke(c *gin.Context, id schema.KeyID) error {
	return admission.Remove(c, id, k.Store.EndKey, "the key was revoked; it is refused within a second")
}

func (k *keys) answer(c *gin.Context, status int, r schema.KeyRecord, secret string, warnings []schema.Detail) error {
	view := viewKey(r, admission.RequestOf(c).Key.ID, k.Now())
	view.Secret = secret
	return answer.Named(c, status, "key", view, warnings)
}
