package gateway

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"crier/schema"
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
	overlap, warnings, err := readOverlap(c)
	if err != nil {
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
	respond(c, http.StatusOK, webhookAnswer{Success: true, Webhook: view, Warnings: warnings})
	return nil
}

// readOverlap reads how long a secret works on beside the one that replaces it, which is
// all that a rotation may say.
func readOverlap(c *gin.Context) (overlap time.Duration, warnings []schema.Detail, err error) {
	f, err := readOptionalForm(c)
	if err != nil {
		return 0, nil, err
	}
	overlap = defaultOverlap
	if seconds, ok := f.integer("overlapSeconds"); ok {
		overlap = time.Duration(seconds) * time.Second
		if seconds < 0 || seconds > int(maxOverlap/time.Second) {
			f.fail("overlapSeconds", codeInvalidValue, fmt.Sprintf("must be from 0 to %d", int(maxOverlap/time.Second)))
		}
	}
	f.finish()
	return overlap, f.report.warnings, f.report.err()
}

func newSecret(random io.Reader) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("reading randomness: %w", err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(secret), nil
}
