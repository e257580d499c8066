package feeds

import (
	"time"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// factsOf are what analytics stores of finds.
func factsOf(finds []*schema.Find, now time.Time) []schema.Event {
	facts := make([]schema.Event, len(finds))
	for i, f := range finds {
		facts[i] = schema.Event{
			ID: schema.NewID[schema.EventID](now), Type: schema.FactFeedItem, Workspace: f.Workspace, Platform: f.Platform, At: now, Data: db.Encode(f.Item),
		}
	}
	return facts
}

// maxItems is how many posts an event of a monitor tells of. Several follow each other where
// there are more.
const maxItems = 20

// matchesOf are what webhooks are told of finds: of each monitor together.
func matchesOf(finds []*schema.Find, now time.Time) []schema.Event {
	data := map[schema.MonitorID][]schema.FeedMatchedData{}
	workspaces := map[schema.MonitorID]schema.WorkspaceID{}
	var order []schema.MonitorID
	for _, f := range finds {
		id := f.Item.Monitor
		if workspaces[id].IsZero() {
			workspaces[id], order = f.Workspace, append(order, id)
		}
		of := data[id]
		if len(of) == 0 || len(of[len(of)-1].Items) == maxItems {
			of = append(of, schema.FeedMatchedData{Monitor: schema.FeedMonitor{ID: id, Name: f.Monitor}})
		}
		last := &of[len(of)-1]
		last.Items = append(last.Items, f.Item.Matched(f.Platform))
		data[id] = of
	}
	var events []schema.Event
	for _, id := range order {
		for _, matched := range data[id] {
			events = append(events, schema.Event{
				ID: schema.NewID[schema.EventID](now), Type: schema.FeedMatched, Workspace: workspaces[id], At: now, Data: db.Encode(matched),
			})
		}
	}
	return events
}
