package keys

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/people"
)

// registrar stores the workspaces of registrations.
type registrar interface {
	// Register is one transaction, and reports whether the invitation goes by mail too; RateLimitExceeded where too many
	// came from the network.
	Register(ctx context.Context, registration people.Registration) (mailed bool, err error)
}

// registration gives a workspace to somebody without a key, if the operator allows it.
type registration struct{ Config }

func (r *registration) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodPost, "/keys/register", admission.Public, r.register)}
}

type workspaceView struct {
	ID   schema.WorkspaceID `json:"id"`
	Name string             `json:"name"`
	Plan string             `json:"plan"`
}

// ownerView is by what whoever registered becomes the workspace's owner.
type ownerView struct {
	Token     string        `json:"token"` // only here
	ExpiresAt answer.Moment `json:"expiresAt"`
	IsMailed  bool          `json:"isMailed"` // it goes to the address by mail, with another token
}

// register makes a workspace, its first key, and an invitation of its owner. Only this answer shows the key
// and the invitation's token.
func (r *registration) register(c *gin.Context) error {
	if !r.AllowRegistration {
		return &schema.Error{Kind: schema.Forbidden, Message: "this server takes no registrations; ask its operator for a key"}
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	name, email := f.GivenName(), f.Email("email")
	f.Require("name")
	f.Require("email")
	if err := f.Finish(); err != nil {
		return err
	}
	secret, err := schema.NewAPIKey(r.Random, false)
	if err != nil {
		return fmt.Errorf("making a key: %w", err)
	}
	now := r.Now().UTC().Truncate(time.Millisecond)
	w := schema.Workspace{ID: schema.NewID[schema.WorkspaceID](now), Name: name, Plan: schema.FreePlan}
	id := schema.NewID[schema.KeyID](now)
	key := schema.KeyRecord{
		ID: id, Lineage: id, Workspace: w.ID, Name: "registered", Prefix: schema.APIKeyPrefix(secret), Permission: schema.Admin, CreatedAt: now,
	}
	token, err := people.NewToken(r.Random)
	if err != nil {
		return err
	}
	owner := people.Invitation{
		ID: schema.NewID[schema.InvitationID](now), Workspace: w.ID, Email: people.Email(email), Role: people.Owner,
		CreatedAt: now, ExpiresAt: now.Add(people.InvitationLife),
	}
	ownerHash, _ := people.HashToken(token)
	mailed, err := r.Store.Register(c.Request.Context(), people.Registration{
		Workspace: w, Email: email, Key: key, Hash: schema.HashAPIKey(secret), Owner: owner, OwnerHash: ownerHash, Address: admission.RequestOf(c).Address.String(),
	})
	if err != nil {
		return err
	}
	view := viewKey(key, schema.KeyID{}, now)
	view.Secret = secret
	return answer.Several(c, http.StatusCreated, map[string]any{
		"workspace": workspaceView{w.ID, w.Name, w.Plan}, "key": view,
		"ownerInvitation": ownerView{token, answer.Moment(owner.ExpiresAt), mailed},
	}, f.Report.Warnings)
}
