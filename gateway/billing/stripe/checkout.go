package stripe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"crier/schema"
)

const (
	// version pins what requests and answers look like (docs.stripe.com/api/versioning).
	version = "2025-09-30.clover"

	checkoutTimeout = 10 * time.Second
	maxAnswer       = 1 << 20 // bytes
	retryCheckout   = 10 * time.Second
)

// The names under which a session and its subscription say what they are for.
const (
	metadataWorkspace = "crier_workspace"
	metadataPlan      = "crier_plan"
)

// Checkout makes a checkout session for a subscription and returns its page, which works
// for a day. The same purchase gets the same session: Stripe answers a repeated
// Idempotency-Key as it did at first for at least a day, whatever it answered
// (docs.stripe.com/api/checkout/sessions/create, docs.stripe.com/api/idempotent_requests).
// Any error is Unavailable.
func (s *Client) Checkout(ctx context.Context, purchase schema.Purchase) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, checkoutTimeout)
	defer cancel()
	page, err := s.createSession(ctx, purchase)
	if err != nil {
		return "", &schema.Error{
			Kind: schema.Unavailable, RetryAfter: retryCheckout, Err: fmt.Errorf("creating a checkout session: %w", err),
			Message: "the payment provider cannot answer at the moment; the same request may be sent again",
		}
	}
	return page, nil
}

func (s *Client) createSession(ctx context.Context, purchase schema.Purchase) (string, error) {
	form := s.sessionOf(purchase).Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.BaseURL+"/v1/checkout/sessions", strings.NewReader(form))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+s.config.Key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Stripe-Version", version)
	request.Header.Set("Idempotency-Key", idempotencyKey(purchase, form))
	response, err := s.config.HTTP.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", refusal(response, body)
	}
	return pageOf(body)
}

// sessionOf repeats the metadata on the subscription, whose end tells of itself alone.
func (s *Client) sessionOf(purchase schema.Purchase) url.Values {
	workspace := purchase.Workspace.String()
	return url.Values{
		"mode":                                {"subscription"},
		"line_items[0][price]":                {s.config.Prices[purchase.Plan]},
		"line_items[0][quantity]":             {"1"},
		"client_reference_id":                 {workspace},
		"success_url":                         {s.config.SuccessURL},
		"cancel_url":                          {s.config.CancelURL},
		"metadata[" + metadataWorkspace + "]": {workspace},
		"metadata[" + metadataPlan + "]":      {purchase.Plan},
		"subscription_data[metadata][" + metadataWorkspace + "]": {workspace},
		"subscription_data[metadata][" + metadataPlan + "]":      {purchase.Plan},
	}
}

// idempotencyKey names a request and all that it asks for: Stripe refuses a key that comes
// again with another form.
func idempotencyKey(purchase schema.Purchase, form string) string {
	sum := sha256.Sum256([]byte(purchase.Request + "\n" + form))
	return "crier-" + hex.EncodeToString(sum[:])
}

// pageOf reads where a session is paid.
func pageOf(body []byte) (string, error) {
	var session struct{ URL string }
	if err := json.Unmarshal(body, &session); err != nil {
		return "", fmt.Errorf("decoding the answer: %w", err)
	}
	if session.URL == "" {
		return "", errors.New("the session has no url")
	}
	return session.URL, nil
}

// refusal says why Stripe refused, for the log. Stripe's message stays out: it may repeat a
// part of the key (docs.stripe.com/api/errors).
func refusal(response *http.Response, body []byte) error {
	var answer struct {
		Error struct{ Type, Code, Param string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("status %d of Stripe without JSON", response.StatusCode)
	}
	return fmt.Errorf("status %d of Stripe: type %q, code %q, parameter %q, request %q",
		response.StatusCode, answer.Error.Type, answer.Error.Code, answer.Error.Param, response.Header.Get("Request-Id"))
}
