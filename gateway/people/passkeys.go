package people

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

// passkeyStore keeps passkeys.
type passkeyStore interface {
	Passkeys(ctx context.Context, user schema.UserID) ([]people.Passkey, error)
	// Passkey looks one up by what its authenticator calls it, or is people.ErrNoPasskey.
	Passkey(ctx context.Context, credential []byte) (people.Passkey, error)
	// AddPasskey is InvalidState where it is known already, or the user has too many, and Unauthorized where the session
	// has ended.
	AddPasskey(ctx context.Context, session schema.SessionID, passkey people.Passkey) error
	// RenamePasskey and RemovePasskey are NotFound where the user has no such one; the latter is InvalidState where
	// they could not sign in any more.
	RenamePasskey(ctx context.Context, user schema.UserID, id schema.PasskeyID, name string) error
	RemovePasskey(ctx context.Context, user schema.UserID, id schema.PasskeyID, ways people.Ways) error
	// SignInByPasskey begins a session, and stores the passkey's count. It is Unauthorized where that says that there
	// is a copy of it. begun is the ceremony in which the passkey was shown.
	SignInByPasskey(ctx context.Context, passkey people.Passkey, session people.NewSession, begun people.Ceremony) error
	// ProveByPasskey stores the count, and that the session's user has shown who they are. It is refused alike.
	ProveByPasskey(ctx context.Context, passkey people.Passkey, session schema.SessionID) error
}

// passkeys is the resource of passkeys.
type passkeys struct{ *sessions }

func (p *passkeys) routes() []admission.Route {
	return []admission.Route{
		admission.HandleVisitor(http.MethodPost, "/session/passkey/challenge", p.challenge),
		admission.HandleVisitor(http.MethodPost, "/session/passkey", p.signIn),
		admission.HandleMember(http.MethodGet, "/me/passkeys", people.Anyone, body.WithoutParameters(p.list)),
		admission.HandleMember(http.MethodPost, "/me/passkeys/challenge", people.Anyone, p.propose),
		admission.HandleMember(http.MethodPost, "/me/passkeys", people.Anyone, p.add),
		admission.HandleMember(http.MethodPatch, "/me/passkeys/:id", people.Anyone, body.WithIDForm("passkey", p.rename)),
		admission.HandleMember(http.MethodDelete, "/me/passkeys/:id", people.Anyone, body.WithID("passkey", p.remove)),
	}
}

type passkeyView struct {
	ID         schema.PasskeyID `json:"id"`
	Name       string           `json:"name"`
	IsSynced   bool             `json:"isSynced"` // it may be on several devices
	CreatedAt  answer.Moment    `json:"createdAt"`
	LastUsedAt *answer.Moment   `json:"lastUsedAt"`
}

func viewPasskey(p people.Passkey) passkeyView {
	return passkeyView{
		ID: p.ID, Name: p.Name, IsSynced: p.BackupEligible, CreatedAt: answer.Moment(p.CreatedAt), LastUsedAt: answer.MomentOrNull(p.UsedAt),
	}
}

// offered refuses where browsers know no passkeys.
func (p *passkeys) offered() error {
	if p.Verifier == nil {
		return &schema.Error{Kind: schema.InvalidState, Message: "passkeys need a --public-url that begins with https, or is of localhost: browsers know them there alone"}
	}
	return nil
}

// challenge begins a sign-in: nobody says who they are, since the authenticator does.
func (p *passkeys) challenge(c *gin.Context) error {
	return p.ask(c, people.SignsInByPasskey, p.Verifier.RequestOptions)
}

// ask begins a ceremony, and answers with what its token makes the page ask authenticators.
func (p *passkeys) ask(c *gin.Context, kind people.CeremonyKind, optionsOf func(token string) (json.RawMessage, error)) error {
	if err := p.offered(); err != nil {
		return err
	}
	token, err := people.NewToken(p.Random)
	if err != nil {
		return err
	}
	options, err := optionsOf(token)
	if err != nil {
		return err
	}
	if err := p.open(c, token, kind, ""); err != nil {
		return err
	}
	return answer.Named(c, http.StatusCreated, "options", options, nil)
}

// signIn begins a session for whoever has a passkey.
func (p *passkeys) signIn(c *gin.Context) error {
	if err := p.offered(); err != nil {
		return err
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	given := givenCredential(f)
	if err := f.Finish(); err != nil {
		return err
	}
	used, begun, err := p.verified(c, given)
	if err != nil {
		return err
	}
	session, sessionToken, err := p.begin(c)
	if err != nil {
		return err
	}
	if err := p.Store.SignInByPasskey(c.Request.Context(), used, session, begun); err != nil {
		return err
	}
	return p.welcome(c, used.User, sessionToken, "you are signed in")
}

// verified returns the passkey that an authenticator has shown in the ceremony of the request's browser.
func (p *passkeys) verified(c *gin.Context, given []byte) (used people.Passkey, begun people.Ceremony, err error) {
	token, begun, err := p.close(c, people.SignsInByPasskey)
	if err != nil {
		return used, begun, err
	}
	used, err = p.Verifier.Used(token, given, func(credential []byte) (people.Passkey, error) {
		return p.Store.Passkey(c.Request.Context(), credential)
	})
	return used, begun, err
}

// givenCredential reads what a browser's PublicKeyCredential.toJSON makes.
func givenCredential(f *body.Form) []byte {
	f.Require("credential")
	members, _ := f.Members("credential")
	return body.Value{Kind: body.Object, Members: members}.AppendCanonical(nil)
}

// list answers with the passkeys of whoever is signed in.
func (p *passkeys) list(c *gin.Context, warnings []schema.Detail) error {
	all, err := p.Store.Passkeys(c.Request.Context(), admission.RequestOf(c).Session.User.ID)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "passkeys", lists.Map(all, viewPasskey), warnings)
}

// propose begins the addition of a passkey.
func (p *passkeys) propose(c *gin.Context) error {
	if err := p.proven(c); err != nil {
		return err
	}
	return p.ask(c, people.AddsPasskey, func(token string) (json.RawMessage, error) {
		user := admission.RequestOf(c).Session.User
		have, err := p.Store.Passkeys(c.Request.Context(), user.ID)
		if err != nil {
			return nil, err
		}
		return p.Verifier.CreationOptions(token, user, have)
	})
}

// add stores the passkey that an authenticator has made.
func (p *passkeys) add(c *gin.Context) error {
	if err := p.offered(); err != nil {
		return err
	}
	f, err := body.ReadForm(c)
	if err != nil {
		return err
	}
	name, given := f.GivenName(), givenCredential(f)
	f.Require("name")
	if err := f.Finish(); err != nil {
		return err
	}
	token, _, err := p.close(c, people.AddsPasskey)
	if err != nil {
		return err
	}
	passkey, err := p.Verifier.Created(token, admission.RequestOf(c).Session.User, given)
	if err != nil {
		return schema.InvalidField("credential", body.CodeInvalidValue, "does not hold: "+err.Error())
	}
	passkey.CreatedAt = p.Now().UTC().Truncate(time.Millisecond)
	passkey.ID, passkey.Name = schema.NewID[schema.PasskeyID](passkey.CreatedAt), name
	if err := p.Store.AddPasskey(c.Request.Context(), admission.RequestOf(c).Session.ID, passkey); err != nil {
		return err
	}
	return answer.Named(c, http.StatusCreated, "passkey", viewPasskey(passkey), f.Report.Warnings)
}

// rename gives a passkey another name.
func (p *passkeys) rename(c *gin.Context, id schema.PasskeyID, f *body.Form) error {
	name := f.GivenName()
	f.Require("name")
	if err := f.Finish(); err != nil {
		return err
	}
	if err := p.Store.RenamePasskey(c.Request.Context(), admission.RequestOf(c).Session.User.ID, id, name); err != nil {
		return err
	}
	return answer.Done(c, "the passkey is called "+name)
}

// remove takes a passkey away, unless it is the last way to sign in.
func (p *passkeys) remove(c *gin.Context, id schema.PasskeyID) error {
	if err := p.Store.RemovePasskey(c.Request.Context(), admission.RequestOf(c).Session.User.ID, id, p.ways()); err != nil {
		return err
	}
	return answer.Done(c, "the passkey is removed")
}
