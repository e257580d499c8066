package webhooks

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
	"crier/schema/lists"
	"crier/schema/people"
)

const recentDeliveries = 50

// Store is all that webhooks ask of the database.
type Store interface {
	reader
	writer
	redeliverer
}

type reader interface {
	Webhooks(ctx context.Context, workspace schema.WorkspaceID) ([]schema.Webhook, error)
	Webhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) (schema.Webhook, error)
	// Deliveries returns a webhook and deliveries to it, newest first, as they stand at one
	// moment.
	Deliveries(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, filter schema.DeliveryFilter) (schema.Webhook, []schema.DeliveryRecord, error)
	// Delivery returns one, with its body.
	Delivery(ctx context.Context, workspace schema.WorkspaceID, webhook schema.WebhookID, id schema.DeliveryID) (schema.DeliveryRecord, error)
}

// writer creates and changes webhooks.
type writer interface {
	CreateWebhook(ctx context.Context, webhook schema.Webhook) error
	// UpdateWebhook runs change on the locked webhook and stores what it made of it.
	UpdateWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, change func(*schema.Webhook) error) (schema.Webhook, error)
	// RotateSecret replaces the secret; the one before signs too for the overlap.
	RotateSecret(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID, secret string, overlap time.Duration) (schema.Webhook, error)
	// DeleteWebhook removes a webhook with its pending deliveries.
	DeleteWebhook(ctx context.Context, workspace schema.WorkspaceID, id schema.WebhookID) error
}

// Config is what webhooks and events are served with.
type Config struct {
	Store  Store
	Events EventReader
	Sender TestSender
	// Refuses tells why crier must not call an address; empty: it may.
	Refuses      func(ctx context.Context, address string) string
	AllowPrivate bool // http and addresses that are not public
	Now          func() time.Time
	Random       io.Reader
}

// Routes returns the operations of webhooks, their deliveries and events.
func Routes(c Config) []admission.Route {
	return append((&webhooks{c}).routes(), (&events{c.Events}).routes()...)
}

// webhooks is the resource of webhooks.
type webhooks struct{ Config }

func (w *webhooks) routes() []admission.Route {
	return []admission.Route{
		admission.Handle(http.MethodPost, "/webhooks", schema.Write, body.WithForm(w.create)).For(people.Admin),
		admission.Handle(http.MethodGet, "/webhooks", schema.Read, w.list).For(people.Admin),
		admission.Handle(http.MethodGet, "/webhooks/:id", schema.Read, body.WithID("webhook", w.get)).For(people.Admin),
		admission.Handle(http.MethodPatch, "/webhooks/:id", schema.Write, body.WithIDForm("webhook", w.update)).For(people.Admin),
		admission.Handle(http.MethodDelete, "/webhooks/:id", schema.Write, body.WithID("webhook", w.delete)).For(people.Admin),
		admission.Handle(http.MethodPost, "/webhooks/:id/test", schema.Write, body.WithID("webhook", w.test)).For(people.Admin),
		admission.Handle(http.MethodPost, "/webhooks/:id/rotate-secret", schema.Write, body.WithID("webhook", w.rotateSecret)).For(people.Admin),
		admission.Handle(http.MethodPost, "/webhooks/:id/redeliver", schema.Write, body.WithIDForm("webhook", w.redeliverFailed)).For(people.Admin),
		admission.Handle(http.MethodGet, "/webhooks/:id/deliveries", schema.Read, body.WithID("webhook", w.searchDeliveries)).For(people.Admin),
		admission.Handle(http.MethodGet, "/webhooks/:id/deliveries/:deliveryId", schema.Read, body.WithID("webhook", w.delivery)).For(people.Admin),
		admission.Handle(http.MethodPost, "/webhooks/:id/deliveries/:deliveryId/redeliver", schema.Write, body.WithID("webhook", w.redeliver)).For(people.Admin),
	}
}

// webhookFields is what a request says about a webhook; nil stands for a field it does
// not name.
type webhookFields struct {
	url    *string
	events []schema.EventType
	active *bool
	since  time.Time // what failed since is to be sent again; zero: nothing
}

// create makes a webhook and shows its secret, this once.
func (w *webhooks) create(c *gin.Context, f *body.Form) error {
	fields := webhookFields{url: body.Optional(f.Text("url", body.MaxURL)), events: readEvents(f)}
	f.Require("url")
	requireEvent(f, "events")
	f.NoteUnread()
	w.checkAddress(c.Request.Context(), fields, f.Report)
	if err := f.Report.Err(); err != nil {
		return err
	}
	secret, err := newSecret(w.Random)
	if err != nil {
		return err
	}
	now := w.Now().UTC().Truncate(time.Millisecond)
	webhook := schema.Webhook{
		ID: schema.NewID[schema.WebhookID](now), Workspace: admission.RequestOf(c).Key.Workspace,
		URL: *fields.url, Events: fields.events, Secret: secret, Active: true, CreatedAt: now,
	}
	if err := w.Store.CreateWebhook(c.Request.Context(), webhook); err != nil {
		return err
	}
	return w.showSecret(c, http.StatusCreated, webhook, f.Report.Warnings)
}

// update changes what a request names of a webhook. Activating one forgets its
// failures, and may have sent again what it missed.
func (w *webhooks) update(c *gin.Context, id schema.WebhookID, f *body.Form) error {
	fields := webhookFields{url: body.Optional(f.Text("url", body.MaxURL)), events: readEvents(f)}
	if active, ok := f.Boolean("isActive"); ok {
		fields.active = &active
	}
	if fields.since = f.Time("redeliverSince"); fields.since.After(w.Now()) {
		f.Fail("redeliverSince", body.CodeInvalidValue, "must not be in the future")
	}
	f.NoteUnread()
	w.checkAddress(c.Request.Context(), fields, f.Report)
	if err := f.Report.Err(); err != nil {
		return err
	}
	webhook, err := w.Store.UpdateWebhook(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, fields.apply)
	if err != nil {
		return err
	}
	views := map[string]any{"webhook": viewWebhook(webhook, w.Now())}
	if since := webhook.RedeliverSince; !since.IsZero() { // the change asked for what failed to be sent again
		views["redeliveringSince"] = answer.Moment(since)
	}
	return answer.Several(c, http.StatusOK, views, f.Report.Warnings)
}

func (f webhookFields) apply(w *schema.Webhook) error {
	w.RedeliverSince = f.since
	if f.url != nil {
		w.URL = *f.url
	}
	if f.events != nil {
		w.Events = f.events
	}
	if f.active == nil {
		return nil
	}
	w.Active = *f.active
	if w.Active {
		w.ConsecutiveFailures, w.DisabledAt, w.DisabledReason = 0, time.Time{}, ""
	}
	return nil
}

// delete removes a webhook; its deliveries stop at once.
func (w *webhooks) delete(c *gin.Context, id schema.WebhookID) error {
	return admission.Remove(c, id, w.Store.DeleteWebhook, "the webhook was deleted; nothing more is delivered to it")
}

// list answers with all webhooks of a workspace.
func (w *webhooks) list(c *gin.Context) error {
	found, err := w.Store.Webhooks(c.Request.Context(), admission.RequestOf(c).Key.Workspace)
	if err != nil {
		return err
	}
	views := lists.Map(found, func(webhook schema.Webhook) webhookView { return viewWebhook(webhook, w.Now()) })
	return answer.Named(c, http.StatusOK, "webhooks", views, nil)
}

// get answers with one webhook and its last deliveries.
func (w *webhooks) get(c *gin.Context, id schema.WebhookID) error {
	warnings, err := body.NoParameters(c)
	if err != nil {
		return err
	}
	webhook, records, err := w.Store.Deliveries(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, schema.DeliveryFilter{Tried: true, Limit: recentDeliveries})
	if err != nil {
		return err
	}
	views := map[string]any{"webhook": viewWebhook(webhook, w.Now()), "deliveries": lists.Map(records, viewDelivery)}
	return answer.Several(c, http.StatusOK, views, warnings)
}

func readEvents(f *body.Form) []schema.EventType {
	items, ok := f.List("events", 10*len(schema.EventTypes()))
	if !ok {
		return nil
	}
	events := make([]schema.EventType, 0, len(items))
	for i, item := range items {
		event := schema.EventType(item.Text)
		switch {
		case item.Kind != body.Text:
			f.Fail(body.Indexed("events", i), body.CodeInvalidType, f.Report.Wrong(item, body.Text))
		case !event.Subscribable():
			f.Fail(body.Indexed("events", i), body.CodeInvalidValue, noEvent(item.Text))
		case !slices.Contains(events, event):
			events = append(events, event)
		}
	}
	if len(items) == 0 {
		f.Fail("events", body.CodeRequired, eventMessage())
	}
	return events
}

// requireEvent is Form.Require for a field of events.
func requireEvent(f *body.Form, field string) {
	if _, there := f.Find(field); !there {
		f.Fail(field, body.CodeRequired, eventMessage())
	}
}

func eventMessage() string { return "an event is required, of " + schema.EventNames() }

// noEvent is the message for a name that is not an event's.
func noEvent(name string) string {
	return fmt.Sprintf("%q is no event: %s are", body.Clip(name), schema.EventNames())
}

// checkAddress refuses what is not https or not public, unless that is allowed.
func (w *webhooks) checkAddress(ctx context.Context, fields webhookFields, r *body.Report) {
	if fields.url == nil {
		return
	}
	u, err := url.Parse(*fields.url)
	secure := err == nil && (u.Scheme == "https" || (w.AllowPrivate && u.Scheme == "http"))
	if !secure || u.Hostname() == "" || u.User != nil {
		r.Fail("url", body.CodeInvalidURL, "must be a publicly reachable https URL without a user part")
		return
	}
	if w.AllowPrivate {
		return
	}
	if why := w.Refuses(ctx, *fields.url); why != "" {
		r.Fail("url", body.CodeInvalidURL, "must be a publicly reachable https URL: "+why)
	}
}
