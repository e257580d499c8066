package client

import (
	"context"

	"crier/client/internal/api"
)

// PlatformService says what posts are held to on each platform.
type PlatformService struct{ api *caller }

// List returns what each platform takes, of an account of which nothing else is known.
func (p *PlatformService) List(ctx context.Context) ([]PlatformLimits, error) {
	answer, err := read[api.PlatformsAnswer](p.api.get(ctx, nil, "platforms"))
	if err != nil {
		return nil, err
	}
	return answer.Platforms, nil
}

// Get returns what a platform takes: of the account with an id, or without one of an account of
// which nothing else is known.
func (p *PlatformService) Get(ctx context.Context, platform Platform, accountID string) (*PlatformLimits, error) {
	answer, err := read[api.PlatformAnswer](p.api.get(ctx, &api.GetPlatformParams{AccountID: optional(accountID)}, "platforms", string(platform)))
	if err != nil {
		return nil, err
	}
	return &answer.Platform, nil
}
