package tables

import (
	"fmt"

	"crier/schema"
	"crier/schema/postgres/internal/db"
)

// Sealer seals and opens a text with associated data; connectors.Vault is one.
type Sealer interface {
	SealText(aad, text string) ([]byte, error)
	OpenText(aad string, sealed []byte) (string, error)
}

// SealSecrets seals the secrets of a webhook: the one in place, and those before together.
func SealSecrets(sealer Sealer, w *schema.Webhook) (current, previous []byte, err error) {
	if current, err = sealer.SealText(SecretData(w.ID), w.Secret); err != nil {
		return nil, nil, fmt.Errorf("sealing the secret of a webhook: %w", err)
	}
	if len(w.Previous) == 0 {
		return current, nil, nil
	}
	if previous, err = sealer.SealText(previousData(w.ID), string(db.Encode(w.Previous))); err != nil {
		return nil, nil, fmt.Errorf("sealing the secrets of a webhook: %w", err)
	}
	return current, previous, nil
}

// OpenSecrets opens what sealSecrets has sealed.
func OpenSecrets(sealer Sealer, w *schema.Webhook, current, previous []byte) (err error) {
	if w.Secret, err = sealer.OpenText(SecretData(w.ID), current); err != nil || len(previous) == 0 {
		return err
	}
	text, err := sealer.OpenText(previousData(w.ID), previous)
	if err != nil {
		return err
	}
	return db.Decode("secrets of a webhook", []byte(text), &w.Previous)
}

// SecretData binds a webhook's sealed secret to its row.
func SecretData(id schema.WebhookID) string { return "webhook " + id.String() }

func previousData(id schema.WebhookID) string { return SecretData(id) + " previous" }
