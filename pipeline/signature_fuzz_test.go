package pipeline

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"crier/schema"
)

// accepted verifies X-Webhook-Signature as a receiver would, by the specification.
func accepted(header, secret string, body []byte) bool {
	var unix string
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			unix = value
		case "v1":
			if value == hex.EncodeToString(mac([]byte(secret), unix+".", body)) {
				return true
			}
		}
	}
	return false
}

// FuzzSignature signs any body with any secrets: receivers of both kinds take it with
// each of them, and take nothing that was changed on its way.
func FuzzSignature(f *testing.F) {
	f.Add([]byte("0123456789012345678901234567890a"), []byte("another"), []byte(`{"a":1}`), []byte(`{"a":2}`))
	f.Add([]byte{0}, []byte{0xff}, []byte(""), []byte("."))
	f.Add([]byte("same"), []byte("same"), []byte("1.x"), []byte("x"))
	at, id := time.Now(), schema.NewID[schema.EventID](time.Now())
	f.Fuzz(func(t *testing.T, first, second, body, other []byte) {
		var secrets []string
		for _, key := range [][]byte{first, second} {
			if len(key) == 0 {
				return // the library takes no empty key
			}
			secrets = append(secrets, secretPrefix+base64.StdEncoding.EncodeToString(key))
		}
		header := http.Header{}
		sign(header, Request{ID: id, Secrets: secrets, Body: body}, at)
		for _, secret := range secrets {
			standard, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := standard.Verify(body, header); err != nil {
				t.Errorf("Standard Webhooks with %s: %v", secret, err)
			}
			if !accepted(header.Get("X-Webhook-Signature"), secret, body) {
				t.Errorf("X-Webhook-Signature %s with %s is refused", header.Get("X-Webhook-Signature"), secret)
			}
			if bytes.Equal(body, other) {
				continue
			}
			if standard.Verify(other, header) == nil || accepted(header.Get("X-Webhook-Signature"), secret, other) {
				t.Errorf("the signature of %q is taken for %q", body, other)
			}
		}
	})
}
