package webhooks

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"

	"crier/gateway/admission"
	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"

	"github.com/gin-gonic/gin"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// rotateSecret puts a new secret in place and shows it, this once. For the overlap the one
// before signs too.
func (w *webhooks) rotateSecret(c *gin.Context, id schema.WebhookID) error {
	overlap, warnings, err := body.ReadOverlap(c)
	if err != nil {
		return err
	}
	secret, err := newSecret(w.Random)
	if err != nil {
		return err
	}
	webhook, err := w.Store.RotateSecret(c.Request.Context(), admission.RequestOf(c).Key.Workspace, id, secret, overlap)
	if err != nil {
		return err
	}
	webhook.Secret = secret
	return w.showSecret(c, http.StatusOK, webhook, warnings)
}

// showSecret answers with a webhook and its secret.
func (w *webhooks) showSecret(c *gin.Context, status int, webhook schema.Webhook, warnings []schema.Detail) error {
	view := viewWebhook(webhook, w.Now())
	view.Secret = webhook.Secret
	return answer.Named(c, status, "webhook", view, warnings)
}

func newSecret(random io.Reader) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(secret), nil
}
