package deletions

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"crier/connectors"
	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/schema"
)

// personStore acts on all accounts that a person has consented to, in every workspace.
type personStore interface {
	// EndPerson ends the accounts: the person has taken the consent back. It returns how many.
	EndPerson(ctx context.Context, p schema.Person) (accounts int, err error)
	// DeletePerson deletes the accounts with their data, by a request whose state can be asked.
	DeletePerson(ctx context.Context, request schema.DeletionID, p schema.Person) error
}

// maxSigned bounds a signed request: an id and some times.
const maxSigned = 16 << 10

func (d *deletions) personRoutes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/connect/:platform/deauthorize", admission.Public, d.deauthorized),
		admission.Handle(http.MethodPost, "/connect/:platform/delete-data", admission.Public, d.deleteData),
	}
}

// person reads who a platform calls for: it has signed that.
func (d *deletions) person(c *gin.Context) (schema.Person, error) {
	platform, err := schema.ParsePlatform(c.Param("platform"))
	if err != nil {
		return schema.Person{}, &schema.Error{Kind: schema.NotFound, Message: "there is no such platform", Err: err}
	}
	caller, err := connectors.As[connectors.PersonCaller](d.Platforms, schema.Account{Platform: platform})
	if err != nil {
		return schema.Person{}, &schema.Error{Kind: schema.NotFound, Message: platform.String() + " calls for no person here", Err: err}
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxSigned)
	id, err := caller.PersonOf(c.Request.PostFormValue("signed_request"))
	if err != nil {
		return schema.Person{}, err
	}
	return schema.Person{Platform: platform, ID: id}, nil
}

// deauthorized ends the accounts of a person who has taken the consent back.
func (d *deletions) deauthorized(c *gin.Context) error {
	p, err := d.person(c)
	if err != nil {
		return err
	}
	n, err := d.Store.EndPerson(c.Request.Context(), p)
	if err != nil {
		return err
	}
	d.Logger.InfoContext(c.Request.Context(), "a person has taken a consent back", "platform", p.Platform.String(), "accounts", n)
	return answer.Done(c, "the consent has ended")
}

// personResponse is what Meta asks for: where a person reads what became of it, and by which code
// (developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback).
type personResponse struct {
	URL  string            `json:"url"`
	Code schema.DeletionID `json:"confirmation_code"`
}

// deleteData deletes the accounts of a person with their data.
func (d *deletions) deleteData(c *gin.Context) error {
	p, err := d.person(c)
	if err != nil {
		return err
	}
	request := schema.NewID[schema.DeletionID](d.Now())
	if err := d.Store.DeletePerson(c.Request.Context(), request, p); err != nil {
		return err
	}
	return answer.JSON(c, http.StatusOK, personResponse{URL: d.StatusURL + request.String(), Code: request})
}
