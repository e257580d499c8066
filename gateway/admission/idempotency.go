package admission

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/gin-gonic/gin"

	"crier/gateway/answer"
	"crier/gateway/body"
	"crier/schema"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255
)

// AnswerReader reads the answers that are kept for idempotency.
type AnswerReader interface {
	// Answer returns the answer of the first request of that key, if there was one; the
	// error is IdempotencyConflict if it had another body.
	Answer(ctx context.Context, request schema.Idempotency) (response []byte, known bool, err error)
}

// Repeatable is a request that has its effect once, however often it is sent, if it has an
// Idempotency-Key.
type Repeatable struct {
	Identity    *schema.Idempotency // nil: it has no key
	Fingerprint [32]byte            // of its route and of what its body says, however the JSON is written
}

// Identify returns what identifies a request when it is repeated: its key and its fingerprint.
func Identify(c *gin.Context, content body.Value) (Repeatable, error) {
	key, err := IdempotencyKey(c)
	if err != nil {
		return Repeatable{}, err
	}
	r := Repeatable{Fingerprint: fingerprint(c, content)}
	if key != "" {
		r.Identity = &schema.Idempotency{Lineage: RequestOf(c).Key.Lineage, Key: key, Fingerprint: r.Fingerprint}
	}
	return r, nil
}

// Replay answers as the first request of that key was answered, if there was one.
func (r Repeatable) Replay(c *gin.Context, store AnswerReader) (answered bool, err error) {
	if r.Identity == nil {
		return false, nil
	}
	response, known, err := store.Answer(c.Request.Context(), *r.Identity)
	if err != nil || !known {
		return false, err
	}
	answer.Created(c, schema.Created{Response: response, Replayed: true})
	return true, nil
}

// ReplayOr answers a request that is not valid. A repeated request may have been valid at
// first, before its time came close or its account was removed, so its key is looked up
// first.
func (r Repeatable) ReplayOr(c *gin.Context, store AnswerReader, invalid error) error {
	if answered, err := r.Replay(c, store); answered || err != nil {
		return err
	}
	return invalid
}

// IdempotencyKey returns the key of a request; empty without one.
func IdempotencyKey(c *gin.Context) (string, error) {
	given := c.Request.Header[idempotencyHeader]
	if len(given) == 0 {
		return "", nil
	}
	key := given[0]
	if len(given) > 1 || len(key) == 0 || len(key) > maxIdempotencyKey || !printable(key) {
		return "", schema.InvalidField(idempotencyHeader, body.CodeInvalidValue,
			"must be one header of 1 to 255 printable ASCII characters")
	}
	return key, nil
}

func fingerprint(c *gin.Context, content body.Value) [32]byte {
	canonical := make([]byte, 0, 1024)
	canonical = append(canonical, c.FullPath()...)
	canonical = append(canonical, '\n')
	return sha256.Sum256(content.AppendCanonical(canonical))
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
