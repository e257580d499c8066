package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// brandWriter creates, renames and deletes brands.
type brandWriter interface {
	CreateBrand(ctx context.Context, brand schema.Brand) error
	RenameBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID, name string) (schema.Brand, error)
	// DeleteBrand takes the brand's accounts out of it.
	DeleteBrand(ctx context.Context, workspace schema.WorkspaceID, id schema.BrandID) error
}

// brands is the resource of brands.
type brands struct{ accountsConfig }

func (b *brands) routes() []route {
	return []route{
		handle(http.MethodPost, "/brands", schema.Write, b.create),
		handle(http.MethodGet, "/brands", schema.Read, b.list),
		handle(http.MethodGet, "/brands/:id", schema.Read, b.get),
		handle(http.MethodPatch, "/brands/:id", schema.Write, b.update),
		handle(http.MethodDelete, "/brands/:id", schema.Write, b.delete),
	}
}

// brandView is a brand as the API shows it.
type brandView struct {
	ID        schema.BrandID `json:"id"`
	Name      string         `json:"name"`
	CreatedAt moment         `json:"createdAt"`
	UpdatedAt moment         `json:"updatedAt"`
}

type brandAnswer struct {
	Success  bool            `json:"success"`
	Brand    brandView       `json:"brand"`
	Warnings []schema.Detail `json:"warnings,omitempty"`
}

type brandsAnswer struct {
	Success bool        `json:"success"`
	Brands  []brandView `json:"brands"`
}

func viewBrand(b schema.Brand) brandView {
	return brandView{ID: b.ID, Name: b.Name, CreatedAt: moment(b.CreatedAt), UpdatedAt: moment(b.UpdatedAt)}
}

// create makes a brand.
func (b *brands) create(c *gin.Context) error {
	name, warnings, err := readBrandName(c)
	if err != nil {
		return err
	}
	now := b.Now().UTC().Truncate(time.Millisecond)
	brand := schema.Brand{
		ID: schema.NewBrandID(now), Workspace: requestOf(c).key.Workspace, Name: name, CreatedAt: now, UpdatedAt: now,
	}
	if err := b.Store.CreateBrand(c.Request.Context(), brand); err != nil {
		return err
	}
	respond(c, http.StatusCreated, brandAnswer{Success: true, Brand: viewBrand(brand), Warnings: warnings})
	return nil
}

func readBrandName(c *gin.Context) (name string, warnings []schema.Detail, err error) {
	f, err := readForm(c)
	if err != nil {
		return "", nil, err
	}
	name = f.title()
	f.require("name")
	f.finish()
	return name, f.report.warnings, f.report.err()
}

// list answers with the brands of a workspace.
func (b *brands) list(c *gin.Context) error {
	found, err := b.Store.Brands(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	views := make([]brandView, len(found))
	for i := range found {
		views[i] = viewBrand(found[i])
	}
	respond(c, http.StatusOK, brandsAnswer{Success: true, Brands: views})
	return nil
}

// get answers with one brand.
func (b *brands) get(c *gin.Context) error {
	found, err := b.Store.Brands(c.Request.Context(), requestOf(c).key.Workspace)
	if err != nil {
		return err
	}
	for _, brand := range found {
		if brand.ID.String() == c.Param("id") {
			respond(c, http.StatusOK, brandAnswer{Success: true, Brand: viewBrand(brand)})
			return nil
		}
	}
	return &schema.Error{Kind: schema.NotFound, Message: "brand not found"}
}

// update renames a brand.
func (b *brands) update(c *gin.Context) error {
	id, err := brandID(c)
	if err != nil {
		return err
	}
	name, warnings, err := readBrandName(c)
	if err != nil {
		return err
	}
	brand, err := b.Store.RenameBrand(c.Request.Context(), requestOf(c).key.Workspace, id, name)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, brandAnswer{Success: true, Brand: viewBrand(brand), Warnings: warnings})
	return nil
}

// delete removes a brand; its accounts stay connected, in no brand.
func (b *brands) delete(c *gin.Context) error {
	id, err := brandID(c)
	if err != nil {
		return err
	}
	workspace := requestOf(c).key.Workspace
	err = b.Store.DeleteBrand(c.Request.Context(), workspace, id)
	b.Directories.forget(workspace)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, message{Success: true, Message: "the brand was deleted; its accounts stay connected"})
	return nil
}

func brandID(c *gin.Context) (schema.BrandID, error) {
	id, err := schema.ParseBrandID(c.Param("id"))
	if err != nil {
		return id, &schema.Error{Kind: schema.NotFound, Message: "brand not found", Err: err}
	}
	return id, nil
}
