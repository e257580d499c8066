package gateway

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	secretPrefix   = "whsec_"
	secretBytes    = 32
	defaultOverlap = 24 * time.Hour
	maxOverlap     = 7 * 24 * time.Hour
)

// rotateSecret puts a new secret in place and shows it, this once. For the overlap the one
// before signs too.
func (w *webhooks) rotateSecret(c *gin.Context) error {
	id, err := webhookID(c)
	if err != nil {
		return err
	}
	f, err := readOptionalForm(c)
	if err != nil {
		return err
	}
	overlap := formOverlap(f)
	f.finish()
	if err := f.report.err(); err != nil {
		return err
	}
	secret, err := newSecret(w.random)
	if err != nil {
		return err
	}
	webhook, err := w.writer.RotateSecret(c.Request.Context(), requestOf(c).key.Workspace, id, secret, overlap)
	if err != nil {
		return err
	}
	view := viewWebhook(webhook, w.now())
	view.Secret = secret
	respond(c, http.StatusOK, webhookAnswer{Success: true, Webhook: view, Warnings: f.report.warnings})
	return nil
}

// formOverlap reads how long a secret works on beside the one that replaces it.
func formOverlap(f *form) time.Duration {
	seconds, ok := f.integer("overlapSeconds")
	if !ok {
		return defaultOverlap
	}
	if seconds < 0 || seconds > int(maxOverlap/time.Second) {
		f.fail("overlapSeconds", codeInvalidValue, fmt.Sprintf("must be from 0 to %d", int(maxOverlap/time.Second)))
		return defaultOverlap
	}
	return time.Duration(seconds) * time.Second
}

func newSecret(random io.Reader) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(secret), nil
}
