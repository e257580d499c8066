package client

import (
	"context"

	"crier/client/internal/api"
)

// Brand is a group of accounts.
type Brand = api.Brand

// BrandService makes groups of accounts.
type BrandService struct{ api *caller }

// Create makes a brand.
func (b *BrandService) Create(ctx context.Context, name string) (*Brand, error) {
	return part(brandOf)(b.api.post(ctx, api.BrandName{Name: name}, "brands"))
}

// List returns all brands.
func (b *BrandService) List(ctx context.Context) ([]Brand, error) {
	return part(func(r *api.BrandsResponse) []Brand { return r.Brands })(b.api.get(ctx, nil, "brands"))
}

// Get reads a brand.
func (b *BrandService) Get(ctx context.Context, id string) (*Brand, error) {
	return part(brandOf)(b.api.get(ctx, nil, "brands", id))
}

// Rename gives a brand another name.
func (b *BrandService) Rename(ctx context.Context, id, name string) (*Brand, error) {
	return part(brandOf)(b.api.patch(ctx, api.BrandName{Name: name}, "brands", id))
}

// Delete removes a brand.
func (b *BrandService) Delete(ctx context.Context, id string) error {
	return done(b.api.delete(ctx, "brands", id))
}

func brandOf(r *api.BrandResponse) *Brand { return &r.Brand }
