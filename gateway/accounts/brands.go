package accounts

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
)

// brandWriter creates, renames and deletes brands.
type brandWriter interface {
	CreateBrand(ctx context.Context, brand schema.Brand) error
	RenameBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID, name string) (schema.Brand, error)
	// DeleteBrand takes the brand's accounts out of it.
	DeleteBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID) error
}

// brands is the resource of brands.
type brands struct{ Config }

func (b *brands) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/brands", schema.Write, body.WithForm(b.create)),
		admission.Handle(http.MethodGet, "/brands", schema.Read, b.list),
		admission.Handle(http.MethodGet, "/brands/:id", schema.Read, body.WithoutParameters(b.get)),
		admission.Handle(http.MethodPatch, "/brands/:id", schema.Write, body.WithIDForm("brand", b.update)),
		admission.Handle(http.MethodDelete, "/brands/:id", schema.Write, body.WithID("brand", b.delete)),
	}
}

// brandView is a brand as the API shows it.
type brandView struct {
	ID        schema.BrandID `json:"id"`
	Name      string         `json:"name"`
	CreatedAt answer.Moment  `json:"createdAt"`
	UpdatedAt answer.Moment  `json:"updatedAt"`
}

func viewBrand(b schema.Brand) brandView {
	return brandView{ID: b.ID, Name: b.Name, CreatedAt: answer.Moment(b.CreatedAt), UpdatedAt: answer.Moment(b.UpdatedAt)}
}

func (b *brands) create(c *gin.Context, f *body.Form) error {
	name, err := readBrandName(f)
	if err != nil {
		return err
	}
	now := b.Now().UTC().Truncate(time.Millisecond)
	brand := schema.Brand{
		ID: schema.NewID[schema.BrandID](now), Workspace: admission.RequestOf(c).Key.Workspace, Name: name, CreatedAt: now, UpdatedAt: now,
	}
	if err := b.Store.CreateBrand(c.Request.Context(), brand); err != nil {
		return err
	}
	return answer.Named(c, http.StatusCreated, "brand", viewBrand(brand), f.Report.Warnings)
}

func readBrandName(f *body.Form) (string, error) {
	name := f.GivenName()
	f.Require("name")
	return name, f.Finish()
}

// list answers with the brands of a workspace.
func (b *brands) list(c *gin.Context) error {
	found, err := b.Store.Brands(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "brands", lists.Map(found, viewBrand), nil)
}

func (b *brands) get(c *gin.Context, warnings []schema.Detail) error {
	found, err := b.Store.Brands(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	for _, brand := range found {
		if brand.ID.String() == c.Param("id") {
			return answer.Named(c, http.StatusOK, "brand", viewBrand(brand), warnings)
		}
	}
	return &schema.Error{Kind: schema.NotFound, Message: "brand not found"}
}

// update renames a brand.
func (b *brands) update(c *gin.Context, id schema.BrandID, f *body.Form) error {
	name, err := readBrandName(f)
	if err != nil {
		return err
	}
	brand, err := b.Store.RenameBrand(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, name)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "brand", viewBrand(brand), f.Report.Warnings)
}

// delete removes a brand; its accounts stay connected, in no brand.
func (b *brands) delete(c *gin.Context, id schema.BrandID) error {
	workspace := admission.RequestOf(c).Key.Workspace
	err := b.Store.DeleteBrand(c.Request.Context(), workspace, id)
	b.Directories.Forget(workspace)
	if err != nil {
		return err
	}
	return answer.Done(c, "the brand was deleted; its accounts stay connected")
}
