package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"crier/client"
	"crier/client/webhook"
)

// receiver takes webhooks on loopback and checks their signature.
type receiver struct {
	id     string // of the webhook
	server *http.Server
	events chan *client.Event
}

// subscribe starts a receiver and makes a webhook for it.
func (s *show) subscribe(ctx context.Context) (*receiver, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	hook, err := s.api.Webhooks.Create(ctx, "http://"+listener.Addr().String()+"/hook", client.EventPostPublished)
	if err != nil {
		err = fmt.Errorf("creating a webhook: %w (the demo needs --allow-private-webhooks)", err)
		return nil, errors.Join(err, listener.Close())
	}
	r := &receiver{id: hook.ID, events: make(chan *client.Event, 16)}
	verified := webhook.Verifier{Secret: hook.Secret}.Handler(func(_ context.Context, e *client.Event) error {
		r.events <- e
		return nil
	})
	r.server = &http.Server{Handler: verified, ReadHeaderTimeout: 5 * time.Second}
	go r.server.Serve(listener) //nolint:errcheck // ends with unsubscribe
	return r, nil
}

// received reports whether the event of a post has come, its signature verified.
func (r *receiver) received(post string) (bool, error) {
	select {
	case event := <-r.events:
		data, ok := event.Data.(client.PostData)
		return ok && data.Post.ID == post, nil
	default:
		return false, nil
	}
}

// unsubscribe removes the webhook, so that the next run's is the only one.
func (s *show) unsubscribe(r *receiver) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.api.Webhooks.Delete(ctx, r.id); err != nil {
		s.say("the webhook was not removed: %v", err)
	}
	_ = r.server.Close()
}
