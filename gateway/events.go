package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
)

// eventReader reads what happened.
type eventReader interface {
	// Events returns a page of a workspace's events. Whoever goes on after the last of each
	// page gets every event once.
	Events(ctx context.Context, workspace schema.WorkspaceID, query schema.EventQuery) (schema.EventPage, error)
}

// events is the resource of what happened.
type events struct{ reader eventReader }

func (e *events) routes() []route {
	return []route{handle(http.MethodGet, "/events", schema.Read, e.list)}
}

type eventsAnswer struct {
	Success bool                    `json:"success"`
	Events  []schema.WebhookPayload `json:"events"`
	// NextCursor is the after of the next request; null before the first event.
	NextCursor    *schema.EventID `json:"nextCursor"`
	HasMore       bool            `json:"hasMore"`
	CompleteUntil *moment         `json:"completeUntil"` // null while there is more
}

// list answers with the events after one, as webhooks deliver them.
func (e *events) list(c *gin.Context) error {
	q := newQuery(c)
	query := schema.EventQuery{Types: readEventTypes(q), Limit: q.integer("limit", defaultLimit, maxLimit)}
	if after, ok := q.text("after"); ok {
		id, err := schema.ParseEventID(after)
		if err != nil {
			q.report.fail("after", codeInvalidValue, "must be the id of an event")
		}
		query.After = id
	}
	if err := q.report.err(); err != nil {
		return err
	}
	page, err := e.reader.Events(c.Request.Context(), requestOf(c).key.Workspace, query)
	if err != nil {
		return err
	}
	respond(c, http.StatusOK, viewEvents(query.After, page))
	return nil
}

func viewEvents(after schema.EventID, page schema.EventPage) eventsAnswer {
	answer := eventsAnswer{Success: true, Events: make([]schema.WebhookPayload, len(page.Events)), HasMore: page.More}
	for i, e := range page.Events {
		answer.Events[i] = page.Events[i].Payload()
		after = e.ID
	}
	if !after.IsZero() {
		answer.NextCursor = &after
	}
	if !page.More {
		answer.CompleteUntil = orNull(page.CompleteUntil.Truncate(time.Millisecond))
	}
	return answer
}

// readEventTypes returns the events that the parameter type names, with commas between them or each
// by itself; all of them where there is none.
func readEventTypes(q *query) []schema.EventType {
	var types []schema.EventType
	for value := range strings.SplitSeq(strings.Join(q.all("type"), ","), ",") {
		t := schema.EventType(strings.TrimSpace(value))
		if t == "" {
			continue
		}
		if !t.Subscribable() {
			q.report.fail("type", codeInvalidValue, fmt.Sprintf("%q is no event", clip(string(t))))
			return nil
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		return schema.EventTypes()
	}
	return types
}
