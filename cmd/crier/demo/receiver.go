package demo

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"crier/client"
)

// receiver takes webhooks on loopback and checks their signature.
type receiver struct {
	id     string // of the webhook
	secret string
	server *http.Server
	bodies chan []byte
	faults chan error
}

// subscribe starts a receiver and makes a webhook for it.
func (s *show) subscribe(ctx context.Context) (*receiver, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{bodies: make(chan []byte, 16), faults: make(chan error, 16)}
	answer, err := s.api.CreateWebhookWithResponse(ctx, client.WebhookCreate{
		Url: "http://" + listener.Addr().String() + "/hook", Events: []client.EventName{client.EventNamePostPublished},
	})
	if err == nil && answer.JSON201 == nil {
		err = fmt.Errorf("creating a webhook: %w (the demo needs --allow-private-webhooks)", client.ErrorOf(answer.StatusCode(), answer.Body))
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	r.id, r.secret = answer.JSON201.Webhook.Id, orEmpty(answer.JSON201.Webhook.Secret)
	r.server = &http.Server{Handler: http.HandlerFunc(r.receive), ReadHeaderTimeout: 5 * time.Second}
	go r.server.Serve(listener) //nolint:errcheck // ends with unsubscribe
	return r, nil
}

func (r *receiver) receive(_ http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 1<<20))
	if err == nil && !verified(request.Header.Get("X-Webhook-Signature"), r.secret, body) {
		err = errors.New("the webhook's signature is not ours")
	}
	if err != nil {
		r.faults <- err
		return
	}
	r.bodies <- body
}

// verified checks X-Webhook-Signature as a receiver would.
func verified(header, secret string, body []byte) bool {
	at, signature, ok := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	m := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(m, "%s.%s", at, body)
	given, err := hex.DecodeString(signature)
	return ok && err == nil && hmac.Equal(given, m.Sum(nil))
}

func (r *receiver) received(post string) (bool, error) {
	select {
	case err := <-r.faults:
		return false, err
	case body := <-r.bodies:
		return bytes.Contains(body, []byte(post)), nil
	default:
		return false, nil
	}
}

// unsubscribe removes the webhook, so that the next run's is the only one.
func (s *show) unsubscribe(r *receiver) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	answer, err := s.api.DeleteWebhookWithResponse(ctx, r.id)
	if err == nil && answer.JSON200 == nil {
		err = client.ErrorOf(answer.StatusCode(), answer.Body)
	}
	if err != nil {
		s.say("the webhook was not removed: %v", err)
	}
	_ = r.server.Close()
}
