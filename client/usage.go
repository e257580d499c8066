package client

import (
	"context"

	"crier/client/internal/api"
)

type (
	// UsageReport is what is used of a plan.
	UsageReport = api.Usage
	// Plan is what a workspace may use.
	Plan = api.Plan
)

// UsageService says what is used.
type UsageService struct{ api *caller }

// Get says what is used of the workspace's plan, and of the key's minute.
func (u *UsageService) Get(ctx context.Context) (*UsageReport, error) {
	return part(func(r *api.UsageResponse) *UsageReport { return &r.Usage })(u.api.get(ctx, nil, "usage"))
}
