package pipeline

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/schema"
)

// Sender makes the signed requests to webhooks.
type Sender struct {
	client *http.Client
	now    func() time.Time
}

// Request is one request to a webhook.
type Request struct {
	URL    string
	Secret string         // whsec_…
	ID     schema.EventID // the same for every try
	Body   []byte
}

const (
	sendTimeout   = 10 * time.Second // of a request, its answer included
	answerBound   = 64 << 10         // bytes of an answer that are read, so that its connection can be used again
	secretPrefix  = "whsec_"
	signedVersion = "v1"
)

// NewSender makes a Sender on a client whose connections pass the address guard.
// Redirects are not followed: whoever moves a receiver says so to crier.
func NewSender(client *http.Client, now func() time.Time) *Sender {
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{client: &direct, now: now}
}

// Send makes one request and returns the status of its answer, 0 without one, and how
// long it took. Any answer but 2xx is an error, whose text may be shown.
func (s *Sender) Send(ctx context.Context, r Request) (code int, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return 0, 0, errors.New("the url cannot be called")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "crier-webhooks/1")
	sign(request.Header, r, s.now())
	started := time.Now()
	response, err := s.client.Do(request)
	took = time.Since(started)
	if err != nil {
		return 0, took, sendError(ctx, err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, answerBound)) // the status is the answer
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response.StatusCode, took, fmt.Errorf("HTTP %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	return response.StatusCode, took, nil
}

// sendError says why there was no answer, without what only our log should have.
func sendError(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*schema.Error](err); ok {
		return errors.New(refused.Message)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("no answer within %v", sendTimeout)
	}
	return errors.New("the receiver could not be reached")
}

// sign sets X-Webhook-Signature, keyed with the secret as it was shown, and the headers
// of Standard Webhooks (www.standardwebhooks.com), keyed with its decoded part.
func sign(h http.Header, r Request, at time.Time) {
	unix := strconv.FormatInt(at.Unix(), 10)
	h.Set("X-Webhook-Signature", "t="+unix+",v1="+hex.EncodeToString(mac([]byte(r.Secret), unix+".", r.Body)))
	id := r.ID.String()
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", unix)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Secret, secretPrefix))
	if err != nil {
		return
	}
	h.Set("Webhook-Signature", signedVersion+","+base64.StdEncoding.EncodeToString(mac(key, id+"."+unix+".", r.Body)))
}

func mac(key []byte, prefix string, body []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(prefix))
	m.Write(body)
	return m.Sum(nil)
}

// TestDelivery sends a payload to a webhook at once, without a retry.
func (s *Sender) TestDelivery(ctx context.Context, w schema.Webhook, payload schema.WebhookPayload) (code int, took time.Duration, err error) {
	code, took, err = s.Send(ctx, Request{URL: w.URL, Secret: w.Secret, ID: payload.ID, Body: encode(payload)})
	if code != 0 {
		return code, took, nil
	}
	if err != nil {
		return 0, took, &schema.Error{Kind: schema.Unavailable, Message: err.Error()}
	}
	return code, took, nil
}
