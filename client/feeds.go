package client

import (
	"context"
	"iter"
	"time"

	"crier/client/internal/api"
)

type (
	// Monitor has crier look for keywords; to create one, leave its id and times empty.
	Monitor = api.Monitor
	// MonitorUpdate changes a monitor: what is nil stays as it is; a Language of "" is any.
	MonitorUpdate = api.MonitorUpdate
	// FeedItem is a public post.
	FeedItem = api.FeedItem
	// FeedAuthor is who wrote it, as far as the platform tells.
	FeedAuthor = api.FeedItem_Author
	// Profile is what a platform shows of somebody to everybody.
	Profile = api.PublicProfileResponse_Profile
)

// FeedService reads public posts and profiles.
type FeedService struct{ api *caller }

// Search says what public posts are asked for.
type Search struct {
	Platform  Platform // Bluesky or Threads
	Text      string
	Language  string    // ISO 639-1, of bluesky alone; empty: any
	Since     time.Time // written at or after it
	AccountID string    // for whom is searched; empty: the first account on the platform that works
	PageSize  int       // posts read by one request; 100 unless it is less
}

// Search iterates over the posts that a platform's search finds, the newest first.
func (f *FeedService) Search(ctx context.Context, search Search) iter.Seq2[*FeedItem, error] {
	params := api.SearchFeedParams{
		Platform: api.SearchFeedParamsPlatform(search.Platform), Q: search.Text, Language: optional(search.Language), Since: instant(search.Since),
		AccountID: optional(search.AccountID), Limit: pageSize(search.PageSize),
	}
	return pages(func(cursor string) (Page[FeedItem], error) {
		params.Cursor = optional(cursor)
		return part(feedPage)(f.api.get(ctx, &params, "feeds", "search"))
	})
}

func feedPage(r *api.FeedItemsResponse) Page[FeedItem] { return Page[FeedItem]{r.Items, r.NextCursor} }

// Profile reads what a platform shows of somebody to everybody; bluesky alone does. What it does
// not tell is nil or empty.
func (f *FeedService) Profile(ctx context.Context, platform Platform, handle string) (*Profile, error) {
	return part(func(r *api.PublicProfileResponse) *Profile { return &r.Profile })(f.api.get(ctx, &api.ReadPublicProfileParams{
		Platform: optional(api.ReadPublicProfileParamsPlatform(platform)), Handle: handle,
	}, "feeds", "profile"))
}

// MonitorService has crier look for keywords on public streams.
type MonitorService struct{ api *caller }

// Create makes a monitor, which finds what is written from now on.
func (m *MonitorService) Create(ctx context.Context, monitor Monitor) (*Monitor, error) {
	monitor.ID, monitor.CreatedAt, monitor.UpdatedAt = "", time.Time{}, time.Time{}
	return part(monitorOf)(m.api.post(ctx, monitor, "feeds", "keywords"))
}

// List iterates over the monitors, the oldest first.
func (m *MonitorService) List(ctx context.Context) iter.Seq2[*Monitor, error] {
	params := api.ListMonitorsParams{Limit: pageSize(0)}
	return pages(func(cursor string) (Page[Monitor], error) {
		params.Cursor = optional(cursor)
		return part(func(r *api.MonitorsResponse) Page[Monitor] { return Page[Monitor]{r.Monitors, r.NextCursor} })(
			m.api.get(ctx, &params, "feeds", "keywords"))
	})
}

// Get reads a monitor.
func (m *MonitorService) Get(ctx context.Context, id string) (*Monitor, error) {
	return part(monitorOf)(m.api.get(ctx, nil, "feeds", "keywords", id))
}

// Update changes a monitor; what it has found stays.
func (m *MonitorService) Update(ctx context.Context, id string, change MonitorUpdate) (*Monitor, error) {
	body := struct {
		MonitorUpdate

		Language any `json:"language,omitzero"`
	}{MonitorUpdate: change}
	if change.Language != nil {
		body.Language = optional(*change.Language) // null is any
	}
	return part(monitorOf)(m.api.patch(ctx, body, "feeds", "keywords", id))
}

// Delete ends a monitor.
func (m *MonitorService) Delete(ctx context.Context, id string) error {
	return done(m.api.delete(ctx, "feeds", "keywords", id))
}

// Items iterates over what a monitor has found, the newest first, some seconds after it was
// written.
func (m *MonitorService) Items(ctx context.Context, id string) iter.Seq2[*FeedItem, error] {
	params := api.ListMonitorItemsParams{Limit: pageSize(0)}
	return pages(func(cursor string) (Page[FeedItem], error) {
		params.Cursor = optional(cursor)
		return part(feedPage)(m.api.get(ctx, &params, "feeds", "keywords", id, "items"))
	})
}

func monitorOf(r *api.MonitorResponse) *Monitor { return &r.Monitor }
