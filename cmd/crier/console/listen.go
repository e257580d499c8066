package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"crier/client"
	"crier/client/webhook"
)

// Webhooks are the commands about webhooks.
type Webhooks struct {
	Listen WebhooksListen `cmd:"" help:"Show events as they are delivered: a receiver here, with a webhook that is removed at the end."`
}

// WebhooksListen receives events.
type WebhooksListen struct {
	Access
	Shape
	Event     []string `env:"-" help:"An event such as post.published; may be repeated. All when it is left out."`
	Listen    string   `default:"127.0.0.1:0" env:"-" help:"Address to receive at."`
	PublicURL string   `env:"-" help:"Where the server reaches it, such as a tunnel's address; by default the address itself." placeholder:"URL"`
}

// parting is how long the end of a webhook may take.
const parting = 5 * time.Second

// Run receives until it is interrupted, which is no error, and removes the webhook.
func (w *WebhooksListen) Run(ctx context.Context, t *Terminal, c *client.Client) (err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", w.Listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	handler := &deliveries{terminal: t, shape: w.Shape}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: parting}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() { err = errors.Join(err, server.Close()) }()
	address := w.PublicURL
	if address == "" {
		address = "http://" + listener.Addr().String()
	}
	hook, err := c.Webhooks.Create(ctx, address, w.events()...)
	if err != nil {
		return w.explained(err)
	}
	defer func() { err = errors.Join(err, remove(context.WithoutCancel(ctx), t, c, hook.ID)) }()
	handler.begin(hook.Secret)
	fmt.Fprintf(t.Err, "%s delivers to %s; Ctrl-C ends and removes it.\n", hook.ID, address)
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		return fmt.Errorf("receiving: %w", err)
	}
}

// remove ends the webhook though the command was interrupted.
func remove(ctx context.Context, t *Terminal, c *client.Client, id string) error {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	if err := c.Webhooks.Delete(ctx, id); err != nil {
		return fmt.Errorf("the webhook %s was not removed: %w", id, err)
	}
	fmt.Fprintln(t.Err, id, "is removed.")
	return nil
}

func (w *WebhooksListen) events() []client.EventName {
	if len(w.Event) == 0 {
		return client.EveryEvent()
	}
	names := make([]client.EventName, len(w.Event))
	for i, name := range w.Event {
		names[i] = client.EventName(name)
	}
	return names
}

// explained says what to do about a receiver that the server does not take.
func (w *WebhooksListen) explained(err error) error {
	refused, ok := errors.AsType[*client.Error](err)
	if ok && w.PublicURL == "" && refused.Status == http.StatusBadRequest && len(refused.Details) > 0 && refused.Details[0].Field == "url" {
		return fmt.Errorf("%w\nThe server does not deliver to this machine: name a tunnel by --public-url, or start a server of your own with --allow-private-webhooks", err)
	}
	return err
}

// deliveries shows what comes. What comes before the secret is known waits for it.
type deliveries struct {
	terminal *Terminal
	shape    Shape

	mu      sync.Mutex
	handler http.Handler
}

func (d *deliveries) begin(secret string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handler = webhook.Verifier{Secret: secret}.Handler(d.show)
}

// ServeHTTP shows a delivery if it is signed; the server sends again what comes too early.
func (d *deliveries) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	d.mu.Lock()
	handler := d.handler
	d.mu.Unlock()
	if handler == nil {
		http.Error(w, "not yet", http.StatusServiceUnavailable)
		return
	}
	recorder := &answered{ResponseWriter: w}
	handler.ServeHTTP(recorder, request)
	if recorder.status == http.StatusUnauthorized {
		fmt.Fprintf(d.terminal.Err, "refused: a request of %s that is not signed with the webhook's secret, or too old\n", request.RemoteAddr)
	}
}

// answered keeps how a request was answered.
type answered struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (d *deliveries) show(_ context.Context, e *client.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shape.JSON {
		return d.terminal.object(e)
	}
	test := ""
	if e.Test {
		test = "  (test)"
	}
	_, err := fmt.Fprintf(d.terminal.Out, "%s  verified  %-28s  %s%s\n", e.CreatedAt.Local().Format("15:04:05"), e.Name, aboutEvent(e), test)
	return err
}

// aboutEvent is what an event is about, in a line.
func aboutEvent(e *client.Event) string {
	switch data := e.Data.(type) {
	case client.PostData:
		return data.Post.ID + "  " + placesOf(data.Post.Platforms)
	case client.ThreadData:
		return data.Thread.ID + "  " + placesOf(data.Thread.Platforms)
	case client.AccountData:
		return fmt.Sprintf("%s  %s %s", data.Account.ID, data.Account.Platform, data.Account.Name)
	case client.WebhookData:
		return data.Webhook.ID + "  " + data.Webhook.DisabledReason
	case client.FeedData:
		return fmt.Sprintf("%s  %s: %d found", data.Monitor.ID, data.Monitor.Name, len(data.Items))
	case client.ItemData:
		return fmt.Sprintf("%s  %s %s: %s", data.Item.ID, data.Item.Platform, authorOf(data.Item.Author), brief(data.Item.Text))
	default:
		return e.ID
	}
}

// authorOf names who wrote something, as far as it is known.
func authorOf(a client.Author) string { return brief(cmp.Or(a.Handle, a.Name, a.ID, "-")) }

func placesOf(platforms []client.EventPlatform) string {
	var places []string
	for _, p := range platforms {
		place := string(p.Platform) + ":" + string(p.Status)
		if p.URL != "" {
			place += " " + p.URL
		}
		if p.Error != nil {
			place += " " + p.Error.Code
		}
		places = append(places, place)
	}
	return strings.Join(places, ", ")
}
