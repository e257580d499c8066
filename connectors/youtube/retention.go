package youtube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"crier/connectors"
)

const (
	opReport    = "reports.query"
	reportsHost = "https://youtubeanalytics.googleapis.com"
)

// What a report of retention has a row of: a hundredth of the video each
// (developers.google.com/youtube/analytics/channel_reports).
const (
	elapsed  = "elapsedVideoTimeRatio"
	watching = "audienceWatchRatio"
)

// Retention asks the Analytics API, which has a quota of its own. Its days are Pacific ones, and its
// figures two or three days old.
func (c *Connector) Retention(ctx context.Context, r connectors.Reading, video string, since time.Time) ([]connectors.RetentionPoint, error) {
	call := connectors.Call{
		Operation: opReport, Method: http.MethodGet, URL: c.reports + "/v2/reports", Token: r.Credentials.AccessToken, Account: r.Account.ID,
		Kind: connectors.Read, Reservation: r.Reservation,
		Query: url.Values{
			"ids": {"channel==MINE"}, "startDate": {since.UTC().AddDate(0, 0, -1).Format(time.DateOnly)}, "endDate": {c.now().UTC().Format(time.DateOnly)},
			"metrics": {watching}, "dimensions": {elapsed}, "filters": {"video==" + video}, "sort": {elapsed},
		},
	}
	type header struct {
		Name string `json:"name"`
	}
	var table struct {
		Columns []header    `json:"columnHeaders"`
		Rows    [][]float64 `json:"rows"`
	}
	if _, err := c.client.Do(ctx, call, &table); err != nil {
		return nil, fmt.Errorf("reading retention: %w", err)
	}
	at, share := slices.Index(table.Columns, header{elapsed}), slices.Index(table.Columns, header{watching})
	var points []connectors.RetentionPoint
	for _, row := range table.Rows {
		if at < 0 || share < 0 || len(row) != len(table.Columns) {
			return nil, platform.Strange("is no report of retention")
		}
		points = append(points, connectors.RetentionPoint{Elapsed: row[at], Watching: row[share]})
	}
	return points, nil
}
