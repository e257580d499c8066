package client

import (
	"context"
	"time"

	"crier/client/internal/api"

	"github.com/oapi-codegen/runtime/types"
)

// UsageService says what is used, and what came of it.
type UsageService struct{ api *api.Client }

// Get says what is used of the workspace's plan, and of the key's minute.
func (u *UsageService) Get(ctx context.Context) (*UsageReport, error) {
	answer, err := read[api.UsageAnswer](u.api.GetUsage(ctx))
	if err != nil {
		return nil, err
	}
	return &answer.Usage, nil
}

// PostCountFilter selects what is counted; what is zero selects what the server does by default.
type PostCountFilter struct {
	From, To  time.Time // days, in UTC, both included
	Platform  Platform
	AccountID string
}

// Posts counts what was posted and what failed, by day and platform.
func (u *UsageService) Posts(ctx context.Context, filter PostCountFilter) ([]PostCount, error) {
	answer, err := read[api.PostCountsAnswer](u.api.CountPosts(ctx, &api.CountPostsParams{
		From: day(filter.From), To: day(filter.To), Platform: optional(filter.Platform), AccountID: optional(filter.AccountID),
	}))
	if err != nil {
		return nil, err
	}
	return answer.Counts, nil
}

func day(at time.Time) *types.Date {
	if at.IsZero() {
		return nil
	}
	return &types.Date{Time: at.UTC()}
}
