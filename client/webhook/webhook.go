// Package webhook verifies and reads what crier's webhooks deliver.
//
//	http.Handle("/hook", webhook.Verifier{Secret: secret}.Handler(func(ctx context.Context, e *client.Event) error {
//		switch data := e.Data.(type) {
//		case client.PostData:
//			fmt.Println(e.Name, data.Post.ID)
//		}
//		return nil
//	}))
//
// An event comes at least once: drop the ids that you know.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crier/client"
)

// Why a delivery is refused.
var (
	ErrSignature = errors.New("the delivery is not signed with the webhook's secret")
	ErrTime      = errors.New("the delivery was signed too long ago, or in the future")
)

// DefaultTolerance is how far the time of a signature may be from now: what is older may be the
// copy of a delivery, sent by somebody else.
const DefaultTolerance = 5 * time.Minute

// Headers of a delivery. Either way of signing is enough; each covers the time and the body.
const (
	headerSignature = "X-Webhook-Signature"

	standardID        = "Webhook-Id"
	standardTimestamp = "Webhook-Timestamp"
	standardSignature = "Webhook-Signature"
)

// Verifier reads deliveries of one webhook.
type Verifier struct {
	Secret    string           // whsec_…, as it was shown when the webhook was made
	Tolerance time.Duration    // zero: DefaultTolerance
	Now       func() time.Time // nil: time.Now
}

// Verify returns the event of a delivery that is signed with the secret, by X-Webhook-Signature
// or the headers of Standard Webhooks. Its error is ErrSignature or ErrTime, or says what of the
// body cannot be read.
func Verify(secret string, header http.Header, body []byte) (*client.Event, error) {
	return Verifier{Secret: secret}.Verify(header, body)
}

// Verify is Verify by this verifier's clock and tolerance.
func (v Verifier) Verify(header http.Header, body []byte) (*client.Event, error) {
	signed := v.standard(header, body)
	if text := header.Get(headerSignature); text != "" {
		signed = v.own(text, body)
	}
	if !signed.right {
		return nil, ErrSignature
	}
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	if age := now().Sub(signed.at); age.Abs() > cmp.Or(v.Tolerance, DefaultTolerance) {
		return nil, ErrTime
	}
	event := new(client.Event)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("reading a delivery: %w", err)
	}
	return event, nil
}

// signature is what the headers say, and whether one that the secret makes is among it.
type signature struct {
	at    time.Time
	right bool
}

// own reads t=<Unix time>,v1=<hex>, with a v1 for each secret while one replaces another.
func (v Verifier) own(text string, body []byte) signature {
	fields := strings.Split(text, ",")
	at, stamped := strings.CutPrefix(fields[0], "t=")
	want := sum([]byte(v.Secret), at+".", body)
	var given [][]byte
	for _, field := range fields[1:] {
		if signature, err := hex.DecodeString(strings.TrimPrefix(field, "v1=")); err == nil {
			given = append(given, signature)
		}
	}
	return signature{unix(at), stamped && v.Secret != "" && contains(given, want)}
}

// standard reads the headers of Standard Webhooks: v1,<base64>, several with spaces between them.
func (v Verifier) standard(header http.Header, body []byte) signature {
	at := header.Get(standardTimestamp)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v.Secret, "whsec_"))
	want := sum(key, header.Get(standardID)+"."+at+".", body)
	var given [][]byte
	for field := range strings.FieldsSeq(header.Get(standardSignature)) {
		if signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(field, "v1,")); err == nil {
			given = append(given, signature)
		}
	}
	return signature{unix(at), err == nil && len(key) > 0 && contains(given, want)}
}

func sum(key []byte, before string, body []byte) []byte {
	m := hmac.New(sha256.New, key)
	io.WriteString(m, before) //nolint:errcheck // never fails
	m.Write(body)
	return m.Sum(nil)
}

// contains compares in constant time.
func contains(given [][]byte, want []byte) bool {
	right := false
	for _, signature := range given {
		right = hmac.Equal(signature, want) || right
	}
	return right
}

// unix reads a time; what is none is long ago.
func unix(text string) time.Time {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// maxBody is more than any event has.
const maxBody = 4 << 20

// Handler takes deliveries: those that are not right are refused with 401, and where take fails
// the answer is 500, so that crier sends the event again.
func (v Verifier) Handler(take func(context.Context, *client.Event) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(http.MaxBytesReader(w, request.Body, maxBody)); err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		event, err := v.Verify(request.Header, body.Bytes())
		switch {
		case errors.Is(err, ErrSignature), errors.Is(err, ErrTime):
			http.Error(w, err.Error(), http.StatusUnauthorized)
		case err != nil:
			http.Error(w, "the event cannot be read", http.StatusBadRequest)
		case take(request.Context(), event) != nil:
			http.Error(w, "the event was not taken", http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
