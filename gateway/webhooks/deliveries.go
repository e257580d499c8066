package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
)

// redeliverer sends events to a webhook again. Both are InvalidState while the webhook is
// paused or disabled.
type redeliverer interface {
	// Redeliver makes a new delivery of what another one sent, or returns the one that is
	// under way.
	Redeliver(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error)
	// RedeliverFailed does so for the events whose last delivery failed, of those queued
	// within a time; it returns how many, and whether there are more.
	RedeliverFailed(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, since, until time.Time) (n int, more bool, err error)
}

// deliveryDetailView is one delivery with what is sent.
type deliveryDetailView struct {
	deliveryView
	Body json.RawMessage `json:"body"`
}

// searchDeliveries answers with the deliveries to a webhook that the query selects.
func (w *webhooks) searchDeliveries(c *gin.Context, id schema.WebhookID) error {
	q := body.NewQuery(c)
	filter := readDeliveryFilter(q)
	if err := q.Finish(); err != nil {
		return err
	}
	limit := filter.Limit
	filter.Limit++
	_, records, err := w.Store.Deliveries(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, filter)
	if err != nil {
		return err
	}
	var next schema.DeliveryID
	more := len(records) > limit
	if more {
		records = records[:limit]
		next = records[limit-1].ID
	}
	views := map[string]any{"deliveries": lists.Map(records, viewDelivery), "nextCursor": answer.IDOrNull(next), "hasMore": more}
	return answer.Several(c, http.StatusOK, views, q.Report.Warnings)
}

func readDeliveryFilter(q *body.Query) schema.DeliveryFilter {
	filter := schema.DeliveryFilter{
		After: q.Time("after"), Before: q.Time("before"), Limit: q.Integer("limit", body.DefaultLimit, body.MaxLimit),
	}
	if status, ok := q.Word("status"); ok {
		filter.States = deliveryStates(status)
		if filter.States == nil {
			q.Report.Fail("status", body.CodeInvalidValue, "must be pending, delivered or failed")
		}
	}
	if event, ok := q.Word("event"); ok {
		filter.Event = schema.EventType(event)
		if !filter.Event.Subscribable() {
			q.Report.Fail("event", body.CodeInvalidValue, noEvent(event))
		}
	}
	var err error
	if id, ok := q.Word("eventId"); ok {
		if filter.EventID, err = schema.ParseID[schema.EventID](id); err != nil {
			q.Report.Fail("eventId", body.CodeInvalidValue, "must be the id of an event")
		}
	}
	if id, ok := q.Text("cursor"); ok {
		if filter.Below, err = schema.ParseID[schema.DeliveryID](id); err != nil {
			q.Report.Fail("cursor", body.CodeInvalidValue, "must be the nextCursor of the page before")
		}
	}
	return filter
}

// deliveryStates returns the states behind a status of the API; nil for no status.
func deliveryStates(status string) (states []schema.DeliveryState) {
	for s := schema.DeliveryPending; s <= schema.DeliveryFailed; s++ {
		if s.String() == status {
			states = append(states, s)
		}
	}
	return states
}

// delivery answers with one delivery and what it sends.
func (w *webhooks) delivery(c *gin.Context, webhook schema.WebhookID) error {
	delivery, err := body.PathID(c.Param("deliveryId"), "delivery", schema.ParseID[schema.DeliveryID])
	if err != nil {
		return err
	}
	record, err := w.Store.Delivery(c.Request.Context(), admission.RequestOf(c).Key.Workspace, webhook, delivery)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusOK, "delivery", deliveryDetailView{viewDelivery(record), record.Body}, nil)
}

// redeliver sends an event again, with the same id and body.
func (w *webhooks) redeliver(c *gin.Context, webhook schema.WebhookID) error {
	delivery, err := body.PathID(c.Param("deliveryId"), "delivery", schema.ParseID[schema.DeliveryID])
	if err != nil {
		return err
	}
	record, err := w.Store.Redeliver(c.Request.Context(), admission.RequestOf(c).Key.Workspace, webhook, delivery)
	if err != nil {
		return err
	}
	return answer.Named(c, http.StatusAccepted, "delivery", viewDelivery(record), nil)
}

// redeliverFailed sends all events of a time again whose delivery failed.
func (w *webhooks) redeliverFailed(c *gin.Context, id schema.WebhookID, f *body.Form) error {
	since, until := f.Time("since"), f.Time("until")
	f.Require("since")
	if status, ok := f.Text("status", body.MaxShort); ok && status != schema.DeliveryFailed.String() {
		f.Fail("status", body.CodeInvalidValue, "must be failed: only failed deliveries are sent again together")
	}
	if !until.IsZero() && until.Before(since) {
		f.Fail("until", body.CodeInvalidValue, "must not be before since")
	}
	if err := f.Finish(); err != nil {
		return err
	}
	if until.IsZero() {
		until = w.Now().Add(time.Millisecond)
	}
	n, more, err := w.Store.RedeliverFailed(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, since, until)
	if err != nil {
		return err
	}
	return answer.Several(c, http.StatusAccepted, map[string]any{"redelivered": n, "hasMore": more}, f.Report.Warnings)
}
