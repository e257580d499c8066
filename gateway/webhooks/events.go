package webhooks

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

// EventReader reads what happened.
type EventReader interface {
	// Events returns a page of a workspace's events. Whoever goes on after the last of each
	// page gets every event once.
	Events(ctx context.Context, workspace schema.WorkspaceID, query schema.EventQuery) (schema.EventPage, error)
}

// events is the resource of what happened.
type events struct{ reader EventReader }

func (e *events) routes() []admission.Route {
	return []admission.Route{admission.Handle(http.MethodGet, "/events", schema.Read, e.list)}
}

type eventsResponse struct {
	Success bool                    `json:"success"`
	Events  []schema.WebhookPayload `json:"events"`
	// NextCursor is the after of the next request; null before the first event.
	NextCursor    *schema.EventID `json:"nextCursor"`
	HasMore       bool            `json:"hasMore"`
	CompleteUntil *answer.Moment  `json:"completeUntil"` // null while there is more
	Warnings      []schema.Detail `json:"warnings,omitempty"`
}

// list answers with the events after one, as webhooks deliver them.
func (e *events) list(c *gin.Context) error {
	q := body.NewQuery(c)
	query := schema.EventQuery{Types: readEventTypes(q), Limit: q.Integer("limit", body.DefaultLimit, body.MaxLimit)}
	if after, ok := q.Text("after"); ok {
		id, err := schema.ParseID[schema.EventID](after)
		if err != nil {
			q.Report.Fail("after", body.CodeInvalidValue, "must be the id of an event")
		}
		query.After = id
	}
	if err := q.Finish(); err != nil {
		return err
	}
	page, err := e.reader.Events(c.Request.Context(), admission.RequestOf(c).Key.Workspace, query)
	if err != nil {
		return err
	}
	reply := viewEvents(query.After, page)
	reply.Warnings = q.Report.Warnings
	return answer.JSON(c, http.StatusOK, reply)
}

func viewEvents(after schema.EventID, page schema.EventPage) eventsResponse {
	reply := eventsResponse{Success: true, Events: make([]schema.WebhookPayload, len(page.Events)), HasMore: page.More}
	for i, e := range page.Events {
		reply.Events[i] = page.Events[i].Payload()
		after = e.ID
	}
	if !after.IsZero() {
		reply.NextCursor = &after
	}
	if !page.More {
		reply.CompleteUntil = answer.MomentOrNull(page.CompleteUntil.Truncate(time.Millisecond))
	}
	return reply
}

// readEventTypes returns the events that the parameter type names, with commas between them or each
// by itself; all of them where there is none.
func readEventTypes(q *body.Query) []schema.EventType {
	var types []schema.EventType
	for value := range strings.SplitSeq(strings.Join(q.All("type"), ","), ",") {
		t := schema.EventType(strings.TrimSpace(value))
		if t == "" {
			continue
		}
		if !t.Subscribable() {
			q.Report.Fail("type", body.CodeInvalidValue, noEvent(string(t)))
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
