package admission

import (
	"crypto/sha256"

	"github.com/gin-gonic/gin"

	"crier/gateway/body"
	"crier/schema"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255
)

// Fingerprint identifies a request by its route and by what its body says, however the
// JSON is written.
func Fingerprint(c *gin.Context, content body.Value) [32]byte {
	canonical := make([]byte, 0, 1024)
	canonical = append(canonical, c.FullPath()...)
	canonical = append(canonical, '\n')
	return sha256.Sum256(content.AppendCanonical(canonical))
}

// Identify returns the idempotency key of a request with its fingerprint; nil without a
// key.
func Identify(c *gin.Context, fingerprint [32]byte) (*schema.Idempotency, error) {
	given := c.Request.Header[idempotencyHeader]
	if len(given) == 0 {
		return nil, nil
	}
	key := given[0]
	if len(given) > 1 || len(key) == 0 || len(key) > maxIdempotencyKey || !printable(key) {
		return nil, schema.InvalidField(idempotencyHeader, body.CodeInvalidValue,
			"must be one header of 1 to 255 printable ASCII characters")
	}
	return &schema.Idempotency{Lineage: RequestOf(c).Key.Lineage, Key: key, Fingerprint: fingerprint}, nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
