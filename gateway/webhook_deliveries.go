package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
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

type deliveriesAnswer struct {
	Success    bool               `json:"success"`
	Deliveries []deliveryView     `json:"deliveries"`
	NextCursor *schema.DeliveryID `json:"nextCursor"`
	HasMore    bool               `json:"hasMore"`
}

type deliveryAnswer struct {
	Success  bool         `json:"success"`
	Delivery deliveryView `json:"delivery"`
}

// deliveryDetailAnswer is one delivery with what is sent.
type deliveryDetailAnswer struct {
	Success  bool `json:"success"`
	Delivery struct {
		deliveryView
		Body json.RawMessage `json:"body"`
	} `json:"delivery"`
}

type redeliveredAnswer struct {
	Success     bool            `json:"success"`
	Redelivered int             `json:"redelivered"`
	HasMore     bool            `json:"hasMore"`
	Warnings    []schema.Detail `json:"warnings,omitempty"`
}

// searchDeliveries answers with the deliveries to a webhook that the query selects.
func (w *webhooks) searchDeliveries(c *gin.Context) error {
	id, err := webhookID(c)
	if err != nil {
		return err
	}
	q := newQuery(c)
	filter := readDeliveryFilter(q)
	if err := q.report.err(); err != nil {
		return err
	}
	limit := filter.Limit
	filter.Limit++
	_, records, err := w.Store.Deliveries(c.Request.Context(), requestOf(c).key.Workspace, id, filter)
	if err != nil {
		return err
	}
	answer := deliveriesAnswer{Success: true, HasMore: len(records) > limit}
	answer.Deliveries = viewDeliveries(records[:min(limit, len(records))])
	if answer.HasMore {
		answer.NextCursor = &records[limit-1].ID
	}
	respond(c, http.StatusOK, answer)
	return nil
}

func readDeliveryFilter(q *query) schema.DeliveryFilter {
	filter := schema.DeliveryFilter{
		After: q.time("after"), Before: q.time("before"), Limit: q.integer("limit", defaultLimit, maxLimit),
	}
	if status, ok := q.word("status"); ok {
		filter.States = deliveryStates(status)
		if filter.States == nil {
			q.report.fail("status", codeInvalidValue, "must be pending, delivered or failed")
		}
	}
	if event, ok := q.word("event"); ok {
		filter.Event = schema.EventType(event)
		if !filter.Event.Subscribable() {
			q.report.fail("event", codeInvalidValue, fmt.Sprintf("%q is no event", clip(event)))
		}
	}
	var err error
	if id, ok := q.word("eventId"); ok {
		if filter.EventID, err = schema.ParseEventID(id); err != nil {
			q.report.fail("eventId", codeInvalidValue, "must be the id of an event")
		}
	}
	if id, ok := q.text("cursor"); ok {
		if filter.Below, err = schema.ParseDeliveryID(id); err != nil {
			q.report.fail("cursor", codeInvalidValue, "must be the nextCursor of the page before")
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
func (w *webhooks) delivery(c *gin.Context) error {
	webhook, delivery, err := deliveryID(c)
	if err != nil {
		return err
	}
	record, err := w.Store.Delivery(c.Request.Context(), requestOf(c).key.Workspace, webhook, delivery)
	if err != nil {
		return err
	}
	answer := deliveryDetailAnswer{Success: true}
	answer.Delivery.deliveryView, answer.Delivery.Body = viewDelivery(record), record.Body
	respond(c, http.StatusOK, answer)
	return nil
}

// redeliver sends an event again, with the same id and body.
func (w *webhooks) redeliver(c *gin.Context) error {
	webhook, delivery, err := deliveryID(c)
	if err != nil {
		return err
	}
	record, err := w.Store.Redeliver(c.Request.Context(), requestOf(c).key.Workspace, webhook, delivery)
	if err != nil {
		return err
	}
	respond(c, http.StatusAccepted, deliveryAnswer{Success: true, Delivery: viewDelivery(record)})
	return nil
}

// redeliverFailed sends all events of a time again whose delivery failed.
func (w *webhooks) redeliverFailed(c *gin.Context) error {
	id, err := webhookID(c)
	if err != nil {
		return err
	}
	f, err := readForm(c)
	if err != nil {
		return err
	}
	since, until := f.time("since"), f.time("until")
	f.require("since")
	if status, ok := f.text("status", maxShort); ok && status != schema.DeliveryFailed.String() {
		f.fail("status", codeInvalidValue, "must be failed: only failed deliveries are sent again together")
	}
	if !until.IsZero() && until.Before(since) {
		f.fail("until", codeInvalidValue, "must not be before since")
	}
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	if until.IsZero() {
		until = w.Now().Add(time.Millisecond)
	}
	n, more, err := w.Store.RedeliverFailed(c.Request.Context(), requestOf(c).key.Workspace, id, since, until)
	if err != nil {
		return err
	}
	respond(c, http.StatusAccepted, redeliveredAnswer{Success: true, Redelivered: n, HasMore: more, Warnings: f.report.warnings})
	return nil
}

func deliveryID(c *gin.Context) (schema.WebhookID, schema.DeliveryID, error) {
	webhook, err := webhookID(c)
	if err != nil {
		return webhook, schema.DeliveryID{}, err
	}
	delivery, err := schema.ParseDeliveryID(c.Param("deliveryId"))
	if err != nil {
		return webhook, delivery, &schema.Error{Kind: schema.NotFound, Message: "delivery not found", Err: err}
	}
	return webhook, delivery, nil
}
