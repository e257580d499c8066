package gateway

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// keys is the resource of API keys.
type keys struct {
	reader    KeyReader
	writer    KeyWriter
	sandboxes Sandboxes
	now       func() time.Time
	random    io.Reader
}

func (k *keys) routes() []route {
	return []route{
		{http.MethodPost, "/keys", schema.Admin, k.create},
		{http.MethodGet, "/keys", schema.Admin, k.list},
		{http.MethodGet, "/keys/:id", schema.Admin, k.get},
		{http.MethodPost, "/keys/:id/rotate", schema.Admin, k.rotate},
		{http.MethodDelete, "/keys/:id", schema.Admin, k.revoke},
	}
}

// create makes a key and shows it, this once.
func (k *keys) create(c *gin.Context) error {
	f, err := readForm(c)
	if err != nil {
		return err
	}
	wanted, err := readKey(f, requestOf(c).key)
	if err != nil {
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
	if err := k.writer.CreateKey(c.Request.Context(), wanted, schema.HashAPIKey(secret)); err != nil {
		return err
	}
	respond(c, http.StatusCreated, k.answer(c, wanted, secret, f.report.warnings))
	return nil
}

// readKey reads what kind of key is wanted. A test key makes test keys only.
func readKey(f *form, maker schema.Key) (schema.KeyRecord, error) {
	wanted := schema.KeyRecord{Name: formName(f), Permission: formPermission(f), Sandbox: maker.Sandbox}
	f.require("name")
	if test, ok := f.boolean("test"); ok {
		wanted.Sandbox = test
	}
	f.finish()
	if err := f.report.err(); err != nil {
		return wanted, err
	}
	if maker.Sandbox && !wanted.Sandbox {
		return wanted, &schema.Error{Kind: schema.Forbidden, Message: "a test key makes test keys only"}
	}
	return wanted, nil
}

// formPermission reads permissions, of which the highest counts: it includes the others.
func formPermission(f *form) schema.Permission {
	f.require("permissions")
	names, ok := f.list("permissions", len(schema.Admin.Names()))
	if ok && len(names) == 0 {
		f.fail("permissions", codeRequired, "must name at least one of read, write, admin")
	}
	var highest schema.Permission
	for i, name := range names {
		permission, err := schema.ParsePermission(name.text)
		if name.kind != text || err != nil {
			f.fail(indexed("permissions", i), codeInvalidValue, "must be read, write or admin")
		}
		highest = max(highest, permission)
	}
	return highest
}

// workspaceOf returns the workspace of a new key: the caller's, or its sandbox twin.
func (k *keys) workspaceOf(c *gin.Context, sandbox bool) (schema.WorkspaceID, error) {
	maker := requestOf(c).key
	if sandbox == maker.Sandbox {
		return maker.Workspace, nil
	}
	return k.sandboxes.Twin(c.Request.Context(), maker.Workspace)
}

// generate makes the text of a key, and what is stored of it but its hash.
func (k *keys) generate(r *schema.KeyRecord) (secret string, err error) {
	if secret, err = schema.NewAPIKey(k.random, r.Sandbox); err != nil {
		return "", fmt.Errorf("making a key: %w", err)
	}
	r.CreatedAt = k.now().UTC().Truncate(time.Millisecond)
	r.ID, r.Prefix = schema.NewKeyID(r.CreatedAt), schema.APIKeyPrefix(secret)
	return secret, nil
}

// list answers with a page of keys.
func (k *keys) list(c *gin.Context) error {
	q := newQuery(c)
	page := q.page()
	if err := q.report.err(); err != nil {
		return err
	}
	found, total, err := k.reader.Keys(c.Request.Context(), requestOf(c).key.Workspace, page.limit, page.offset())
	if err != nil {
		return err
	}
	views := make([]keyView, len(found))
	for i := range found {
		views[i] = viewKey(found[i], requestOf(c).key.ID, k.now())
	}
	respond(c, http.StatusOK, keysAnswer{Success: true, Keys: views, Pagination: page.of(total, page.offset()+len(found) < total)})
	return nil
}

// get answers with one key.
func (k *keys) get(c *gin.Context) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	found, err := k.reader.Key(c.Request.Context(), requestOf(c).key.Workspace, id)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, k.answer(c, found, "", nil))
	return nil
}

// rotate makes the successor of a key and shows it, this once. For the overlap the key
// before works on.
func (k *keys) rotate(c *gin.Context) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	overlap, warnings, err := readOverlap(c)
	if err != nil {
		return err
	}
	old, err := k.reader.Key(c.Request.Context(), requestOf(c).key.Workspace, id)
	if err != nil {
		return err
	}
	successor := schema.KeyRecord{Sandbox: old.Sandbox}
	secret, err := k.generate(&successor)
	if err != nil {
		return err
	}
	successor, err = k.writer.RotateKey(c.Request.Context(), requestOf(c).key.Workspace, id, successor, schema.HashAPIKey(secret), overlap)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, k.answer(c, successor, secret, warnings))
	return nil
}

// revoke ends a key for good.
func (k *keys) revoke(c *gin.Context) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	if err := k.writer.EndKey(c.Request.Context(), requestOf(c).key.Workspace, id); err != nil {
		return err
	}
	respond(c, http.StatusOK, messageAnswer{Success: true, Message: "the key was revoked; it is refused within a second"})
	return nil
}

func (k *keys) answer(c *gin.Context, r schema.KeyRecord, secret string, warnings []schema.Detail) keyAnswer {
	view := viewKey(r, requestOf(c).key.ID, k.now())
	view.Secret = secret
	return keyAnswer{Success: true, Key: view, Warnings: warnings}
}

func keyID(c *gin.Context) (schema.KeyID, error) {
	id, err := schema.ParseKeyID(c.Param("id"))
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: "key not found", Err: err}
	}
	return id, nil
}
