package deletions

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/gateway/directory"
	"crier/schema"
	"crier/schema/people"
)

// Store is all that deletions ask of the database.
type Store interface {
	// Ask notes a deletion and returns what it would take.
	Ask(ctx context.Context, d schema.Deletion, token [32]byte) (schema.DeletionContents, error)
	// Stop confirms a deletion and returns once nothing of it goes out; Unavailable where that
	// takes longer than ctx. Its credentials are erased once the deletion has ConfirmedAt.
	Stop(ctx context.Context, id schema.DeletionID, token [32]byte) (schema.Deletion, error)
	// Deletions returns those that a request has asked for, or NotFound.
	Deletions(ctx context.Context, request schema.DeletionID) ([]schema.Deletion, error)
	personStore
}

// Config is what deletions are served with.
type Config struct {
	Store       Store
	Accounts    func(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Account, error)
	Revoke      func(ctx context.Context, account schema.Account) // at its platform, where that can be
	Platforms   connectors.Resolver
	Directories directory.Directories
	StatusURL   string // address of deletions, up to the id
	Now         func() time.Time
	Random      io.Reader
	Logger      *slog.Logger
}

// What a confirmation takes, less than a request may in all.
const (
	stopTimeout   = 10 * time.Second // for calls in hand
	revokeTimeout = 4 * time.Second  // for the platforms of all accounts
	revokedAtOnce = 16
)

// Routes returns the operations of deletions.
func Routes(c Config) []admission.Route {
	d := &deletions{c}
	return append([]admission.Route{
		admission.Handle(http.MethodPost, "/deletions", schema.Admin, body.WithForm(d.ask)).For(people.Owner),
		admission.Handle(http.MethodPost, "/deletions/:id/confirm", admission.Public, body.WithIDForm("deletion", d.confirm)),
		admission.Handle(http.MethodGet, "/deletions/:id", admission.Public, body.WithID("deletion", d.status)),
	}, d.personRoutes()...)
}

type deletions struct{ Config }

// ask answers with what would go, and with what confirms it.
func (d *deletions) ask(c *gin.Context, f *body.Form) error {
	account := formAccount(f)
	whole, _ := f.Boolean("workspace")
	if whole == !account.IsZero() && !f.Report.About("accountId") && !f.Report.About("workspace") {
		f.Fail("workspace", body.CodeInvalidValue, "must be true, or accountId must name an account: one of them")
	}
	if err := f.Finish(); err != nil {
		return err
	}
	secret := make([]byte, 24)
	if _, err := io.ReadFull(d.Random, secret); err != nil {
		return fmt.Errorf("making a confirmation: %w", err)
	}
	confirmation := base64.RawURLEncoding.EncodeToString(secret)
	now := d.Now().UTC().Truncate(time.Millisecond)
	wanted := schema.Deletion{
		ID: schema.NewID[schema.DeletionID](now), Workspace: admission.RequestOf(c).Key.Workspace, Account: account, OfWorkspace: whole,
		Status: schema.DeletionAsked, AskedAt: now,
	}
	contents, err := d.Store.Ask(c.Request.Context(), wanted, schema.HashAPIKey(confirmation))
	if err != nil {
		return err
	}
	wanted.Posts = int64(contents.Posts)
	return answer.Several(c, http.StatusCreated, map[string]any{
		"deletion": d.view([]schema.Deletion{wanted}, wanted.ID), "contents": viewContents(contents),
		"confirmation": confirmation, "expiresAt": answer.Moment(now.Add(schema.DeletionLife)),
	}, f.Report.Warnings)
}

func formAccount(f *body.Form) (id schema.AccountID) {
	text, given := f.Text("accountId", body.MaxName)
	if !given {
		return id
	}
	id, err := schema.ParseID[schema.AccountID](text)
	if err != nil {
		f.Fail("accountId", body.CodeInvalidValue, "is no id of an account")
	}
	return id
}

// confirm needs no key: those of a workspace end with the first confirmation, whose answer may
// get lost.
func (d *deletions) confirm(c *gin.Context, id schema.DeletionID, f *body.Form) error {
	f.Require("confirmation")
	confirmation, _ := f.Text("confirmation", body.MaxName)
	if err := f.Finish(); err != nil {
		return err
	}
	before, err := d.Store.Deletions(c.Request.Context(), id)
	if err != nil {
		return err
	}
	connected, err := d.connected(c.Request.Context(), before[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), stopTimeout)
	defer cancel()
	stopped, err := d.Store.Stop(ctx, id, schema.HashAPIKey(confirmation))
	if !stopped.ConfirmedAt.IsZero() {
		d.Directories.Forget(before[0].Workspace)
		d.revoke(c.Request.Context(), connected)
	}
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusAccepted, "deletion", d.view([]schema.Deletion{stopped}, id), f.Report.Warnings)
}

// revoke ends the consent to accounts, also where the request has ended meanwhile: crier has erased
// their credentials, so that no other request can.
func (d *deletions) revoke(ctx context.Context, accounts []schema.Account) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(revokedAtOnce)
	for _, account := range accounts {
		group.Go(func() error {
			d.Revoke(ctx, account)
			return nil
		})
	}
	_ = group.Wait() // what fails is in the log
}

// connected returns the accounts whose consent ends with the deletion, as they are before it.
func (d *deletions) connected(ctx context.Context, of schema.Deletion) ([]schema.Account, error) {
	if of.Status != schema.DeletionAsked {
		return nil, nil
	}
	all, err := d.Accounts(ctx, of.Workspace)
	if err != nil || of.OfWorkspace {
		return all, err
	}
	for _, account := range all {
		if account.ID == of.Account {
			return []schema.Account{account}, nil
		}
	}
	return nil, nil
}

// status answers how far a deletion is, to whoever knows its id: as a page to browsers.
func (d *deletions) status(c *gin.Context, id schema.DeletionID) error {
	found, err := d.Store.Deletions(c.Request.Context(), id)
	if err != nil {
		return err
	}
	view := d.view(found, id)
	c.Header("Cache-Control", "no-store")
	if c.NegotiateFormat(gin.MIMEJSON, gin.MIMEHTML) == gin.MIMEHTML {
		return showStatus(c, view)
	}
	return answer.Named(c, http.StatusOK, "deletion", view, nil)
}
