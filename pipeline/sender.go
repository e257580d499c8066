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

	"crier/pipeline/worker"
	"crier/schema"
)

// Sender makes the signed requests to webhooks.
type Sender struct {
	client *http.Client
	now    func() time.Time
}

// Request is one request to a webhook.
type Request struct {
	URL     string
	Secrets []string       // whsec_…; all sign, the oldest first
	ID      schema.EventID // the same for every try
	Body    []byte
}

// Answer is what became of a request.
type Answer struct {
	Code int // status of the answer; 0 without one
	Took time.Duration
	Text string // of an answer other than 2xx, shortened
}

const (
	sendTimeout   = 10 * time.Second // of a request, its answer included
	answerBound   = 64 << 10         // bytes of an answer that are read, so that its connection can be used again
	excerptBound  = 1 << 10          // bytes of an answer that are kept, of a try that failed
	secretPrefix  = "whsec_"
	signedVersion = "v1"
)

// NewSender makes a Sender on a client whose connections pass the address guard.
// Redirects are not followed: a receiver that moves has to be changed in crier.
func NewSender(client *http.Client, now func() time.Time) *Sender {
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{client: &direct, now: now}
}

// Send makes one request. Any answer but 2xx is an error, whose text may be shown.
func (s *Sender) Send(ctx context.Context, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, errors.New("the url cannot be called")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "crier-webhooks/1")
	sign(request.Header, r, s.now())
	started := time.Now()
	response, err := s.client.Do(request)
	answer := Answer{Took: time.Since(started)}
	if err != nil {
		return answer, sendError(ctx, err)
	}
	defer response.Body.Close()
	answer.Code = response.StatusCode
	if response.StatusCode < 200 || response.StatusCode > 299 {
		answer.Text = excerpt(response.Body)
		err = fmt.Errorf("HTTP %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, answerBound)) // the status is the answer
	return answer, err
}

// excerpt returns the beginning of an answer, as text that PostgreSQL can store.
func excerpt(body io.Reader) string {
	start, _ := io.ReadAll(io.LimitReader(body, excerptBound)) // what was read is worth showing, however it ended
	return strings.ReplaceAll(strings.ToValidUTF8(string(start), "\uFFFD"), "\x00", "")
}

// sendError says why there was no answer, without details that only our log should have.
func sendError(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*schema.Error](err); ok {
		return errors.New(refused.Message)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("no answer within %v", sendTimeout)
	}
	return errors.New("the receiver could not be reached")
}

// sign sets X-Webhook-Signature, keyed with the secrets as they were shown, and the headers
// of Standard Webhooks (www.standardwebhooks.com), keyed with their decoded parts. During a
// rotation each secret signs. The oldest comes first: a receiver that reads one signature
// alone goes on with the secret it has.
func sign(h http.Header, r Request, at time.Time) {
	unix := strconv.FormatInt(at.Unix(), 10)
	id := r.ID.String()
	own := []string{"t=" + unix}
	var standard []string
	for _, secret := range r.Secrets {
		own = append(own, signedVersion+"="+hex.EncodeToString(mac([]byte(secret), unix+".", r.Body)))
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err == nil {
			standard = append(standard, signedVersion+","+base64.StdEncoding.EncodeToString(mac(key, id+"."+unix+".", r.Body)))
		}
	}
	h.Set("X-Webhook-Signature", strings.Join(own, ","))
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", unix)
	h.Set("Webhook-Signature", strings.Join(standard, " "))
}

func mac(key []byte, prefix string, body []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(prefix))
	m.Write(body)
	return m.Sum(nil)
}

// TestDelivery sends a payload to a webhook at once, without a retry.
func (s *Sender) TestDelivery(ctx context.Context, w schema.Webhook, payload schema.WebhookPayload) (code int, took time.Duration, err error) {
	answer, err := s.Send(ctx, Request{URL: w.URL, Secrets: w.Secrets(s.now()), ID: payload.ID, Body: worker.Encode(payload)})
	if err != nil && answer.Code == 0 {
		return 0, answer.Took, &schema.Error{Kind: schema.Unavailable, Message: err.Error()}
	}
	return answer.Code, answer.Took, nil
}
